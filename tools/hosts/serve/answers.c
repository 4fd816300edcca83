/* answers.c - from the answers of the table of routes to JSON. In these ' is a quotation mark, $x a
 * value, and <x...> a part that is repeated for each text (t), token (k), weight (w), label (l,
 * best first), name of a label (n), rank (r, best first), cosine (c), model (m) or type (e). */
#include "tools/common/alloc.h"
#include "tools/common/print/json_writer.h"
#include "tools/hosts/serve/serve.h"

#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The words are those that clients compare. */
static const struct {
    unsigned status, tei_status;
    const char *tei_type, *code;
} FAULT_ROWS[] = {[FAULT_NONE] = {200, 200, NULL, NULL},
#define FAULT_ROW(name, ...) [FAULT_##name] = {__VA_ARGS__},
                  FAULTS(FAULT_ROW)};

static const char *const ERRORS[N_DIALECTS] = {
    "{'error': {'message': $E, 'type': '$T', 'param': null, 'code': $O}}", "{'error': $E}",
    "{'error': $E, 'error_type': '$I'}", "{'message': $E, 'detail': $E}", /* "detail" is Jina's */
};

/* The page of a browser, page.html. */
extern const char serve_page[];
__asm__(".section .rodata\n.globl serve_page\nserve_page: .incbin \"tools/hosts/serve/page.html\"\n"
        ".byte 0\n.previous");

struct rank {
    float score;
    size_t index;
};

/* Where in an answer the writer is. */
struct place {
    size_t text;  /* of the innermost <t */
    size_t index; /* in the innermost list, or of the text that is ranked there */
    const struct rank *rank;
    const struct model *model;
    enum vector_type type;
};

static void write_base64(FILE *stream, const void *data, size_t len)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    putc('"', stream);
    for (size_t i = 0; i < len; i += 3) {
        unsigned char b[3] = {0};
        memcpy(b, (const char *)data + i, len - i < 3 ? len - i : 3);
        const char text[4] = {DIGITS[b[0] >> 2], DIGITS[(b[0] & 3) << 4 | b[1] >> 4],
                              DIGITS[(b[1] & 15) << 2 | b[2] >> 6], DIGITS[b[2] & 63]};
        fwrite(text, 1, len - i < 3 ? len - i + 1 : 4, stream);
    }
    fprintf(stream, "%.*s\"", (int)((3 - len % 3) % 3), "==");
}

/* The text of a list in the body, as it was sent. */
static json_t *item_of(const struct call *call, size_t index)
{
    json_t *item = call->is_single ? call->items : json_array_get(call->items, index);
    return json_is_object(item) ? json_object_get(item, "text") : item;
}

/* Tokens of templates and prompts have no span. */
static void write_token(struct json_writer *json, const struct call *call, char letter,
                        const struct place *place)
{
    const engine_token *token = &call->tokens[call->texts[place->text].first + place->index];
    const char *text = json_string_value(item_of(call, place->text)), *own = "";
    const bool has_span = token->end > 0;
    size_t own_len = 0;
    engine_token_text(call->model->model, token->id, &own, &own_len);
    switch (letter) {
    case 'k': json_write_integer(json, NULL, token->id); return;
    case 'q': json_write_truth(json, NULL, token->special); return;
    case 'p':
        json_write_string(json, NULL, has_span ? text + token->begin : own,
                          has_span ? token->end - token->begin : own_len);
        return;
    }
    if (!has_span) {
        json_write_null(json, NULL);
        return;
    }
    struct text *counted = &call->texts[place->text]; /* so far: spans are next to each other */
    const size_t to = letter == 'a' ? token->begin : token->end;
    for (; counted->byte < to; counted->byte++)
        counted->character += (text[counted->byte] & 0xC0) != 0x80;
    for (; counted->byte > to; counted->byte--)
        counted->character -= (text[counted->byte - 1] & 0xC0) != 0x80;
    json_write_count(json, NULL, counted->character);
}

/* Integers are of the vector at length 1: int8 of its values times 127 / 8 * sqrt(width). That is
 * one factor for all vectors, so that products compare; eight times the mean value fills the range.
 * Bits are 1 for values above 0, the first highest. "uint8" and "binary" are shifted by 128. */
