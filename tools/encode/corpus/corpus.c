/* corpus.c - see corpus.h.
 *
 * An entry of the journal costs what it takes the disk to hold the new bytes of the parts. One is
 * due so often that this takes a hundredth of the time: ten times a second where that is cheap,
 * each ten seconds where it is not.
 */
#include "tools/encode/corpus/corpus.h"

#include "tools/encode/corpus/parts.h"
#include "tools/encode/corpus/stop.h"
#include "tools/encode/notes.h"
#include "tools/encode/origin.h"

#include <math.h>
#include <unistd.h>

static const double FIRST_DUE = 1, LEAST_BETWEEN = 0.1, MOST_BETWEEN = 10; /* seconds */
static const double COST_FACTOR = 100;

bool corpus_is_asked(const struct encode_options *options)
{
    const enum task task = options->request.task;
    const bool is_one_by_one = task < TASK_RANK && task != TASK_SHOW_MASK;
    return options->output_path && options->request.n_texts == 0 && !isatty(STDIN_FILENO) &&
           is_one_by_one && options->format != FORMAT_NPZ;
}

static void corpus_free(struct corpus *corpus)
{
    journal_close(&corpus->journal);
    json_decref(corpus->settings);
}

/* ---- Before the run ---- */

static json_t *settings_of(struct corpus *corpus)
{
    if (corpus->settings)
        return corpus->settings;
    corpus->settings = settings_make(corpus->options->settings, corpus->encoder);
    return corpus->settings;
}

/* The run ended between its last text and the name of its last file. */
static void put_parts_in_place(struct corpus *corpus)
{
    parts_put_in_place(corpus->path, corpus->options->report_path);
    journal_remove(&corpus->journal);
    program_note("'%s' was complete, and is in its place", corpus->path);
}

static void check_settings(struct corpus *corpus)
{
    char message[SETTINGS_MESSAGE_BYTES];
    const size_t n = corpus->journal.last.counts[COUNT_LINES];
    if (!settings_agree(corpus->journal.head, settings_of(corpus), message))
        program_die("'%s' is incomplete (%zu line%s done), and this command cannot continue it: "
                    "%s; or start over with --restart",
                    corpus->path, n, plural(n), message);
    if (!corpus->options->resumes)
        program_die("'%s' is incomplete (%zu line%s done): continue with --resume", corpus->path, n,
                    plural(n));
}

/* Whether there is something to do, with the journal that there is or without one. Only --restart
 * removes bytes that an earlier run has made. */
static bool look_for_journal(struct corpus *corpus)
{
    const char *report_path = corpus->options->report_path;
    struct journal *journal = &corpus->journal;
    bool is_found = journal_find(journal, corpus->path);
    const uint64_t left = parts_bytes(corpus->path, report_path);
    const bool is_unnamed = left == 0 && journal->n_entries == 1 && !journal->last.is_finished;
    if (!corpus->options->restarts && journal->n_entries == 0 && left > 0)
        program_die("'%s.part' and the parts beside it have %llu bytes, and no journal says what "
                    "they are: move them away, or start over with --restart, which removes them",
                    corpus->path, (unsigned long long)left);
    if (is_unnamed)
        program_note("'%s' starts over: no part of the run before it had a name", corpus->path);
    if (corpus->options->restarts || is_unnamed || (is_found && journal->n_entries == 0)) {
        parts_drop(corpus->path, report_path);
        if (is_found)
            journal_remove(journal);
        journal_close(journal);
        is_found = journal_find(journal, corpus->path);
    }
    if (!is_found)
        return !corpus->options->resumes || !origin_is_of(corpus->path, settings_of(corpus));
    check_settings(corpus);
    if (journal->last.is_finished)
        put_parts_in_place(corpus);
    return !journal->last.is_finished;
}

bool corpus_open(struct corpus *corpus, const struct encode_options *options,
                 const struct encoder *encoder, struct output *output)
{
    *corpus = (struct corpus){.options = options,
                              .encoder = encoder,
                              .path = options->output_path,
                              .output = output,
                              .journal.fd = -1};
    if (!look_for_journal(corpus)) {
        corpus_free(corpus);
        return false;
    }
    output_open(output, corpus->path, corpus->journal.n_entries ? OUTPUT_RESUMES : OUTPUT_STREAM);
    return true;
}

