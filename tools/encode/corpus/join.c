/* join.c - see join.h. Parts are copied one after the other and summed on the way; what numbers
 * lines and rows from the start of a part is given the numbers of the whole. */
#include "tools/encode/corpus/join.h"

#include "engine/file/crc32c.h"
#include "tools/common/alloc.h"
#include "tools/encode/corpus/settings.h"
#include "tools/encode/corpus/shard.h"
#include "tools/encode/print/printer.h"
#include "tools/encode/rows_file.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

struct join {
    const char *path; /* of the whole */
    json_t **marks;   /* [of] */
    size_t of;
    bool is_npy;
    struct output output;
    struct rows_file rows;
    FILE *report;
    char header[NPY_HEADER_BYTES];
    size_t n_lines, n_array_rows; /* of the parts that are joined */
};

/* ---- Which parts there are ---- */

/* The shard of a name such as "out.npy.3-of-8.done"; .of 0: it is none of the output. */
static struct shard_number number_in_name(const char *name, const char *output_name)
{
    struct shard_number number = {0, 0};
    const size_t len = strlen(output_name);
    int end = 0;
    if (strncmp(name, output_name, len) == 0 &&
        sscanf(name + len, ".%zu-of-%zu%n", &number.index, &number.of, &end) == 2 &&
        strcmp(name + len + end, ".done") == 0 && number.index >= 1 && number.index <= number.of)
        return number;
    return (struct shard_number){0, 0};
}

/* Into how many shards the output is split, by the marks beside it. */
static void find_split(struct join *join)
{
    char *copy = alloc_text("%s", join->path);
    const char *name = path_name(join->path);
    DIR *folder = opendir(dirname(copy));
    const struct dirent *entry;
    if (!folder)
        program_die("cannot look for the parts of '%s': %s", join->path, strerror(errno));
    while ((entry = readdir(folder)) != NULL) {
        const struct shard_number number = number_in_name(entry->d_name, name);
        if (number.of && join->of && join->of != number.of)
            program_die("'%s' has parts of %zu and of %zu shards: remove those of one", join->path,
                        join->of, number.of);
        if (number.of)
            join->of = number.of;
    }
    closedir(folder);
    free(copy);
    if (join->of == 0)
        program_die("'%s' has no complete parts: those of --shard I/N are '%s.I-of-N', with a mark "
                    "'%s.I-of-N.done'",
                    join->path, join->path, join->path);
}

/* "3, 7, 8"; of many the first. */
_Noreturn static void refuse_missing(const struct join *join, size_t n_missing)
{
    char list[512] = "";
    size_t len = 0;
    for (size_t i = 0; i < join->of && len < sizeof list - 40; i++)
        if (!join->marks[i])
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%zu", len ? ", " : "", i + 1);
    program_die("'%s' lacks %zu of %zu shards, which are not complete: %s%s", join->path, n_missing,
                join->of, list, len < sizeof list - 40 ? "" : " ...");
}

static void read_marks(struct join *join)
{
    size_t n_missing = 0;
    join->marks = alloc_zeros(join->of, sizeof(json_t *));
    for (size_t i = 0; i < join->of; i++) {
        join->marks[i] = shard_read_mark(join->path, (struct shard_number){i + 1, join->of});
        n_missing += !join->marks[i];
    }
    if (n_missing > 0)
        refuse_missing(join, n_missing);
}

/* All parts are of one model and command, and each begins where the one before it ends. Where one
 * ended at a text until --on-long or --on-error came, the others may have been complete before. */
static void check_marks(const struct join *join)
{
    size_t latest = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < join->of; i++) {
        char message[SETTINGS_MESSAGE_BYTES], other[SETTINGS_MESSAGE_BYTES];
        if (settings_agree(join->marks[latest], join->marks[i], message))
            latest = i;
        else if (!settings_agree(join->marks[i], join->marks[latest], other))
            program_die("shards %zu and %zu of '%s' do not go together: %s", latest + 1, i + 1,
                        join->path, message);
        if (journal_number(join->marks[i], "begin") != end)
            program_die("shards %zu and %zu of '%s' are of different inputs", i, i + 1, join->path);
        end = journal_number(join->marks[i], "end");
    }
    if (end != journal_number(json_object_get(join->marks[0], "shards"), "input_size"))
        program_die("the shards of '%s' end before their input does", join->path);
}