static void write_integers(FILE *stream, const float *values, size_t width, enum vector_type type)
{
    const bool is_bits = type == TYPE_BINARY || type == TYPE_UBINARY;
    const int shift = type == TYPE_UINT8 ? 128 : type == TYPE_BINARY ? -128 : 0;
    double squares = 0;
    for (size_t i = 0; i < width; i++)
        squares += (double)values[i] * values[i];
    const double factor = squares > 0 ? 127.0 / 8 * sqrt((double)width / squares) : 0;
    for (size_t i = 0; i < width; i += is_bits ? 8 : 1) {
        long n = is_bits ? 0 : lrint(fmin(127, fmax(-128, values[i] * factor)));
        for (size_t bit = i; is_bits && bit < i + 8; bit++)
            n = 2 * n + (bit < width && values[bit] > 0);
        fprintf(stream, "%s%ld", i ? ", " : "[", n + shift);
    }
    putc(']', stream);
}

static void write_vector(struct json_writer *json, const struct call *call,
                         const struct place *place)
{
    const size_t first = call->is_per_token ? call->texts[place->text].first : 0;
    const float *values = call->rows + (first + place->index) * call->width;
    if (place->type == TYPE_BASE64) /* of little-endian numbers, as this machine's are */
        write_base64(json->stream, values, call->width * sizeof *values);
    else if (place->type == TYPE_FLOAT)
        json_write_floats(json, NULL, values, call->width);
    else
        write_integers(json->stream, values, call->width, place->type);
}

static void write_decoded(struct json_writer *json, const struct call *call, size_t text)
{
    const size_t n = call->texts[text].n;
    const engine_token *tokens = call->tokens + call->texts[text].first;
    int32_t *ids = alloc_zeros(n, sizeof *ids);
    size_t len;
    for (size_t i = 0; i < n; i++)
        ids[i] = tokens[i].id;
    engine_decode(call->model->model, ids, n, call->skips_special, NULL, 0, &len, NULL);
    char *own = alloc_zeros(len, 1);
    engine_decode(call->model->model, ids, n, call->skips_special, own, len, &len, NULL);
    json_write_string(json, NULL, own, len);
    free(own);
    free(ids);
}

static void write_model(struct json_writer *json, const struct call *call, char letter,
                        const struct place *place)
{
    const struct model *model = place->model;
    const engine_info *info = &model->info;
    (void)call;
    engine_tensor_info tensor = {.type = "", .layout = ""};
    struct tm parts;
    char text[40];
    switch (letter) {
    case 'c': json_write_integer(json, NULL, model->opened); return;
    case 'F': json_write_count(json, NULL, info->file_bytes); return;
    case 'C': json_write_count(json, NULL, info->max_text_tokens); return;
    case 'W': json_write_count(json, NULL, info->output_width); return;
    case 'm': json_write_text(json, NULL, model->name); return;
    case 'y': /* of its matrices */
        for (size_t i = 0; strcmp(tensor.layout, "panels") != 0; i++)
            if (engine_model_tensor(model->model, i, &tensor) != ENGINE_OK)
                break;
        json_write_text(json, NULL, tensor.type);
        return;
    case 'o': json_write_text(json, NULL, info->pooling); return;
    case 'h': snprintf(text, sizeof text, "%08x", (unsigned)info->checksum); break;
    case 'P': snprintf(text, sizeof text, "%.1fM", 1e-6 * (double)info->n_parameters); break;
    case 'D':
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&model->opened, &parts));
        break;
    default: snprintf(text, sizeof text, info->n_labels == 1 ? "reranker" : "classifier");
    }
    json_write_text(json, NULL, text);
}

static void expand(struct call *call, FILE *stream, const char *answer, struct place place);

