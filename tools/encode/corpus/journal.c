/* journal.c - see journal.h. */
#include "tools/encode/corpus/journal.h"

#include "engine/file/crc32c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Settings ---- */

json_t *settings_of_options(const struct option_reading *reading)
{
    json_t *options = json_object();
    for (size_t i = 0; i < reading->n_slots; i++) {
        const struct option_slot *slot = &reading->slots[i];
        if (slot->text && !slot->row->keeps_output)
            json_object_set_new(options, slot->row->name, json_string(slot->text));
    }
    return options;
}

json_t *settings_make(json_t *options, const struct text_encoder *encoder)
{
    const bool ends_at_long = encoder->options.on_long == ENGINE_ON_LONG_ERROR;
    if (!json_object_get(options, "on-long"))
        json_object_set_new(options, "on-long", json_string(ends_at_long ? "error" : "truncate"));
    const char *precision = json_string_value(json_object_get(options, "precision"));
    const bool is_fast =
        precision && strcmp(precision, "fast") == 0; /* it depends on the machine */
    if (is_fast && encoder->info.precision == ENGINE_PRECISION_BF16)
        json_object_set_new(options, "precision", json_string("bf16"));
    else if (is_fast)
        json_object_del(options, "precision");
    return json_pack("{sssIssso}", "encode", engine_version(), "model",
                     (json_int_t)encoder->info.checksum, "kernels", encoder->info.kernels,
                     "options", options);
}

/* Writes "--normalize", "--pooling mean", or "no --pooling". */
static void describe_option(char *out, size_t cap, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    snprintf(out, cap, "%s--%s%s%.100s", text ? "" : "no ", name, text && *text ? " " : "",
             text ? text : "");
}

/* Returns whether a run may continue with another value: with "error" the earlier one would have
 * ended at the first text that it changes. */
static bool may_change(const char *name, const json_t *before, const json_t *now)
{
    const char *from = json_string_value(before), *to = json_string_value(now);
    const bool had_ended = !from || strcmp(from, "error") == 0;
    const bool keeps_others = to && strcmp(to, "chunk") != 0; /* what other texts give stays */
    return had_ended && keeps_others &&
           (strcmp(name, "on-long") == 0 || strcmp(name, "on-error") == 0);
}

/* Compares options that either or both have. */
static bool have_same_options(json_t *before, json_t *now, char *message)
{
    json_t *all = json_copy(before), *value;
    const char *name;
    bool are_same = true;
    json_object_update_missing(all, now);
    json_object_foreach(all, name, value)
    {
        const json_t *was = json_object_get(before, name), *is = json_object_get(now, name);
        char was_text[160], is_text[160];
        if (!are_same || json_equal(was, is) || may_change(name, was, is))
            continue;
        are_same = false;
        describe_option(was_text, sizeof was_text, name, was);
        describe_option(is_text, sizeof is_text, name, is);
        snprintf(message, SETTINGS_MESSAGE_BYTES, "it was started with %s, and now has %s",
                 was_text, is_text);
    }
    json_decref(all);
    return are_same;
}

bool settings_agree(const json_t *before, const json_t *now, char message[SETTINGS_MESSAGE_BYTES])
{
    const char *version = json_string_value(json_object_get(before, "encode"));
    if (!version || strcmp(version, engine_version()) != 0) {
        snprintf(message, SETTINGS_MESSAGE_BYTES, "it is by encode %s, and this is %s",
                 version ? version : "of another kind", engine_version());
        return false;
    }
    if (!json_equal(json_object_get(before, "model"), json_object_get(now, "model"))) {
        snprintf(message, SETTINGS_MESSAGE_BYTES, "it is of another model");
        return false;
    }
    if (!json_equal(json_object_get(before, "kernels"), json_object_get(now, "kernels"))) {
        const char *kernels = json_string_value(json_object_get(before, "kernels"));
        kernels = kernels ? kernels : "other";
        snprintf(message, SETTINGS_MESSAGE_BYTES,
                 "it was started with %s kernels, and these are %s, whose last bits differ: "
                 "continue it %s",
                 kernels, json_string_value(json_object_get(now, "kernels")),
                 strcmp(kernels, "portable") == 0 ? "with ENGINE_ISA=portable"
                                                  : "without ENGINE_ISA, on such a machine");
        return false;
    }
    return have_same_options(json_object_get(before, "options"), json_object_get(now, "options"),
                             message);
}

