/* notes.c - what a run says on stderr: its progress, and what may surprise. */
#include "tools/encode/notes.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Progress ---- */

static const double BETWEEN_ON_TERMINAL = 0.2, BETWEEN_LINES = 2; /* seconds */

static void clear_line(void)
{
    fputs("\r\033[K", stderr);
}

/* The bytes of a file are those from where it was begun: some are read already. */
void notes_begin(struct job *job)
{
    struct notes *notes = &job->notes;
    const struct line_reader *lines = &job->reader.lines;
    const struct encode_options *options = job->options;
    struct stat file;
    notes->is_terminal = isatty(STDERR_FILENO);
    notes->is_counted = options->has_progress ||
                        (notes->is_terminal && !program_is_quiet && options->request.n_texts == 0 &&
                         !isatty(STDIN_FILENO) && (options->output_path || !isatty(STDOUT_FILENO)));
    notes->start = notes->last = program_seconds();
    if (!notes->is_counted)
        return;
    program_before_message = notes->is_terminal ? clear_line : NULL;
    const off_t at = lseek(lines->fd, 0, SEEK_CUR);
    if (options->request.n_texts == 0 && options->request.n_files <= 1 &&
        fstat(lines->fd, &file) == 0 && S_ISREG(file.st_mode) && at >= 0 &&
        file.st_size > at - (off_t)(lines->end - lines->begin))
        notes->n_bytes =
            lines->place.bytes + lines->end - lines->begin + (uint64_t)(file.st_size - at);
    notes->first_byte = lines->place.bytes;
}

static void print_rates(const struct notes *notes, double seconds)
{
    double per_second = seconds > 0 ? 1 / seconds : 0;
    fprintf(stderr, "%zu text%s, %.0f texts/s", notes->n_texts, plural(notes->n_texts),
            (double)notes->n_texts * per_second);
    if (notes->n_tokens > 0)
        fprintf(stderr, ", %.0f tokens/s", (double)notes->n_tokens * per_second);
}

/* Prints the share of the input that is read, and an estimate by the time per byte. */
static void print_left(const struct notes *notes, uint64_t at, double seconds)
{
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

void notes_count(struct job *job, const struct item *items, size_t n)
{
    struct notes *notes = &job->notes;
    const double now = program_seconds();
    notes->n_texts += n;
    for (size_t i = 0; i < n; i++)
        notes->n_tokens += items[i].n_tokens;
    if (n == 0 || now - notes->last < (notes->is_terminal ? BETWEEN_ON_TERMINAL : BETWEEN_LINES))
        return;
    notes->last = now;
    fputs(notes->is_terminal ? "\r\033[K" : "encode: ", stderr);
    print_rates(notes, now - notes->start);
    print_left(notes, job->reader.place.bytes, now - notes->start);
    fputs(notes->is_terminal ? "" : "\n", stderr);
}

void notes_end(const struct job *job)
{
    const struct notes *notes = &job->notes;
    const struct progress *progress = &job->progress;
    if (notes->is_counted && notes->is_terminal)
        clear_line();
    if (job->options->has_progress) {
        const double seconds = program_seconds() - notes->start;
        fputs("encode: ", stderr);
        print_rates(notes, seconds);
        fprintf(stderr, " in %.2f s\n", seconds);
    }
    if (progress->cut > notes->n_cut_named)
        program_note("%zu of %zu text%s %s cut", progress->cut, progress->lines,
                     plural(progress->lines), progress->cut == 1 ? "was" : "were");
    if (progress->repaired > notes->n_repaired_named)
        program_note("%zu of %zu text%s %s parts that are read as U+FFFD", progress->repaired,
                     progress->lines, plural(progress->lines),
                     progress->repaired == 1 ? "has" : "have");
    word_notes_end(&notes->words, progress->lines, "texts");
}

/* ---- What may surprise ---- */

static void note_empty(const struct text_encoder *encoder, const struct item *item)
{
    const char *result = "";
    if (encoder->request.task == TASK_LABELS && encoder->is_pooled)
        result = ": it has no label";
    else if (encoder->request.task == TASK_RANK)
        result = " of its own, which gives the least score";
    else if (encoder->width && encoder->is_pooled)
        result = ": its vector is all zeros";
    program_note("%s has no tokens%s", item_name(item), result);
}

static void note_missing_mask(const struct text_encoder *encoder, const struct item *item)
{
    size_t len;
    const char *mask = encoder_id_text(encoder, encoder->info.mask_token, &len);
    program_note("%s has no %.*s%s: there is nothing to fill", item_name(item), (int)len, mask,
                 item->n_dropped ? " in the part that was kept (--on-long chunk keeps all)" : "");
}

static void note_padding(const struct text_encoder *encoder, const struct item *item)
{
    int32_t id = encoder->padding.likely;
    size_t len;
    const char *text = encoder_id_text(encoder, id, &len);
    program_note("%s: its ids begin or end with %d%s%.*s, which counts as a token here; --pad-id "
                 "%d, or a \"mask\", makes it padding",
                 item_name(item), (int)id, len ? ", " : "", (int)(len < 64 ? len : 64), text,
                 (int)id);
}

/* Returns true the first time: then a note is due. */
static bool is_first(bool *has_noted)
{
    return !*has_noted && (*has_noted = true);
}

void notes_of(struct job *job, const struct item *item)
{
    const struct text_encoder *encoder = job->encoder;
    const enum task task = encoder->request.task;
    struct notes *notes = &job->notes;
    const bool is_repaired = item->record.is_repaired && item->window.index == 0;
    const bool is_cut = item->n_dropped > 0, is_text = item->number > 0; /* not the query */
    job->progress.cut += is_cut && is_text;
    job->progress.repaired += is_repaired && is_text;
    if (is_repaired && is_first(&notes->has_noted_repair)) {
        notes->n_repaired_named = is_text;
        item_note_repair(item);
    }
    const bool is_empty = task == TASK_RANK ? !encoder->ranks_pairs && !item_has_text(item)
                                            : !task_is_tokens(task) && item_n_visible(item) == 0;
    if (is_empty && is_first(&notes->has_noted_empty))
        note_empty(encoder, item);
    if (is_cut && is_first(&notes->has_noted_cut)) {
        notes->n_cut_named = is_text;
        program_note("%s was cut to %zu of its %zu tokens", item_name(item), item_n_visible(item),
                     item_n_visible(item) + item->n_dropped);
    }
    if (encoder->is_pooled && !task_is_tokens(task))
        word_notes_add(&notes->words, encoder, item);
    if (task != TASK_TOKENS && encoder->padding.likely >= 0 &&
        padding_is_at_ends(item, encoder->padding.likely) && is_first(&notes->has_noted_padding))
        note_padding(encoder, item);
    if (task == TASK_FILL && item->window.of <= 1 &&
        item_count(item, encoder->info.mask_token) == 0 && is_first(&notes->has_noted_mask))
        note_missing_mask(encoder, item);
}