static void write_value(struct call *call, FILE *stream, char letter, struct place place)
{
    static const char *const TYPES[] = {
        "{'embedding': {'pooling': $o}}",
        "{$H: {'id2label': {<n'$i': $b>}, 'label2id': {<n$b: $i>}}}"};
    static const char TEXT[] = ", 'text': $u", DOCUMENT[] = ", 'document': {'text': $u}";
    static const char WARNING[] = ", 'warnings': ['texts that were too long and were cut: $N']";
    static const char *const VECTORS[] = {"[<t$v>]", "{<e$f: [<t$v>]>}"};
    static const char *const VECTOR_NAMES[] = {VECTOR_TYPES};
    const bool has_labels = place.model->info.head == ENGINE_HEAD_SEQUENCE;
    const bool by_type = call->types > 0 || strncmp(call->path, "/v2", 3) == 0;
    const char *code = FAULT_ROWS[call->fault].code, *name;
    char numbered[32];
    struct json_writer json = {.stream = stream, .depth = 1};
    switch (letter) {
    case 'b':
        name = engine_label(place.model->model, place.index);
        snprintf(numbered, sizeof numbered, "LABEL_%zu", place.index);
        json_write_text(&json, NULL, name ? name : numbered);
        break;
    case 'd': fprintf(stream, "%.0f", 1e9 * (program_seconds() - call->began)); break;
    case 'i': json_write_count(&json, NULL, place.index); break;
    case 'j': json_dumpf(call->items, stream, JSON_ENCODE_ANY); break;
    case 's': json_write_float(&json, NULL, place.rank->score); break;
    case 't': json_write_count(&json, NULL, call->n_tokens); break;
    case 'v': write_vector(&json, call, &place); break;
    case 'u': json_dumpf(item_of(call, place.index), stream, JSON_ENCODE_ANY); break;
    case 'x': expand(call, stream, call->with_texts ? TEXT : "", place); break;
    case 'X': expand(call, stream, call->with_texts ? DOCUMENT : "", place); break;
    case '[': fputs(call->is_single ? "" : "[", stream); break;
    case ']': fputs(call->is_single ? "" : "]", stream); break;
    case 'R': fputs(by_type ? "by_type" : "floats", stream); break;
    case 'V': expand(call, stream, VECTORS[by_type], place); break;
    case 'f': json_write_text(&json, NULL, VECTOR_NAMES[place.type]); break;
    case 'e': write_decoded(&json, call, place.text); break;
    case 'w': expand(call, stream, call->n_cut > 0 ? WARNING : "", place); break;
    case 'N': json_write_count(&json, NULL, call->n_cut); break;
    case 'E': json_write_text(&json, NULL, call->message); break;
    case 'G': call->type = fputs(serve_page, stream) < 0 ? "" : "text/html; charset=utf-8"; break;
    case 'M': call->type = metrics_write(stream); break;
    case 'O': fprintf(stream, code ? "\"%s\"" : "null", code); break;
    case 'T': fputs(call->status >= 500 ? "server_error" : "invalid_request_error", stream); break;
    case 'I': fputs(FAULT_ROWS[call->fault].tei_type, stream); break;
    case 'Y': expand(call, stream, TYPES[has_labels], place); break;
    default: (strchr("akpqz", letter) ? write_token : write_model)(&json, call, letter, &place);
    }
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    return a->score != b->score ? (a->score < b->score) - (a->score > b->score)
                                : (a->index > b->index) - (a->index < b->index);
}

static bool has_text(const struct call *call, size_t text)
{
    return engine_has_text(call->tokens + call->texts[text].first, call->texts[text].n);
}

/* Returns the scores of a list of that kind, sorted if its best come first; to be freed. */
static struct rank *make_ranks(const struct call *call, char list, size_t text, size_t *n)
{
    const float *row = call->rows + (list == 'w' || list == 'l' ? text * call->width : 0);
    const size_t n_all = list == 'w' || list == 'l' ? call->width : call->n_texts - !call->by_pairs;
    struct rank *ranks = alloc_zeros(n_all, sizeof *ranks);
    const engine_metric metric = /* of ranks as engine_rank's; /similarity is TEI's: cosines */
        list == 'c' ? ENGINE_METRIC_COSINE
                    : engine_model_metric(call->model->model, call->options.pooling);
    *n = 0;
    for (size_t i = 0; i < n_all; i++) {
        float score = row[i];
        if ((list == 'c' || list == 'r') && !call->by_pairs) {
            const bool has_texts = list == 'c' || (has_text(call, 0) && has_text(call, i + 1));
            score = (float)engine_similarity(
                metric, row, has_texts ? row + (i + 1) * call->width : NULL, call->width);
        }
        if (list != 'w' || score != 0)
            ranks[(*n)++] = (struct rank){score, i};
    }
    if (list == 'l' || list == 'r')
        qsort(ranks, *n, sizeof *ranks, compare_ranks);
    return ranks;
}

static void repeat(struct call *call, FILE *stream, const char *part, struct place place)
{
    const char list = *part;
    struct rank *ranks = NULL;
    size_t n = list == 't'   ? call->n_texts
               : list == 'k' ? call->texts[place.text].n
               : list == 'm' ? call->models->n
               : list == 'e' ? TYPE_BASE64 + 1
               : list == 'n' ? place.model->info.n_labels
                             : 0;
    if (strchr("clrw", list))
        ranks = make_ranks(call, list, place.text, &n);
    for (size_t i = 0, n_done = 0; i < n && (list != 'r' || i < call->top); i++) {
        struct place inner = place;
        if (list == 'e' && !((call->types ? call->types : 1) >> i & 1))
            continue;
        inner.index = ranks ? ranks[i].index : i;
        inner.rank = ranks ? &ranks[i] : NULL;
        if (list == 't')
            inner.text = i;
        if (list == 'm')
            inner.model = &call->models->models[i];
        if (list == 'e')
            inner.type = (enum vector_type)i;
        fputs(n_done++ > 0 ? ", " : "", stream);
        expand(call, stream, part + 1, inner);
    }
    free(ranks);
}