/* ---- The journal ---- */

/* The counts of a struct progress, in its order. */
static const char *const COUNTS[] = {"lines", "rows", "array_rows", "cut", "repaired", "left_out"};
enum { N_COUNTS = sizeof COUNTS / sizeof COUNTS[0] };
_Static_assert(sizeof(struct progress) == N_COUNTS * sizeof(size_t), "each is written and read");

static json_t *entry_json(const struct journal_entry *entry)
{
    json_t *object =
        json_pack("{sIsI}", "bytes", (json_int_t)entry->bytes, "sum", (json_int_t)entry->sum);
    json_t *files = json_array();
    size_t counts[N_COUNTS];
    memcpy(counts, &entry->progress, sizeof counts);
    for (size_t i = 0; i < N_COUNTS; i++)
        json_object_set_new(object, COUNTS[i], json_integer((json_int_t)counts[i]));
    for (size_t i = 0; i < OUTPUT_MOST_PARTS; i++)
        json_array_append_new(files, json_pack("[II]", (json_int_t)entry->files[i].bytes,
                                               (json_int_t)entry->files[i].sum));
    json_object_set_new(object, "files", files);
    json_object_set_new(object, "finished", json_boolean(entry->is_finished));
    return object;
}

/* Returns a number, 0 if it is absent. One of another type, or below 0, makes *is_good false. */
static uint64_t read_number(const json_t *value, bool *is_good)
{
    *is_good = *is_good && (!value || (json_is_integer(value) && json_integer_value(value) >= 0));
    return (uint64_t)json_integer_value(value);
}

/* Returns false if a member is of another type than entry_json writes. */
static bool read_entry(const json_t *object, struct journal_entry *entry)
{
    const json_t *files = json_object_get(object, "files"),
                 *finished = json_object_get(object, "finished");
    size_t counts[N_COUNTS];
    bool is_good = json_is_array(files) && (!finished || json_is_boolean(finished));
    *entry = (struct journal_entry){
        .bytes = read_number(json_object_get(object, "bytes"), &is_good),
        .sum = (uint32_t)read_number(json_object_get(object, "sum"), &is_good),
        .is_finished = json_is_true(finished),
    };
    for (size_t i = 0; i < N_COUNTS; i++)
        counts[i] = (size_t)read_number(json_object_get(object, COUNTS[i]), &is_good);
    memcpy(&entry->progress, counts, sizeof counts);
    for (size_t i = 0; i < OUTPUT_MOST_PARTS && i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        is_good = is_good && json_is_array(file);
        entry->files[i].bytes = read_number(json_array_get(file, 0), &is_good);
        entry->files[i].sum = (uint32_t)read_number(json_array_get(file, 1), &is_good);
    }
    return is_good;
}

void journal_find(struct journal *journal, const char *output_path)
{
    struct stat file;
    *journal = (struct journal){.path = alloc_text("%s.journal", output_path)};
    if (stat(journal->path, &file) != 0 && errno == ENOENT)
        return;
    FILE *stream = fopen(journal->path, "re");
    if (!stream)
        program_die("cannot open '%s': %s", journal->path, strerror(errno));
    if (fstat(fileno(stream), &file) == 0 && S_ISREG(file.st_mode))
        journal->settings = json_loadf(stream, 0, NULL);
    fclose(stream);
    if (!read_entry(journal->settings, &journal->last))
        program_die("'%s' is not a journal of encode: remove it, or name another output",
                    journal->path);
}

