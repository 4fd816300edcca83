/* postgres_extension.c - the extension of PostgreSQL: texts in, real[] out. See README.md.
 *
 * A backend has one model and one session, which live as long as it does. Nothing of the engine
 * calls PostgreSQL, so no error of PostgreSQL jumps over a call of the engine.
 */
#include <postgres.h>

#include <catalog/pg_type.h>
#include <fmgr.h>
#include <funcapi.h>
#include <mb/pg_wchar.h>
#include <miscadmin.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/guc.h>
#include <utils/memutils.h>

#include "tools/hosts/sql/sql_encoder.h"

PG_MODULE_MAGIC;

static char *model_setting; /* encode.model: a path; "": ENCODE_MODEL, else the default */
static engine_model *model; /* NULL: not open */
static char *model_path;    /* the setting by which it was opened */
static struct sql_encoder encoder;

void *sql_alloc(size_t n_bytes)
{
    return palloc_extended(n_bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

void sql_free(void *block)
{
    if (block != NULL)
        pfree(block);
}

/* ---- Errors ---- */

static int sql_state(engine_status status)
{
    switch (status) {
    case ENGINE_ERROR_MEMORY: return ERRCODE_OUT_OF_MEMORY;
    case ENGINE_ERROR_IO: return ERRCODE_IO_ERROR;
    case ENGINE_ERROR_FORMAT:
    case ENGINE_ERROR_VERSION: return ERRCODE_CONFIG_FILE_ERROR;
    case ENGINE_ERROR_UNSUPPORTED: return ERRCODE_FEATURE_NOT_SUPPORTED;
    case ENGINE_ERROR_LENGTH: return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case ENGINE_ERROR_TEXT: return ERRCODE_INVALID_TEXT_REPRESENTATION;
    case ENGINE_ERROR_NOT_FINITE: return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
    case ENGINE_ERROR_INTERRUPTED: return ERRCODE_QUERY_CANCELED;
    case ENGINE_ERROR_INTERNAL: return ERRCODE_INTERNAL_ERROR;
    default: return ERRCODE_INVALID_PARAMETER_VALUE;
    }
}

/* Reports a failure at this level. A cancelled statement has PostgreSQL's words for it. */
static void report(int level, engine_status status, const engine_error *error)
{
    char words[SQL_MESSAGE_BYTES] = "out of memory";
    if (status == ENGINE_ERROR_INTERRUPTED)
        CHECK_FOR_INTERRUPTS();
    if (status != ENGINE_ERROR_MEMORY)
        sql_message(error, words);
    ereport(level, errcode(sql_state(status)), errmsg("encode: %s", words));
}

/* Continues after a success of the session. */
static void check(engine_status status)
{
    if (status != ENGINE_OK)
        report(ERROR, status, engine_session_error(encoder.session));
}

/* ---- The model ---- */

static int is_cancelled(size_t n_done, size_t n, void *user)
{
    (void)n_done, (void)n, (void)user;
    return INTERRUPTS_CAN_BE_PROCESSED() && (QueryCancelPending || ProcDiePending);
}

/* Opens the model that encode.model names, unless it is open. */
static void open_model(int level)
{
    engine_error error;
    if (model != NULL && strcmp(model_path, model_setting) == 0)
        return;
    sql_encoder_close(&encoder);
    engine_model_close(model);
    model = NULL;
    char *path = MemoryContextStrdup(TopMemoryContext, model_setting);
    const engine_status status =
        engine_model_open(path[0] != '\0' ? path : NULL, NULL, &model, &error);
    sql_free(model_path);
    model_path = path;
    if (status != ENGINE_OK)
        report(level, status, &error);
}

/* Makes the backend's session, of the model that is set. */
static void make_ready(void)
{
    engine_error error;
    open_model(ERROR);
    if (encoder.session != NULL)
        return;
    const engine_status status = sql_encoder_open(&encoder, model, is_cancelled, NULL, &error);
    if (status != ENGINE_OK)
        report(ERROR, status, &error);
}

void _PG_init(void);

/* If the server itself loads the library (shared_preload_libraries), its backends inherit the open
 * model. */
void _PG_init(void)
{
    DefineCustomStringVariable("encode.model", "Weight file of encode().",
                               "If empty, ENCODE_MODEL of the server's environment, else the "
                               "installed default weights.",
                               &model_setting, "", PGC_SUSET, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
    MarkGUCPrefixReserved("encode");
    if (process_shared_preload_libraries_in_progress)
        open_model(WARNING);
}

/* ---- Arguments and results ---- */

/* Returns a text in UTF-8. */
static engine_input read_text(const text *value)
{
    const char *bytes = VARDATA_ANY(value);
    const char *utf8 = pg_server_to_any(bytes, (int)VARSIZE_ANY_EXHDR(value), PG_UTF8);
    return (engine_input){.text = utf8,
                          .text_len = utf8 == bytes ? VARSIZE_ANY_EXHDR(value) : strlen(utf8)};
}

/* Returns UTF-8, of which parts may be cut off, as a text of the database. */
static Datum new_text(const char *utf8, size_t len)
{
    char *valid = palloc(3 * len + 1);
    const size_t n = sql_copy_valid(valid, utf8, len);
    valid[n] = '\0';
    char *bytes = pg_any_to_server(valid, (int)n, PG_UTF8);
    text *value = cstring_to_text_with_len(bytes, bytes == valid ? (int)n : (int)strlen(bytes));
    pfree(valid);
    return PointerGetDatum(value);
}

/* Returns the numbers of an array without NULLs, for which it may have a bitmap: slices keep it. */
static float *numbers_of(ArrayType *vector)
{
    const size_t offset = ARR_OVERHEAD_NONULLS((size_t)vector->ndim);
    return (float *)((char *)vector + (ARR_HASNULL(vector) ? (size_t)vector->dataoffset : offset));
}

static ArrayType *new_vector(size_t width)
{
    const size_t n_bytes = ARR_OVERHEAD_NONULLS(1) + width * sizeof(float4);
    ArrayType *vector = palloc0(n_bytes);
    SET_VARSIZE(vector, n_bytes);
    vector->ndim = 1;
    vector->elemtype = FLOAT4OID;
    ARR_DIMS(vector)[0] = (int)width;
    ARR_DIMS(vector)[1] = 1; /* the lower bound, which follows */
    return vector;
}

static engine_role read_role(const text *name)
{
    engine_role role;
    if (!sql_role(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &role))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("encode: unknown role \"%s\"", text_to_cstring(name)),
                errhint("Roles are text, query and document. PostgreSQL's own encode is that of "
                        "a bytea: cast its argument."));
    return role;
}

/* Refuses a model that is not the one by which an index or a column was made. */
static void check_checksum(const text *expected)
{
    if (strcmp(encoder.checksum, text_to_cstring(expected)) != 0)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("encode: the model has the checksum %s, not %s", encoder.checksum,
                       text_to_cstring(expected)),
                errhint("Set encode.model to the weight file with that checksum, or make what "
                        "uses it anew with this one."));
}

/* ---- Functions ---- */

PG_FUNCTION_INFO_V1(encode_text);
PG_FUNCTION_INFO_V1(encode_rank);
PG_FUNCTION_INFO_V1(encode_cosine);
PG_FUNCTION_INFO_V1(encode_model);
PG_FUNCTION_INFO_V1(encode_tokens);
PG_FUNCTION_INFO_V1(encode_windows);
PG_FUNCTION_INFO_V1(encode_spans);

/* encode(body, role[, model]): the vector. */
Datum encode_text(PG_FUNCTION_ARGS)
{
    const engine_input body = read_text(PG_GETARG_TEXT_PP(0));
    const engine_role role = read_role(PG_GETARG_TEXT_PP(1));
    make_ready();
    if (PG_NARGS() == 3)
        check_checksum(PG_GETARG_TEXT_PP(2));
    ArrayType *vector = new_vector(encoder.shape.width);
    check(sql_encode(&encoder, &body, role, numbers_of(vector)));
    PG_RETURN_ARRAYTYPE_P(vector);
}

/* encode_rank(query, body): as encode --rank scores it. */
Datum encode_rank(PG_FUNCTION_ARGS)
{
    const engine_input query = read_text(PG_GETARG_TEXT_PP(0));
    const engine_input body = read_text(PG_GETARG_TEXT_PP(1));
    float score;
    make_ready();
    check(sql_rank(&encoder, &query, &body, &score));
    PG_RETURN_FLOAT4(score);
}

/* encode_cosine(a, b) of two vectors. */
Datum encode_cosine(PG_FUNCTION_ARGS)
{
    ArrayType *vectors[2] = {PG_GETARG_ARRAYTYPE_P(0), PG_GETARG_ARRAYTYPE_P(1)};
    int widths[2];
    for (int i = 0; i < 2; i++) {
        if (ARR_NDIM(vectors[i]) > 1 || array_contains_nulls(vectors[i]))
            ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                    errmsg("encode_cosine: a vector has one dimension, and no NULL"));
        widths[i] = ARR_NDIM(vectors[i]) == 1 ? ARR_DIMS(vectors[i])[0] : 0;
    }
    if (widths[0] != widths[1])
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("encode_cosine: vectors of %d and %d numbers", widths[0], widths[1]));
    PG_RETURN_FLOAT8(
        engine_cosine(numbers_of(vectors[0]), numbers_of(vectors[1]), (size_t)widths[0]));
}

