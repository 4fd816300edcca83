/* notes.c - notes and progress on stderr; see notes.h. */
#include "tools/encode/notes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double BETWEEN_ON_TERMINAL = 0.2, BETWEEN_LINES = 2; /* seconds */

/* ---- Progress ---- */

static bool is_readable_file(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, R_OK) == 0;
}

/* An ending with something before it: ".txt" alone is a text. */
static bool looks_like_file(const char *text)
{
    static const char *const endings[] = {".txt", ".jsonl", ".json", ".csv", ".tsv"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (text[0] != '\0' && path_ends_in(text + 1, endings[i]))
            return strpbrk(text, " \t\n") == NULL;
    return false;
}

/* The first argument that is the name of a file was perhaps meant as its lines. */
static void note_file_name(const struct request_options *request)
{
    for (size_t i = 0; i < request->n_texts; i++) {
        const char *text = request->texts[i];
        const bool is_file = is_readable_file(text);
        if (!is_file && !looks_like_file(text))
            continue;
        program_note("text %zu %s; `encode ...%s < %s` encodes its lines", i + 1,
                     is_file ? "is the name of a file" : "looks like the name of a file",
                     path_ends_in(text, ".jsonl") ? " --input jsonl" : "", text);
        return;
    }
}

/* Of a file on stdin, what is left of it. */
static uint64_t input_bytes(const struct reader *reader)
{
    struct stat file;
    const off_t at = lseek(reader->lines.fd, 0, SEEK_CUR);
    if (reader->texts || at < 0 || fstat(reader->lines.fd, &file) != 0 || !S_ISREG(file.st_mode))
        return 0;
    return file.st_size > at ? (uint64_t)(file.st_size - at) : 0;
}

void notes_begin(struct notes *notes, const struct job *job)
{
    const struct encode_options *options = job->options;
    *notes = (struct notes){.encoder = job->encoder,
                            .reader = job->reader,
                            .is_kept = options->has_progress,
                            .n_bytes = input_bytes(job->reader)};
    notes->is_terminal = isatty(STDERR_FILENO);
    notes->is_shown = options->has_progress ||
                      (notes->is_terminal && options->request.n_texts == 0 &&
                       !isatty(STDIN_FILENO) && (options->output_path || !isatty(STDOUT_FILENO)));
    notes->start = notes->last = program_seconds();
    note_file_name(&options->request);
}

void notes_go_on(struct notes *notes)
{
    notes->start = notes->last = program_seconds();
    notes->first_byte = notes->reader->place.bytes;
}

static void print_rates(const struct notes *notes, double seconds)
{
    double per_second = seconds > 0 ? 1 / seconds : 0;
    fprintf(stderr, "%zu text%s, %.0f texts/s", notes->n_texts, plural(notes->n_texts),
            (double)notes->n_texts * per_second);
    if (notes->n_tokens > 0)
        fprintf(stderr, ", %.0f tokens/s", (double)notes->n_tokens * per_second);
}

/* The bytes that are left take as long, each, as those that were read took. */
static void print_left(const struct notes *notes, double seconds)
{
    const uint64_t at = notes->reader->place.bytes;
    if (at <= notes->first_byte || at > notes->n_bytes)
        return;
    const double per_byte = seconds / (double)(at - notes->first_byte);
    const double left = per_byte * (double)(notes->n_bytes - at);
    fprintf(stderr, ", %.0f %%, ", 100 * (double)at / (double)notes->n_bytes);
    if (left >= 3600)
        fprintf(stderr, "%.0f h %.0f min left", floor(left / 3600), floor(fmod(left, 3600) / 60));
    else if (left >= 60)
        fprintf(stderr, "%.0f min %.0f s left", floor(left / 60), floor(fmod(left, 60)));
    else
        fprintf(stderr, "%.0f s left", left);
}

void notes_count(struct notes *notes, size_t n_texts, size_t n_tokens)
{
    double now = program_seconds();
    notes->n_texts += n_texts;
    notes->n_tokens += n_tokens;
    if (!notes->is_shown || n_texts == 0 ||
        now - notes->last < (notes->is_terminal ? BETWEEN_ON_TERMINAL : BETWEEN_LINES))
        return;
    notes->last = now;
    fputs(notes->is_terminal ? "\r\033[K" : "encode: ", stderr);
    print_rates(notes, now - notes->start);
    print_left(notes, now - notes->start);
    fputs(notes->is_terminal ? "" : "\n", stderr);
}

void notes_clear(const struct notes *notes)
{
    if (notes->is_shown && notes->is_terminal)
        fputs("\r\033[K", stderr);
}

int notes_fail(const struct notes *notes, const char *message)
{
    notes_clear(notes);
    return program_fail("%s", message);
}

/* Tells how many there were, unless that has been said. */
static void note_count(const struct notes *notes, size_t n, size_t n_named, const char *what)
{
    if (n > n_named)
        program_note("%zu of %zu text%s %s %s", n, notes->n_read, plural(notes->n_read),
                     n == 1 ? "was" : "were", what);
}

void notes_end(const struct notes *notes)
{
    double seconds = program_seconds() - notes->start;
    notes_clear(notes);
    if (notes->is_kept) {
        fputs("encode: ", stderr);
        print_rates(notes, seconds);
        fprintf(stderr, " in %.2f s\n", seconds);
    }
    note_count(notes, notes->n_cut, notes->n_cut_named, "cut");
    note_count(notes, notes->n_repaired, notes->n_repaired_named, "not UTF-8");
    word_notes_end(&notes->words, notes->n_read, "texts");
}

/* ---- What may surprise ---- */

static void note_empty(const struct encoder *encoder, const struct item *item)
{
    const char *result = "";
    if (encoder->request.task == TASK_LABELS && encoder->is_pooled)
        result = ": it has no label";
    else if (encoder->request.task == TASK_RANK)
        result = ": its score is 0";
    else if (encoder->width && encoder->is_pooled)
        result = ": its vector is all zeros";
    program_note("%s has no tokens%s", item_name(item), result);
}

static void note_missing_mask(const struct encoder *encoder, const struct item *item)
{
    size_t len;
    const char *mask = encoder_id_text(encoder, encoder->info.mask_token, &len);
    program_note("%s has no %.*s%s: there is nothing to fill", item_name(item), (int)len, mask,
                 item->n_dropped ? " in the part that was kept (--on-long chunk keeps all)" : "");
}

static void note_padding(const struct encoder *encoder, const struct item *item)
{
    int32_t id = encoder->padding.likely;
    size_t len;
    const char *text = encoder_id_text(encoder, id, &len);
    program_note("%s: its ids begin or end with %d%s%.*s, which counts as a token here; --pad-id "
                 "%d, or a \"mask\", makes it padding",
                 item_name(item), (int)id, len ? ", " : "", (int)(len < 64 ? len : 64), text,
                 (int)id);
}

/* True the first time that it is the case: then the note is due, and its line is free. */
static bool is_first(const struct notes *notes, bool *has_noted, bool is_case)
{
    if (*has_noted || !is_case)
        return false;
    notes_clear(notes);
    return *has_noted = true;
}

static void notes_of_words(struct notes *notes, const struct item *item)
{
    const struct encoder *encoder = notes->encoder;
    char note[WORD_NOTE_BYTES];
    if (!encoder->is_pooled || task_is_tokens(encoder->request.task) ||
        !word_notes_add(&notes->words, encoder, item, note))
        return;
    notes_clear(notes);
    program_note("%s", note);
}

void notes_of(struct notes *notes, const struct item *item)
{
    const struct encoder *encoder = notes->encoder;
    const int32_t likely = encoder->padding.likely;
    const bool is_repaired = item->record.is_repaired && item->window.index == 0;
    notes->n_cut += item->n_dropped > 0 && item->number > 0;
    notes->n_repaired += is_repaired && item->number > 0;
    if (is_first(notes, &notes->has_noted_repair, is_repaired)) {
        notes->n_repaired_named = item->number > 0;
        program_note("%s is not UTF-8: each invalid part is read as U+FFFD (iconv makes UTF-8 of "
                     "other encodings)",
                     item_name(item));
    }
    if (is_first(notes, &notes->has_noted_empty,
                 !task_is_tokens(encoder->request.task) && item_n_visible(item) == 0))
        note_empty(encoder, item);
    if (is_first(notes, &notes->has_noted_cut, item->n_dropped > 0)) {
        notes->n_cut_named = item->number > 0;
        program_note("%s was cut to %zu of its %zu tokens", item_name(item), item_n_visible(item),
                     item_n_visible(item) + item->n_dropped);
    }
    notes_of_words(notes, item);
    if (is_first(notes, &notes->has_noted_padding,
                 encoder->request.task != TASK_TOKENS && likely >= 0 &&
                     padding_is_at_ends(item, likely)))
        note_padding(encoder, item);
    if (is_first(notes, &notes->has_noted_mask,
                 encoder->request.task == TASK_FILL && item->window.of <= 1 &&
                     item_count(item, encoder->info.mask_token) == 0))
        note_missing_mask(encoder, item);
}
