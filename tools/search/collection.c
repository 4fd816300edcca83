/* collection.c - see collection.h. Lines are looked up only for hits. */
#include "tools/search/collection.h"

#include "engine/file/crc32c.h"
#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/common/texts/item.h"
#include "tools/common/texts/json_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Passages ---- */

char *id_text(const struct record *record, size_t number, size_t *len)
{
    if (record->id == NULL) {
        char *digits = alloc_text("%zu", number);
        *len = strlen(digits);
        return digits;
    }
    json_t *id = json_loadb(record->id, record->id_len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    const char *text = json_is_string(id) ? json_string_value(id) : record->id;
    *len = json_is_string(id) ? json_string_length(id) : record->id_len;
    char *copy = memcpy(alloc_zeros(*len, 1), text, *len);
    json_decref(id);
    return copy;
}

void passage_free(struct passage *passage)
{
    json_decref(passage->members);
    record_free(&passage->written);
    free(passage->id);
    *passage = (struct passage){0};
}

bool passage_number(const struct passage *passage, const char *key, size_t *number)
{
    const json_t *value = json_object_get(passage->members, key);
    *number = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* Files count rows and lines from their own start, and a hit is of all tokens of a text. */
static bool is_counted(const char *key)
{
    return strcmp(key, "row") == 0 || strcmp(key, "line") == 0 || strcmp(key, "token") == 0;
}

/* Reads the line of a rows file that must be about this row; line is NULL if it is absent. */
static void read_row(const struct vector_file *file, uint64_t row, const char *line, size_t len,
                     struct passage *passage)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t found = 0;
    if (line != NULL) {
        char *text = memcpy(alloc_zeros(len + 1, 1), line, len);
        passage->members = json_input_parse(text, len, reason);
        if (json_is_object(passage->members))
            json_members_keep(passage->members, text, is_counted, &passage->written);
        free(text);
    }
    if (!passage_number(passage, "row", &found) || found != row ||
        !passage_number(passage, "line", &passage->line) || passage->line == 0)
        program_die("line %" PRIu64 " of '%s' is not about row %" PRIu64
                    " (counted from 0) of '%s': the file belongs to other vectors",
                    row + 1, file->rows_path, row, file->path);
}

struct vector_file *collection_file(const struct collection *collection, uint64_t row)
{
    struct vector_file *file = &collection->files[collection->n_files - 1];
    while (file > collection->files && row < file->first_row)
        file--;
    return file;
}

engine_input query_text(const struct item *query)
{
    const engine_input *input = &query->record.input;
    return (engine_input){.text = input->text ? input->text + query->prompt_len : "",
                          .text_len = input->text_len - query->prompt_len};
}

void passage_find(const struct collection *collection, uint64_t row, struct passage *passage)
{
    struct vector_file *file = collection_file(collection, row);
    size_t len = 0;
    row -= file->first_row;
    *passage = (struct passage){.file = file, .line = (size_t)row + 1};
    if (file->has_rows) {
        const char *line = lines_get(&file->rows, (size_t)row + 1, &len);
        read_row(file, row, line, len, passage);
    }
    passage->line += file->first_line;
    passage->id = id_text(&passage->written, passage->line, &passage->id_len);
}

/* ---- Texts ---- */

/* Returns whether the line of TEXTS has the id that the rows file has. */
static bool has_its_id(const struct record *record, const struct passage *passage)
{
    size_t len;
    char *id = id_text(record, passage->line, &len);
    const bool is_same = len == passage->id_len && memcmp(id, passage->id, len) == 0;
    free(id);
    return is_same;
}

void passage_text(const struct collection *collection, const struct passage *passage,
                  struct record *record)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t len, begin, end;
    struct text_file *texts = &collection->texts[collection->n_texts - 1];
    while (texts > collection->texts && passage->line <= texts->first_line)
        texts--;
    const size_t number = passage->line - texts->first_line;
    const char *path = texts->lines.file.path, *vectors = passage->file->path;
    const char *line = lines_get(&texts->lines, number, &len);
    if (line == NULL)
        program_die("'%s' has no line %zu, which a row of '%s' is of: it is not the file that was "
                    "encoded",
                    path, number, vectors);
    const size_t mark_len = number == 1 ? utf8_mark_len(line, len) : 0;
    const char *read_as = origin_option(passage->file, "input"); /* NULL: text */
    const bool is_json = passage->file->origin && collection->checks
                             ? read_as && strcmp(read_as, "jsonl") == 0
                             : texts->is_json;
    engine_input *input = &record->input;
    *record = (struct record){.input = {.text = line + mark_len, .text_len = len - mark_len}};
    if (is_json && !json_input_read(line + mark_len, len - mark_len, record, reason))
        program_die("line %zu of '%s': %s", number, path, reason);
    if (is_json && passage->file->has_rows && !has_its_id(record, passage))
        program_die("line %zu of '%s' has another id than its row in '%s': it is not the file that "
                    "was encoded",
                    number, path, vectors);
    if (!passage_number(passage, "begin", &begin) || !passage_number(passage, "end", &end) ||
        json_is_true(json_object_get(passage->members, "pair")))
        return; /* not a window of the text */
    end = end < input->text_len ? end : input->text_len;
    begin = begin < end ? begin : end;
    input->text += begin;
    input->text_len = end - begin;
}