/* encode_model(): name, checksum, width and tokens, as JSON. */
Datum encode_model(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    make_ready();
    const char *json = sql_model_json(&encoder);
    if (json == NULL)
        report(ERROR, ENGINE_ERROR_MEMORY, NULL);
    PG_RETURN_DATUM(new_text(json, strlen(json)));
}

/* ---- Functions of many rows ---- */

/* Puts a row for each token, window or span of the text, the first argument, with the role, the
 * last one. */
static Datum put_rows(FunctionCallInfo fcinfo, enum sql_rows kind, size_t max_tokens,
                      const text *spans)
{
    ReturnSetInfo *rows = (ReturnSetInfo *)fcinfo->resultinfo;
    struct sql_parts parts;
    const engine_input body = read_text(PG_GETARG_TEXT_PP(0));
    const engine_role role = read_role(PG_GETARG_TEXT_PP(PG_NARGS() - 1));
    const engine_input json = spans != NULL ? read_text(spans) : (engine_input){0};
    make_ready();
    InitMaterializedSRF(fcinfo, 0);
    const engine_status status = sql_divide(&encoder, kind, &body, role, max_tokens, &json, &parts);
    if (status != ENGINE_OK)
        report(ERROR, status, parts.error);
    MemoryContext each =
        AllocSetContextCreate(CurrentMemoryContext, "encode", ALLOCSET_SMALL_SIZES);
    MemoryContext before = MemoryContextSwitchTo(each);
    for (size_t i = 0; i < parts.n_rows; i++) {
        const struct sql_row row = sql_row_of(&encoder, &parts, body.text, i);
        const Datum text = row.text != NULL ? new_text(row.text, row.len) : 0;
        const Datum begin = Int32GetDatum((int32)row.begin), end = Int32GetDatum((int32)row.end);
        Datum token[] = {text, Int32GetDatum(row.id), begin, end};
        Datum window[] = {begin, end, text, 0};
        bool nulls[] = {row.text == NULL, false, !row.has_span, !row.has_span};
        CHECK_FOR_INTERRUPTS();
        if (kind != SQL_TOKENS) {
            ArrayType *vector = new_vector(encoder.shape.width);
            check(sql_encode_window(&encoder, &parts, i, numbers_of(vector)));
            window[3] = PointerGetDatum(vector);
        }
        tuplestore_putvalues(rows->setResult, rows->setDesc, kind == SQL_TOKENS ? token : window,
                             nulls);
        MemoryContextReset(each);
    }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(each);
    sql_parts_free(&parts);
    return (Datum)0;
}

/* encode_tokens(body, role). */
Datum encode_tokens(PG_FUNCTION_ARGS)
{
    return put_rows(fcinfo, SQL_TOKENS, 0, NULL);
}

/* encode_windows(body, tokens, role). */
Datum encode_windows(PG_FUNCTION_ARGS)
{
    const int32 tokens = PG_GETARG_INT32(1);
    if (tokens < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("encode_windows: %d tokens in a window", tokens));
    return put_rows(fcinfo, SQL_WINDOWS, (size_t)tokens, NULL);
}

/* encode_spans(body, spans, role). */
Datum encode_spans(PG_FUNCTION_ARGS)
{
    return put_rows(fcinfo, SQL_SPANS, 0, PG_GETARG_TEXT_PP(1));
}