/* Writes an answer up to its end or the '>' of its list. */
static void expand(struct call *call, FILE *stream, const char *answer, struct place place)
{
    while (*answer && *answer != '>') {
        const char c = *answer++;
        if (c == '$') {
            write_value(call, stream, *answer++, place);
        } else if (c == '<') {
            repeat(call, stream, answer, place);
            for (int depth = 1; depth > 0; answer++)
                depth += *answer == '<' ? 1 : *answer == '>' ? -1 : 0;
        } else {
            putc(c == '\'' ? '"' : c, stream);
        }
    }
}

/* Returns a number that the bytes of the answer do not exceed. */
static size_t bound_of_answer(const struct call *call)
{
    enum { FRAME = 8192, TEXT = 128, TOKEN = 96, LABEL = 64, WEIGHT = 50, ESCAPE = 6 };
    static const size_t NUMBER[] = {[TYPE_FLOAT] = 18, [TYPE_INT8] = 6,    [TYPE_UINT8] = 6,
                                    [TYPE_BINARY] = 6, [TYPE_UBINARY] = 6, [TYPE_BASE64] = 6};
    const enum work work = call->work;
    const bool has_vectors =
        work == WORK_VECTORS || work == WORK_TOKEN_VECTORS || work == WORK_ATTENTION;
    const bool has_texts = call->with_texts || call->dialect == DIALECT_COHERE;
    const size_t n_rows = call->is_per_token ? call->n_tokens : call->n_texts;
    size_t n = FRAME + call->n_texts * TEXT + (has_texts ? ESCAPE * call->body_len : 0);
    for (size_t i = 0; has_vectors && i <= TYPE_BASE64; i++)
        n += (call->types ? call->types : 1) >> i & 1 ? n_rows * (call->width * NUMBER[i] + 4) : 0;
    for (size_t i = 0; work == WORK_SPARSE && call->rows && i < n_rows * call->width; i++)
        n += call->rows[i] != 0 ? WEIGHT : 0;
    for (size_t i = 0; work == WORK_LABELS && i < call->width; i++) {
        const char *label = engine_label(call->model->model, i);
        n += n_rows * (LABEL + ESCAPE * (label ? strlen(label) : 0));
    }
    for (size_t i = 0; work >= WORK_TOKENS && i < call->n_tokens; i++) {
        const engine_token *token = &call->tokens[i];
        const char *own;
        size_t len = token->end - token->begin;
        if (token->end == 0)
            engine_token_text(call->model->model, token->id, &own, &len);
        n += TOKEN + ESCAPE * len;
    }
    return n;
}

bool call_hold_answer(struct call *call)
{
    const size_t n = call->work < WORK_VECTORS ? 0 : bound_of_answer(call);
    if (call->n_held + n - call->n_bound > MOST_HELD_BY_CALL)
        return call_fail(call, FAULT_MANY,
                         "the answer would take up to %zu MB, and a call has %d: ask for less",
                         n >> 20, MOST_HELD_BY_CALL >> 20);
    const bool is_held = call_hold(call, n - call->n_bound);
    call->n_bound = is_held ? n : call->n_bound;
    return is_held;
}

void call_answer(struct call *call)
{
    struct written answer;
    FILE *stream = alloc_open(&answer);
    const enum fault fault = call->fault;
    const struct place place = {
        .model = call->model ? call->model : &call->models->models[0],
        .type = (enum vector_type)(call->types ? ffs((int)call->types) - 1 : 0)};
    __fsetlocking(stream, FSETLOCKING_BYCALLER);
    call->type = "application/json";
    call->status =
        call->dialect == DIALECT_TEI ? FAULT_ROWS[fault].tei_status : FAULT_ROWS[fault].status;
    expand(call, stream, fault == FAULT_NONE ? call->route->answer : ERRORS[call->dialect], place);
    call->answer = alloc_close(stream, &answer);
    call->answer_len = answer.len;
}