/* ---- Opening ---- */

/* Opens a file of VECTORS. While encode writes one, or after it was ended, the journal exists, and
 * the files may be of two runs. */
static void open_vector_file(struct vector_file *file, const char *path)
{
    char *journal = alloc_text("%s.journal", path), *origin = alloc_text("%s" OUTPUT_ORIGIN, path);
    *file = (struct vector_file){.path = path, .rows_path = alloc_text("%s" OUTPUT_ROWS, path)};
    const bool is_incomplete = access(journal, F_OK) == 0;
    if (is_incomplete && access(path, F_OK) != 0)
        program_die("'%s' does not exist yet: a run of encode that writes it is incomplete ('%s' "
                    "exists); continue it with encode --resume",
                    path, journal);
    vectors_open(&file->vectors, path);
    file->has_rows = access(file->rows_path, F_OK) == 0 || errno != ENOENT;
    if (is_incomplete)
        program_note("'%s' exists: a run of encode that writes '%s' is incomplete", journal, path);
    if (file->has_rows)
        mapped_open(&file->rows.file, file->rows_path);
    input_remember(origin);
    errno = 0;
    file->origin = json_load_file(origin, 0, NULL);
    if (!file->origin && errno == ENOMEM)
        alloc_die();
    free(journal);
    free(origin);
}

static json_int_t origin_number(const struct vector_file *file, const char *key)
{
    return json_integer_value(json_object_get(file->origin, key));
}

const char *origin_option(const struct vector_file *file, const char *name)
{
    return json_string_value(json_object_get(json_object_get(file->origin, "options"), name));
}

static bool is_of_table(const struct vector_file *file)
{
    const char *input = origin_option(file, "input");
    return input && (strcmp(input, "csv") == 0 || strcmp(input, "tsv") == 0);
}

/* Returns how many lines, or records of a table, a file was encoded from. The origin counts those
 * without a row, too; if it is absent the line of the last row is the last. Checks that the last
 * line of a rows file is about the last row: one of an earlier run has more or fewer. Stores if
 * rows are windows. */
static size_t count_encoded_lines(const struct vector_file *file, bool *has_windows)
{
    const size_t n_rows = file->vectors.n_rows;
    struct passage last = {.line = n_rows};
    size_t len = 0;
    if (file->has_rows) {
        const char *line = lines_last(&file->rows, &len);
        if (n_rows > 0)
            read_row(file, n_rows - 1, line, len, &last);
        else if (line != NULL)
            read_row(file, 0, NULL, 0, &last);
    }
    const size_t last_line = last.line;
    *has_windows = *has_windows || json_object_get(last.members, "window") != NULL;
    passage_free(&last);
    const json_int_t n = origin_number(file, is_of_table(file) ? "texts" : "input_lines");
    const bool is_origin = n > 0 && origin_number(file, "rows") == (json_int_t)n_rows;
    return is_origin && (uint64_t)n > last_line ? (size_t)n : last_line;
}