/* ---- One file of a part ---- */

struct part_file {
    char *path;
    const char *ending; /* of the path, behind the shard's name */
    FILE *stream;
    uint64_t bytes, n_read;
    uint32_t sum, sum_read;
};

/* False: the part has no such file. */
static bool open_file(const struct join *join, size_t i, const char *ending, struct part_file *file)
{
    const json_t *entry;
    size_t k;
    json_array_foreach(json_object_get(join->marks[i], "files"), k, entry)
    {
        const char *its = json_string_value(json_object_get(entry, "ending"));
        if (!its || strcmp(its, ending) != 0)
            continue;
        *file = (struct part_file){
            .path = shard_path(join->path, (struct shard_number){i + 1, join->of}, ending),
            .ending = ending,
            .bytes = journal_number(entry, "bytes"),
            .sum = (uint32_t)journal_number(entry, "crc32c"),
        };
        file->stream = fopen(file->path, "re");
        if (!file->stream)
            program_die("cannot read '%s': %s", file->path, strerror(errno));
        return true;
    }
    return false;
}

static void count(struct part_file *file, const void *bytes, size_t n)
{
    file->sum_read = crc32c(file->sum_read, bytes, n);
    file->n_read += n;
}

static void close_file(struct part_file *file)
{
    if (ferror(file->stream))
        program_die("cannot read '%s': %s", file->path, strerror(errno));
    if (file->n_read != file->bytes || file->sum_read != file->sum)
        program_die("'%s' is damaged: it is not what its mark says; remove '%.*s.done' and run its "
                    "shard again",
                    file->path, (int)(strlen(file->path) - strlen(file->ending)), file->path);
    fclose(file->stream);
    free(file->path);
}

/* A write that fails is told when the output ends. */
static void copy_rest(struct part_file *file, FILE *out)
{
    static char bytes[256 << 10];
    size_t n;
    while ((n = fread(bytes, 1, sizeof bytes, file->stream)) > 0) {
        count(file, bytes, n);
        fwrite(bytes, 1, n, out);
    }
}

/* ---- Vectors ---- */

/* Where the header tells the number of rows; NULL: nowhere. */
static char *find_rows(char header[NPY_HEADER_BYTES])
{
    static const char before[] = "'shape': (";
    char *shape = memmem(header, NPY_HEADER_BYTES, before, strlen(before));
    return shape ? shape + strlen(before) : NULL;
}

/* Makes it the header of so many rows, and returns of how many it was. What is behind the number
 * moves, and blanks fill up. */
static size_t change_rows(char header[NPY_HEADER_BYTES], size_t n_rows)
{
    char text[2 * NPY_HEADER_BYTES], *number = find_rows(header), *end = NULL;
    char *brace = memrchr(header, '}', NPY_HEADER_BYTES);
    if (!number || !brace || brace < number)
        return 0;
    const size_t before = (size_t)strtoull(number, &end, 10);
    const size_t room = (size_t)(header + NPY_HEADER_BYTES - 1 - number);
    snprintf(text, sizeof text, "%zu%.*s%*s", n_rows, (int)(brace + 1 - end), end, NPY_HEADER_BYTES,
             "");
    memcpy(number, text, room);
    return before;
}

/* Of the first part it is the whole's, as yet without rows. */
static void take_header(struct join *join, struct part_file *file, bool is_first)
{
    char header[NPY_HEADER_BYTES];
    if (fread(header, 1, sizeof header, file->stream) != sizeof header)
        program_die("'%s' is damaged: it ends in its header", file->path);
    count(file, header, sizeof header);
    join->n_array_rows += change_rows(header, 0);
    if (is_first) {
        memcpy(join->header, header, sizeof header);
        fwrite(header, 1, sizeof header, join->output.stream);
    }
    if (memcmp(join->header, header, sizeof header) != 0)
        program_die("'%s' has rows of another kind than the first part", file->path);
}

