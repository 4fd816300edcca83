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

static bool is_row(const char *key)
{
    return strcmp(key, "row") == 0;
}

_Noreturn static void refuse_row(const struct places *places, uint64_t row)
{
    program_die("'%s' does not tell of row %" PRIu64 " of '%s' in its line %" PRIu64
                ": it belongs to other vectors",
                places->rows.file.path, row, places->vectors, row + 1);
}

/* line NULL: the rows file has no such line. */
static void read_members(const struct places *places, uint64_t row, const char *line, size_t len,
                         struct place *place)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t found;
    if (line == NULL)
        refuse_row(places, row);
    char *text = memcpy(alloc_zeros(len + 1, 1), line, len);
    place->members = json_input_parse(text, len, reason);
    if (json_is_object(place->members))
        json_members_keep(place->members, text, is_row, &place->written);
    free(text);
    if (!place_number(place, "row", &found) || found != row ||
        !place_number(place, "line", &place->line) || place->line == 0)
        refuse_row(places, row);
}

void places_find(struct places *places, uint64_t row, struct place *place)
{
    size_t len = 0;
    *place = (struct place){.line = (size_t)row + 1};
    if (places->has_rows) {
        const char *line = lines_get(&places->rows, (size_t)row + 1, &len);
        read_members(places, row, line, len, place);
    }
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

void places_text(struct places *places, const struct place *place, struct record *record)
{
    char reason[JSON_MESSAGE_BYTES];
    size_t len;
    const char *path = places->texts.file.path;
    const char *line = lines_get(&places->texts, place->line, &len);
    if (line == NULL)
        program_die("'%s' has no line %zu, of which a row of '%s' is: it is not the file that was "
                    "encoded",
                    path, place->line, places->vectors);
    const size_t mark_len = place->line == 1 ? utf8_mark_len(line, len) : 0;
    line += mark_len;
    len -= mark_len;
    *record = (struct record){.input = {.text = line, .text_len = len}};
    if (places->has_json_texts && !json_input_read(line, len, record, reason))
        program_die("line %zu of '%s': %s", place->line, path, reason);
    if (places->has_json_texts && places->has_rows && !has_its_id(record, place))
        program_die("line %zu of '%s' has another id than its row in '%s': it is not the file that "
                    "was encoded",
                    place->line, path, places->vectors);
    cut_to_window(place, &record->input);
}

/* ---- Opening ---- */

/* A rows file of an earlier run tells of another number of rows. Returns the line of the last. */
static size_t check_rows(const struct places *places, size_t n_rows)
{
    struct place place = {0};
    size_t len = 0;
    const char *line = lines_last(&places->rows, &len);
    if (n_rows > 0)
        read_members(places, n_rows - 1, line, len, &place);
    else if (line != NULL)
        refuse_row(places, 0);
    const size_t last_line = place.line;
    place_free(&place);
    return last_line;
}

/* Where rows are lines there are as many of both; else some of the lines may have no row. */
static void check_texts(struct places *places, size_t last_line)
{
    size_t len = 1, n_lines = lines_count(&places->texts);
    if (places->has_json_texts)
        lines_last(&places->texts, &len);
    n_lines -= n_lines > 0 && len == 0; /* an empty last line is none for encode --input jsonl */
    if (n_lines < last_line || (n_lines > last_line && !places->has_rows))
        program_die("'%s' has %zu line%s, and '%s' was made of %s%zu: it is not the file that was "
                    "encoded",
                    places->texts.file.path, n_lines, plural(n_lines), places->vectors,
                    places->has_rows ? "at least " : "", last_line);
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

/* JSON lines are told by the name, or by a first line that is an object. */
static bool are_json(const struct lines *texts)
{
    const struct mapped *file = &texts->file;
    return path_ends_in(file->path, ".jsonl") ||
           (file->len > 1 && file->data[0] == '{' && file->data[1] == '"');
}

void places_open(struct places *places, const char *vectors, size_t n_rows, const char *texts)
{
    char *path = alloc_text("%s" OUTPUT_ROWS, vectors);
    size_t last_line = n_rows;
    *places = (struct places){.vectors = vectors, .rows_path = path};
    places->has_rows = access(path, F_OK) == 0 || errno != ENOENT;
    note_journal(vectors);
    if (places->has_rows) {
        lines_open(&places->rows, path);
        last_line = check_rows(places, n_rows);
    }
    if (texts == NULL)
        return;
    lines_open(&places->texts, texts);
    places->has_texts = true;
    places->has_json_texts = are_json(&places->texts);
    check_texts(places, last_line);
}

void places_close(struct places *places)
{
    lines_close(&places->rows);
    lines_close(&places->texts);
    free(places->rows_path);
    *places = (struct places){0};
}