static void add_file(struct collection *collection, const char *path)
{
    struct vector_file *file = &collection->files[collection->n_files++];
    const struct vectors *its = &file->vectors;
    open_vector_file(file, path);
    const size_t n_lines = count_encoded_lines(file, &collection->has_windows);
    if (file->has_rows)
        vectors_find_texts(&file->vectors, &file->rows.file);
    const struct vectors *first = collection->vectors ? collection->vectors : its;
    const bool is_empty = first->n_rows == 0 || its->n_rows == 0;
    if (first->width != its->width || first->rows.type != its->rows.type ||
        (first->kind != its->kind && !is_empty))
        program_die("'%s' has rows of %s, %zu wide, and '%s' of %s, %zu wide: files that are "
                    "searched together are of one model and type",
                    its->file.path, vectors_kind_name(its), its->width, first->file.path,
                    vectors_kind_name(first), first->width);
    collection->vectors = first->n_rows > 0 ? first : its;
    file->first_row = collection->n_rows;
    file->first_line = collection->n_lines;
    collection->n_rows += its->n_rows;
    collection->n_lines += n_lines;
    collection->has_rows = collection->has_rows || file->has_rows;
}

/* Opens a file of TEXTS after n_lines of others; returns their number with its own. Without an
 * origin JSON lines are recognised by the name, or by a first line that is an object. */
static size_t open_texts(struct text_file *texts, const char *path, size_t n_lines)
{
    const struct mapped *file = &texts->lines.file;
    const char *format;
    mapped_open(&texts->lines.file, path);
    const char *converter = utf8_converter(file->data, file->len, &format);
    if (converter)
        program_die("'%s' is %s, and texts are UTF-8: convert it with %s", path, format, converter);
    texts->is_json = path_ends_in(path, ".jsonl") ||
                     (file->len > 1 && file->data[0] == '{' && file->data[1] == '"');
    texts->first_line = n_lines;
    return n_lines + lines_count(&texts->lines);
}

/* Checks that TEXTS have as many lines as were encoded. Without an origin the lines after the last
 * row of a file with a rows file are not known, and encode skips an empty last line of JSON. */
static void check_text_lines(const struct collection *collection, size_t n_lines)
{
    const struct text_file *last = &collection->texts[collection->n_texts - 1];
    const char *others = collection->n_texts > 1 ? " with the texts before it" : "";
    size_t len = 1;
    if (last->is_json)
        lines_last(&last->lines, &len);
    const size_t least = n_lines - (n_lines > 0 && len == 0);
    if (n_lines < collection->n_lines || (least > collection->n_lines && !collection->has_rows))
        program_die("'%s'%s has %zu line%s, and '%s'%s was made of %s%zu: it is not the file that "
                    "was encoded",
                    last->lines.file.path, others, least, plural(least),
                    collection->files[collection->n_files - 1].path,
                    collection->n_files > 1 ? " with the files before it" : "",
                    collection->has_rows ? "at least " : "", collection->n_lines);
}

void collection_open(struct collection *collection, const struct search_options *options)
{
    const size_t n = options->n_vectors, n_texts = options->n_texts;
    size_t n_lines = 0;
    *collection = (struct collection){.files = alloc_zeros(n, sizeof *collection->files),
                                      .texts = alloc_zeros(n_texts, sizeof *collection->texts),
                                      .checks = !options->no_check};
    for (size_t i = 0; i < n; i++) {
        add_file(collection, options->vectors[i]);
        if (n_texts > 0 && collection->checks && is_of_table(&collection->files[i]))
            program_die("'%s' was encoded from a table, which is not read here: search without "
                        "TEXTS; ids are numbers of records (--hybrid: after encode --words)",
                        options->vectors[i]);
    }
    for (size_t i = 0; i < n_texts; i++)
        n_lines = open_texts(&collection->texts[i], options->texts[i], n_lines);
    collection->n_texts = n_texts;
    if (n_texts > 0)
        check_text_lines(collection, n_lines);
}