/* ---- The run ---- */

static int fail(struct corpus *corpus, const char *message)
{
    corpus->is_broken = true;
    return notes_fail(corpus->job->notes, message);
}

/* What was printed is in the streams, if not yet in the files. */
static void look_at_progress(struct corpus *corpus)
{
    const struct output *output = corpus->output;
    const struct line_place place = corpus->job->reader->place;
    corpus->reached.bytes = place.bytes;
    corpus->reached.sum = place.sum;
    for (size_t i = 0; i < N_COUNTS; i++)
        corpus->reached.counts[i] = *corpus->counts[i];
    for (size_t i = 0; i < output_n_parts(output); i++)
        corpus->reached.files[i].bytes =
            (uint64_t)ftello(output_file_stream(output_part(output, i)));
}

/* From `from` to where the part is now. */
static bool sum_parts(struct corpus *corpus, const struct journal_entry *from)
{
    const struct output *output = corpus->output;
    for (size_t i = 0; i < output_n_parts(output); i++) {
        struct journal_file *file = &corpus->reached.files[i];
        file->sum = from->files[i].sum;
        if (!file_sum(fileno(output_file_stream(output_part(output, i))),
                      (off_t)from->files[i].bytes, (off_t)file->bytes, &file->sum))
            return false;
    }
    return true;
}

/* Writes how far the run has come: an entry is on the disk after the bytes that it counts, and the
 * first one before the parts have names. A write to the output that fails is told by output_end. */
static int write_entry(struct corpus *corpus)
{
    struct output *output = corpus->output;
    struct journal *journal = &corpus->journal;
    const bool is_first = journal->fd < 0;
    if (!output_check(output, true))
        return PROGRAM_FAILED;
    if (!output_sync(output))
        return fail(corpus, output->error.message);
    if (!sum_parts(corpus, &journal->last))
        return fail(corpus, "a part of the output cannot be read again");
    corpus->is_broken = (is_first && !journal_begin(journal, json_incref(settings_of(corpus)))) ||
                        !journal_add(journal, &corpus->reached);
    if (!corpus->is_broken && is_first && !output_keep(output)) {
        journal->n_entries = 0;
        return fail(corpus, output->error.message);
    }
    return corpus->is_broken ? PROGRAM_FAILED : PROGRAM_DONE;
}

static void plan_next(struct corpus *corpus, double started)
{
    const double now = program_seconds(), between = COST_FACTOR * (now - started);
    corpus->due = now + fmin(fmax(between, LEAST_BETWEEN), MOST_BETWEEN);
}

int corpus_keep(struct corpus *corpus)
{
    int code = PROGRAM_DONE;
    if (output_file_has_place(corpus->output->file) &&
        corpus->reached.bytes > corpus->journal.last.bytes)
        code = write_entry(corpus);
    return code == PROGRAM_DONE && stop_signal() ? 128 + stop_signal() : code;
}

int corpus_advance(struct corpus *corpus, bool is_last)
{
    const double now = program_seconds();
    look_at_progress(corpus);
    if (is_last || (!stop_signal() && now < corpus->due))
        return PROGRAM_DONE;
    const int code = corpus_keep(corpus);
    plan_next(corpus, now);
    return code;
}

/* ---- Going on: these return NULL, or what is wrong ---- */

/* Cuts the parts to what the journal knows of them, and compares that. */
static const char *cut_parts(struct corpus *corpus)
{
    const struct output *output = corpus->output;
    const struct journal_entry none = {0}, *last = &corpus->journal.last;
    corpus->reached = *last;
    for (size_t i = 0; i < output_n_parts(output); i++)
        if (output_file_cut(output_part(output, i), last->files[i].bytes) != ENGINE_OK)
            return output->error.message;
    bool is_same = sum_parts(corpus, &none);
    for (size_t i = 0; i < output_n_parts(output); i++)
        is_same = is_same && corpus->reached.files[i].sum == last->files[i].sum;
    return is_same ? NULL
                   : "a part of the output is not what was written: start over with --restart";
}

