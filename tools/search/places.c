/* places.c - see places.h. Lines are looked up when a hit is of them. */
#include "tools/search/places.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/utf8.h"
#include "tools/common/texts/json_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Rows ---- */

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

void place_free(struct place *place)
{
    json_decref(place->members);
    record_free(&place->written);
    free(place->id);
    *place = (struct place){0};
}

bool place_number(const struct place *place, const char *key, size_t *number)
{
    const json_t *value = json_object_get(place->members, key);
    *number = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* Files count rows and lines from their own start, and a hit is of all tokens of a text. */
static bool is_counted(const char *key)
{
    return strcmp(key, "row") == 0 || strcmp(key, "line") == 0 || strcmp(key, "token") == 0;
}

_Noreturn static void row_die(const struct vector_file *file, uint64_t row)
{
    program_die("line %" PRIu64 " of '%s' is not about row %" PRIu64
                " of '%s': the file belongs to other vectors",
                row + 1, file->rows_path, row, file->path);
}

/* Reads what the rows file says of a row of its file; line NULL: the file has no such line. */
static void read_members(const struct vector_file *file, uint64_t row, const char *line, size_t len,
                         struct place *place)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t found;
    if (line == NULL)
        row_die(file, row);
    char *text = memcpy(alloc_zeros(len + 1, 1), line, len);
    place->members = json_input_parse(text, len, reason);
    if (json_is_object(place->members))
        json_members_keep(place->members, text, is_counted, &place->written);
    free(text);
    if (!place_number(place, "row", &found) || found != row ||
        !place_number(place, "line", &place->line) || place->line == 0)
        row_die(file, row);
}

static struct vector_file *file_of(const struct places *places, uint64_t row)
{
    size_t i = places->n_files - 1;
    while (i > 0 && row < places->files[i].first_row)
        i--;
    return &places->files[i];
}

void places_find(const struct places *places, uint64_t row, struct place *place)
{
    size_t len = 0;
    struct vector_file *file = file_of(places, row);
    row -= file->first_row;
    *place = (struct place){.file = file, .line = (size_t)row + 1};
    if (file->has_rows) {
        const char *line = lines_get(&file->rows, (size_t)row + 1, &len);
        read_members(file, row, line, len, place);
    }
    place->line += file->first_line;
    place->id = id_text(&place->written, place->line, &place->id_len);
}

/* ---- Texts ---- */

static void cut_to_window(const struct place *place, engine_input *input)
{
    size_t begin, end;
    const bool in_pair = json_is_true(json_object_get(place->members, "pair"));
    if (!place_number(place, "begin", &begin) || !place_number(place, "end", &end) || in_pair)
        return;
    end = end < input->text_len ? end : input->text_len;
    begin = begin < end ? begin : end;
    input->text += begin;
    input->text_len = end - begin;
}

/* False: the line has another id than the row's, or none. */
static bool has_its_id(const struct record *record, const struct place *place)
{
    size_t len;
    char *id = id_text(record, place->line, &len);
    const bool is_same = len == place->id_len && memcmp(id, place->id, len) == 0;
    free(id);
    return is_same;
}

static struct text_file *text_file_of(const struct places *places, size_t line)
{
    size_t i = places->n_texts - 1;
    while (i > 0 && line <= places->texts[i].first_line)
        i--;
    return &places->texts[i];
}

void places_text(const struct places *places, const struct place *place, struct record *record)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t len;
    struct text_file *texts = text_file_of(places, place->line);
    const size_t number = place->line - texts->first_line;
    const char *path = texts->lines.file.path, *vectors = place->file->path;
    const char *line = lines_get(&texts->lines, number, &len);
    if (line == NULL)
        program_die("'%s' has no line %zu, of which a row of '%s' is: it is not the file that was "
                    "encoded",
                    path, number, vectors);
    const size_t mark_len = number == 1 ? utf8_mark_len(line, len) : 0;
    line += mark_len;
    len -= mark_len;
    *record = (struct record){.input = {.text = line, .text_len = len}};
    if (texts->is_json && !json_input_read(line, len, record, reason))
        program_die("line %zu of '%s': %s", number, path, reason);
    if (texts->is_json && place->file->has_rows && !has_its_id(record, place))
        program_die("line %zu of '%s' has another id than its row in '%s': it is not the file that "
                    "was encoded",
                    number, path, vectors);
    cut_to_window(place, &record->input);
}

/* ---- Opening ---- */

/* A rows file of an earlier run tells of another number of rows. Returns the line of the last. */
static size_t check_rows(const struct vector_file *file)
{
    struct place place = {0};
    size_t len = 0;
    const char *line = lines_last(&file->rows, &len);
    if (file->vectors.n_rows > 0)
        read_members(file, file->vectors.n_rows - 1, line, len, &place);
    else if (line != NULL)
        row_die(file, 0);
    const size_t last_line = place.line;
    place_free(&place);
    return last_line;
}

/* While it goes on, or where it was ended, the files may be of two runs. */
static void note_journal(const char *vectors)
{
    char *path = alloc_text("%s.journal", vectors);
    if (access(path, F_OK) == 0)
        program_note("'%s' is there: a run of encode that writes '%s' has not come to its end",
                     path, vectors);
    free(path);
}