void collection_close(struct collection *collection)
{
    for (size_t i = 0; i < collection->n_files; i++) {
        vectors_close(&collection->files[i].vectors);
        lines_close(&collection->files[i].rows);
        json_decref(collection->files[i].origin);
        free(collection->files[i].rows_path);
        mapped_close(&collection->files[i].words);
        free(collection->files[i].words_path);
    }
    for (size_t i = 0; i < collection->n_texts; i++)
        lines_close(&collection->texts[i].lines);
    free(collection->files);
    free(collection->texts);
    free(collection->indexes);
    free(collection->empty_row);
    *collection = (struct collection){0};
}

/* ---- The origin of VECTORS, which encode wrote beside them ---- */

#define HINT "; encode the texts again, or search anyway with --no-check"

engine_precision origin_precision(const struct vector_file *file)
{
    const char *name = origin_option(file, "precision");
    return name && strcmp(name, "bf16") == 0 ? ENGINE_PRECISION_BF16 : ENGINE_PRECISION_EXACT;
}

/* Compares what rows and queries must have in common; prompts need not be the same. */
static void compare_model(const struct vector_file *file, const struct text_encoder *encoder)
{
    const char *const names[][2] = {{"pooling", encoder_pooling_asked(encoder)},
                                    {"position", engine_position_name(encoder->position)},
                                    {"mask", engine_mask_name(encoder->mask)}};
    const char *const of_rows[] = {"position-base", "frequencies", "position-scale",
                                   "embedding-scale", "no-special"};
    const json_t *name = json_object_get(file->origin, "name");
    const json_int_t model = origin_number(file, "model"), n_rows = origin_number(file, "rows");
    if (model != (json_int_t)encoder->info.checksum)
        program_die("'%s' was encoded by another model: %s (checksum %08X), not '%s' (%08X): name "
                    "it with -m" HINT,
                    file->path, json_is_string(name) ? json_string_value(name) : "",
                    (unsigned)model, encoder->info.path, (unsigned)encoder->info.checksum);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *its = json_string_value(json_object_get(file->origin, names[i][0]));
        if (!its || strcmp(its, names[i][1]) != 0)
            program_die("'%s' was encoded with the %s '%s', and queries have '%s'%s" HINT,
                        file->path, names[i][0], its ? its : "", names[i][1],
                        i == 0 ? ": without -p they have that of the first file" : "");
    }
    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        if (origin_option(file, of_rows[i]))
            program_die("'%s' was encoded with --%s, and queries cannot be" HINT, file->path,
                        of_rows[i]);
    if (origin_precision(file) != encoder->info.precision)
        program_note("'%s' was encoded with another --precision than queries are", file->path);
    if (n_rows != (json_int_t)file->vectors.n_rows)
        program_die("'%s' has %zu rows, and its origin was written for %lld" HINT, file->path,
                    file->vectors.n_rows, (long long)n_rows);
}

/* ---- Without an origin ---- */

/* Returns the cosine of the vector and the row, as a share of the cosine of the vector and itself
 * as a row of that type; 1 if a cosine does not exist. */
static float relative_cosine(const engine_vectors *rows, uint64_t row, const float *vector)
{
    const size_t bytes = engine_row_bytes(rows->type, rows->width);
    char *both = alloc_zeros(2, bytes);
    engine_hit hits[2];
    const engine_search_options options = ENGINE_SEARCH_OPTIONS(.n_threads = 1);
    const engine_vectors two = {both, 2, rows->width, rows->type};
    memcpy(both, (const char *)rows->rows + row * bytes, bytes);
    engine_rows_from_f32(vector, 1, rows->width, rows->type, both + bytes);
    const bool is_scored = engine_search(&two, vector, 1, 2, &options, hits, NULL) == ENGINE_OK;
    free(both);
    const size_t own = is_scored && hits[1].row == 1;
    return is_scored && hits[own].score > 0 ? hits[1 - own].score / hits[own].score : 1;
}