bool journal_write(struct journal *journal, const json_t *settings,
                   const struct journal_entry *entry)
{
    engine_error error;
    struct output_file *file;
    json_t *object = json_copy((json_t *)settings), *numbers = entry_json(entry);
    json_object_update(object, numbers);
    json_decref(numbers);
    bool is_good = output_file_open(journal->path, OUTPUT_STREAM, &file, &error) == ENGINE_OK;
    if (is_good) {
        json_dumpf(object, output_file_stream(file), JSON_PRESERVE_ORDER);
        putc('\n', output_file_stream(file));
        is_good = output_file_finish(file) == ENGINE_OK;
    }
    json_decref(is_good ? journal->settings : object);
    if (!is_good)
        return program_refuse("%s", error.message);
    journal->settings = object;
    journal->last = *entry;
    return true;
}

void journal_remove(struct journal *journal)
{
    if (journal->settings) {
        unlink(journal->path);
        output_file_sync_folder(journal->path);
    }
    json_decref(journal->settings);
    journal->settings = NULL;
    journal->last = (struct journal_entry){0};
}

void journal_free(struct journal *journal)
{
    json_decref(journal->settings);
    free(journal->path);
}

bool file_sum(int fd, off_t from, off_t end, uint32_t *sum)
{
    static char bytes[256 << 10];
    while (from < end) {
        const size_t most = end - from < (off_t)sizeof bytes ? (size_t)(end - from) : sizeof bytes;
        const ssize_t n = pread(fd, bytes, most, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        *sum = crc32c(*sum, bytes, (size_t)n);
        from += n;
    }
    return true;
}

/* ---- The origin ---- */

void origin_write(FILE *stream, const struct job *job)
{
    const struct text_encoder *encoder = job->encoder;
    const struct line_reader *lines = &job->reader.lines;
    json_t *origin = json_copy(job->options->settings);
    json_object_update_new(
        origin,
        json_pack("{ssssssssss%sIsIsI}", "name", path_name(encoder->info.path), "pooling",
                  encoder_pooling_asked(encoder), "position",
                  engine_position_name(encoder->position), "mask", engine_mask_name(encoder->mask),
                  "prompt", encoder->prompt.text ? encoder->prompt.text : "", encoder->prompt.len,
                  "dimensions", (json_int_t)encoder->width, "rows", (json_int_t)job->progress.rows,
                  "texts", (json_int_t)job->progress.lines));
    if (job->options->request.n_texts == 0)
        json_object_update_new(origin,
                               json_pack("{sIsIsI}", "input_lines", (json_int_t)lines->n_lines,
                                         "input_bytes", (json_int_t)lines->place.bytes,
                                         "input_crc32c", (json_int_t)lines->place.sum));
    json_dumpf(origin, stream, JSON_PRESERVE_ORDER | JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(origin);
}

bool origin_is_of(const struct job *job)
{
    const char *output_path = job->options->output_path;
    char *path = alloc_text("%s" OUTPUT_ORIGIN, output_path);
    char message[SETTINGS_MESSAGE_BYTES] = "the input is another one";
    json_t *origin = access(output_path, F_OK) == 0 ? json_load_file(path, 0, NULL) : NULL;
    const bool is_there = json_is_object(origin);
    const json_t *bytes = json_object_get(origin, "input_bytes");
    const json_t *sum = json_object_get(origin, "input_crc32c");
    bool is_same = is_there && settings_agree(origin, job->options->settings, message);
    if (is_same) {
        struct reader reader;
        reader_open(&reader, &job->options->request);
        reader.lines.has_sum = true;
        is_same = reader_skip_lines(&reader, UINT64_MAX) == LINE_END &&
                  json_integer_value(bytes) == (json_int_t)reader.place.bytes &&
                  json_integer_value(sum) == (json_int_t)reader.place.sum;
        reader_free(&reader);
    }
    if (is_there && !is_same) /* of a pipe what was read is gone */
        program_die("'%s' is complete, but %s: start over with --restart", output_path, message);
    if (is_there)
        program_note("'%s' is complete", output_path);
    json_decref(origin);
    free(path);
    return is_there;
}