static const char *go_on(struct corpus *corpus)
{
    const struct journal_entry *last = &corpus->journal.last;
    struct reader *reader = corpus->job->reader;
    const struct line_place done = {last->bytes, last->sum};
    const char *message = cut_parts(corpus);
    if (message)
        return message;
    for (size_t i = 0; i < N_COUNTS; i++)
        *corpus->counts[i] = last->counts[i];
    if (!reader_skip(reader, done, last->counts[COUNT_LINES]))
        return reader->message;
    program_note("'%s' has %zu line%s of the input: continuing at line %zu", corpus->path,
                 last->counts[COUNT_LINES], plural(last->counts[COUNT_LINES]),
                 last->counts[COUNT_LINES] + 1);
    if (!json_equal(corpus->journal.head, settings_of(corpus)) &&
        !journal_change_head(&corpus->journal, json_incref(settings_of(corpus))))
        return "the journal cannot be written";
    return NULL;
}

void corpus_begin(struct corpus *corpus, const struct job *job, struct printer *printer,
                  struct rows_file *rows, struct left_out *left)
{
    corpus->job = job;
    corpus->counts[COUNT_LINES] = &job->notes->n_read;
    corpus->counts[COUNT_ROWS] = &rows->n_rows;
    corpus->counts[COUNT_ARRAY_ROWS] = &printer->npy.n_rows;
    corpus->counts[COUNT_CUT] = &job->notes->n_cut;
    corpus->counts[COUNT_REPAIRED] = &job->notes->n_repaired;
    corpus->counts[COUNT_LEFT_OUT] = &left->n;
    job->reader->lines.has_sum = true;
    job->reader->lines.wake = stop_catch(job->encoder->session);
    corpus->due = program_seconds() + FIRST_DUE;
    if (corpus->journal.n_entries == 0)
        return;
    corpus->due = program_seconds() + LEAST_BETWEEN;
    printer->message = go_on(corpus);
    corpus->is_broken = printer->message != NULL;
    rows->is_begun = rows->json.stream && ftello(rows->json.stream) > 0;
    notes_go_on(job->notes);
}

/* ---- The end ---- */

/* When all is done, parts that wait for their names are known to be complete. */
static int finish(struct corpus *corpus)
{
    struct output *output = corpus->output;
    const struct line_place end = corpus->job->reader->lines.place; /* with an empty last line */
    corpus->reached.bytes = end.bytes;
    corpus->reached.sum = end.sum;
    corpus->reached.is_finished = true;
    if (corpus->journal.fd < 0)
        return PROGRAM_DONE;
    return output_drop_others(output) ? write_entry(corpus) : fail(corpus, output->error.message);
}

/* Then a run that only goes on would end there again. Long texts have a message of their own. */
static bool has_ended_at_text(const struct job *job)
{
    const struct encoder *encoder = job->encoder;
    return !job->options->skips_errors &&
           (job->reader->has_bad_line ||
            (encoder->fault == FAULT_OF_TEXT && encoder->message[0] != '\0'));
}

static void say_what_is_kept(const struct corpus *corpus)
{
    const size_t n = corpus->journal.last.counts[COUNT_LINES];
    notes_clear(corpus->job->notes);
    program_note("'%s.part' has the first %zu line%s of the input: --resume goes on%s",
                 corpus->path, n, plural(n),
                 has_ended_at_text(corpus->job) ? ", and --on-error skip leaves such a text out"
                                                : "");
}

int corpus_end(struct corpus *corpus, int code)
{
    struct output *output = corpus->output;
    stop_release();
    if (code == PROGRAM_DONE)
        code = finish(corpus);
    else if (corpus->journal.fd >= 0 && !corpus->is_broken && output_check(output, false) &&
             corpus->reached.bytes > corpus->journal.last.bytes)
        write_entry(corpus);
    if (corpus->journal.n_entries == 0) /* nothing to go on from */
        output_release(output);
    code = output_end(output, code);
    if (corpus->journal.fd >= 0 && (code == PROGRAM_DONE || corpus->journal.n_entries == 0))
        journal_remove(&corpus->journal);
    else if (corpus->journal.fd >= 0)
        say_what_is_kept(corpus);
    corpus_free(corpus);
    return code;
}