/* Returns whether the model gives nearly the row for its text with a prompt of the file, or without
 * one. True if this cannot be known: the vector of a window is not that of its text alone. */
static bool is_of_its_text(const struct collection *collection, const struct vector_file *file,
                           uint64_t row, struct text_encoder *encoder)
{
    engine_shape own = ENGINE_SHAPE(); /* of -p model */
    engine_shape_of(encoder->model, NULL, &own, NULL);
    const struct prompt prompts[] = {
        encoder->prompt, {"", 0}, encoder->query_prompt, {own.prompt, own.prompt_len}};
    struct passage passage;
    size_t window;
    passage_find(collection, file->first_row + row, &passage);
    bool is_its_own = passage_number(&passage, "window", &window);
    for (size_t i = 0; i < 4 && !is_its_own; i++) {
        struct item item = {.number = 1};
        passage_text(collection, &passage, &item.record);
        if (!item.record.input.ids)
            item_add_prompt(&item, &prompts[i]);
        is_its_own = !encoder_tokenize(encoder, &item) || item.n_dropped > 0 ||
                     item_n_visible(&item) == 0 || encoder_encode(encoder, &item, 1) != 1 ||
                     relative_cosine(&file->vectors.rows, row, item.rows) > 0.98F;
        item_free(&item);
    }
    passage_free(&passage);
    return is_its_own;
}

/* Texts that were sorted or added differ at the first, the middle or the last row. */
static void check_file(const struct collection *collection, const struct vector_file *file,
                       struct text_encoder *encoder)
{
    const bool has_texts = collection->n_texts > 0 && file->vectors.kind == VECTORS_ROWS;
    const size_t n =
        has_texts && !json_object_get(file->origin, "input_bytes") ? file->vectors.n : 0;
    char *path = alloc_text("%s" OUTPUT_ORIGIN, file->path);
    if (file->origin ? !json_is_object(file->origin) : access(path, F_OK) == 0)
        program_die("'%s' is damaged or cannot be read: remove it, or use --no-check", path);
    free(path);
    if (file->origin)
        compare_model(file, encoder);
    for (size_t i = 0; i < 3 && n > 0; i++)
        if (!is_of_its_text(collection, file, i * (n - 1) / 2, encoder))
            program_die("row %zu (counted from 0) of '%s' is not what '%s' gives for its text in "
                        "'%s': another model, "
                        "pooling or prompt, or other texts" HINT,
                        i * (n - 1) / 2, file->path, encoder->info.path,
                        collection->texts->lines.file.path);
}

/* TEXTS one after the other are compared with the inputs of all files, if these are known. */
void origin_check(const struct collection *collection, struct text_encoder *encoder)
{
    uint64_t bytes = 0, texts_bytes = 0;
    uint32_t sum = 0, texts_sum = 0;
    bool are_known = collection->n_texts > 0;
    for (size_t i = 0; i < collection->n_files; i++) {
        const struct vector_file *file = &collection->files[i];
        const uint64_t n = (uint64_t)origin_number(file, "input_bytes");
        check_file(collection, file, encoder);
        are_known = are_known && json_object_get(file->origin, "input_bytes");
        sum = crc32c_join(sum, (uint32_t)origin_number(file, "input_crc32c"), n);
        bytes += n;
    }
    for (size_t i = 0; i < collection->n_texts && are_known; i++) {
        const struct mapped *texts = &collection->texts[i].lines.file;
        texts_sum = crc32c(texts_sum, texts->data, texts->len);
        texts_bytes += texts->len;
    }
    if (are_known && (bytes != texts_bytes || sum != texts_sum))
        program_die("'%s'%s is not the file that '%s'%s was encoded from: its bytes differ" HINT,
                    collection->texts->lines.file.path,
                    collection->n_texts > 1 ? " with the texts after it" : "",
                    collection->files->path,
                    collection->n_files > 1 ? " with the files after it" : "");
}