static void join_vectors(struct join *join, size_t i)
{
    struct part_file file;
    if (!open_file(join, i, "", &file))
        program_die("the mark of shard %zu of '%s' tells of no output", i + 1, join->path);
    if (join->is_npy)
        take_header(join, &file, i == 0);
    copy_rest(&file, join->output.stream);
    close_file(&file);
}

/* ---- What numbers lines ---- */

/* Copies the lines of a file of the part, each of which `add` is given. False: there is none. */
static bool join_lines(struct join *join, size_t i, const char *ending,
                       bool (*add)(struct join *join, const char *line))
{
    struct part_file file;
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    if (!open_file(join, i, ending, &file))
        return false;
    while ((len = getline(&line, &cap, file.stream)) > 0) {
        count(&file, line, (size_t)len);
        if (!add(join, line))
            program_die("'%s' is damaged: it has the line %s", file.path, line);
    }
    free(line);
    close_file(&file);
    return true;
}

static bool add_row(struct join *join, const char *text)
{
    size_t line;
    int end = 0;
    if (sscanf(text, "{\"row\": %*u, \"line\": %zu%n", &line, &end) != 1)
        return false;
    rows_file_add_rest(&join->rows, join->n_lines + line, text + end);
    return true;
}

static bool add_left_out(struct join *join, const char *text)
{
    size_t line;
    int end = 0;
    if (sscanf(text, "{\"line\": %zu%n", &line, &end) != 1)
        return false;
    fprintf(join->report, "{\"line\": %zu%s", join->n_lines + line, text + end);
    return true;
}

/* A part whose rows are its lines, one by one, has no file that says so. */
static void join_rows(struct join *join, size_t i)
{
    const size_t n_rows = (size_t)journal_number(join->marks[i], "rows");
    if (!join_lines(join, i, OUTPUT_ROWS, add_row))
        for (size_t row = 1; row <= n_rows; row++)
            rows_file_add_line(&join->rows, join->n_lines + row);
}

/* ---- All of them ---- */

/* False: the output cannot be written. */
static bool join_parts(struct join *join)
{
    for (size_t i = 0; i < join->of; i++) {
        join_vectors(join, i);
        if (join->is_npy)
            join_rows(join, i);
        join_lines(join, i, OUTPUT_LEFT_OUT, add_left_out);
        join->n_lines += (size_t)journal_number(join->marks[i], "lines");
        if (!output_check(&join->output, false))
            return false;
    }
    if (join->is_npy && fseeko(join->output.stream, 0, SEEK_SET) == 0) {
        change_rows(join->header, join->n_array_rows);
        fwrite(join->header, 1, sizeof join->header, join->output.stream);
    }
    return true;
}

static int write_whole(struct join *join)
{
    const json_t *options = json_object_get(join->marks[0], "options");
    const char *format = json_string_value(json_object_get(options, "format"));
    join->is_npy = format && strcmp(format, "npy") == 0;
    output_open(&join->output, join->path, OUTPUT_STREAM);
    if (join->is_npy)
        join->rows.json.stream = output_beside(&join->output, join->path, OUTPUT_ROWS);
    join->report = output_beside(&join->output, join->path, OUTPUT_LEFT_OUT);
    return output_end(&join->output, join_parts(join) ? PROGRAM_DONE : PROGRAM_FAILED);
}

int join_shards(const char *output_path)
{
    struct join join = {.path = output_path};
    find_split(&join);
    read_marks(&join);
    check_marks(&join);
    const int code = write_whole(&join);
    for (size_t i = 0; i < join.of; i++)
        json_decref(join.marks[i]);
    free(join.marks);
    return code;
}