static json_t *read_origin(const char *vectors)
{
    char *path = alloc_text("%s" OUTPUT_ORIGIN, vectors);
    errno = 0;
    json_t *origin = json_load_file(path, 0, NULL);
    if (!origin && errno == ENOMEM)
        alloc_die();
    free(path);
    return origin;
}

/* The origin counts lines without a row, too; without one the last row's line is the last. */
static size_t count_lines(const struct vector_file *file, size_t last_line)
{
    const json_t *lines = json_object_get(file->origin, "input_lines");
    const json_t *rows = json_object_get(file->origin, "rows");
    const size_t n = (size_t)json_integer_value(lines);
    return json_integer_value(rows) == (json_int_t)file->vectors.n_rows && n > last_line
               ? n
               : last_line;
}

static void check_alike(struct places *places, const struct vectors *its)
{
    const struct vectors *first = places->vectors ? places->vectors : its;
    if (!vectors_are_alike(first, its))
        program_die("'%s' has rows of %s, %zu wide, and '%s' of %s, %zu wide: files that are "
                    "searched together are of one model and type",
                    its->file.path, vectors_kind_name(its), its->width, first->file.path,
                    vectors_kind_name(first), first->width);
    places->vectors = first->n_rows > 0 ? first : its;
}

static void open_vectors(struct places *places, const char *path)
{
    struct vector_file *file = &places->files[places->n_files++];
    *file = (struct vector_file){.path = path, .rows_path = alloc_text("%s" OUTPUT_ROWS, path)};
    vectors_open(&file->vectors, path);
    size_t last_line = file->vectors.n_rows;
    file->has_rows = access(file->rows_path, F_OK) == 0 || errno != ENOENT;
    note_journal(path);
    if (file->has_rows) {
        lines_open(&file->rows, file->rows_path);
        last_line = check_rows(file);
        vectors_find_texts(&file->vectors, &file->rows.file);
    }
    check_alike(places, &file->vectors);
    file->origin = read_origin(path);
    file->n_lines = count_lines(file, last_line);
    file->first_row = places->n_rows;
    file->first_line = places->n_lines;
    places->n_rows += file->vectors.n_rows;
    places->n_lines += file->n_lines;
    places->has_rows = places->has_rows || file->has_rows;
}

/* JSON lines are told by the name, or by a first line that is an object. */
static bool are_json(const struct mapped *file)
{
    return path_ends_in(file->path, ".jsonl") ||
           (file->len > 1 && file->data[0] == '{' && file->data[1] == '"');
}

/* Opens TEXTS, and returns how many lines they have. */
static size_t open_texts(struct places *places, char *const *paths, size_t n_texts)
{
    size_t n_lines = 0;
    places->texts = alloc_zeros(n_texts, sizeof *places->texts);
    for (; places->n_texts < n_texts; places->n_texts++) {
        struct text_file *texts = &places->texts[places->n_texts];
        lines_open(&texts->lines, paths[places->n_texts]);
        const struct mapped *file = &texts->lines.file;
        const char *format, *converter = utf8_converter(file->data, file->len, &format);
        if (converter)
            program_die("'%s' is %s, and texts are UTF-8: convert it with %s", file->path, format,
                        converter);
        texts->is_json = are_json(file);
        texts->first_line = n_lines;
        n_lines += lines_count(&texts->lines);
    }
    return n_lines;
}

/* There are as many lines as were encoded. Without an origin the lines after the last row of a file
 * with a rows file are not known, and an empty last line of JSON is none for encode. */
static void check_texts(const struct places *places, size_t n_lines)
{
    const struct text_file *last = &places->texts[places->n_texts - 1];
    const char *others = places->n_texts > 1 ? " and the texts before it" : "";
    size_t len = 1;
    if (last->is_json)
        lines_last(&last->lines, &len);
    const size_t least = n_lines - (n_lines > 0 && len == 0);
    if (n_lines < places->n_lines || (least > places->n_lines && !places->has_rows))
        program_die("'%s'%s has %zu line%s, and '%s'%s was made of %s%zu: it is not the file that "
                    "was encoded",
                    last->lines.file.path, others, least, plural(least),
                    places->files[places->n_files - 1].path,
                    places->n_files > 1 ? " with the files before it" : "",
                    places->has_rows ? "at least " : "", places->n_lines);
}

void places_open(struct places *places, char *const *vectors, size_t n_vectors, char *const *texts,
                 size_t n_texts)
{
    *places = (struct places){.files = alloc_zeros(n_vectors, sizeof *places->files)};
    for (size_t i = 0; i < n_vectors; i++)
        open_vectors(places, vectors[i]);
    if (n_texts > 0)
        check_texts(places, open_texts(places, texts, n_texts));
}

void places_close(struct places *places)
{
    for (size_t i = 0; i < places->n_files; i++) {
        vectors_close(&places->files[i].vectors);
        lines_close(&places->files[i].rows);
        json_decref(places->files[i].origin);
        free(places->files[i].rows_path);
    }
    for (size_t i = 0; i < places->n_texts; i++)
        lines_close(&places->texts[i].lines);
    free(places->files);
    free(places->texts);
    *places = (struct places){0};
}
