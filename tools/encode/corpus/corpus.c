/* corpus.c - see corpus.h.
 *
 * An entry of the journal costs what it takes the disk to hold the new bytes of the parts. One is
 * due so often that this takes a hundredth of the time: ten times a second where that is cheap,
 * each ten seconds where it is not.
 */
#include "tools/encode/corpus/corpus.h"

#include "tools/common/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const double FIRST_DUE = 1, LEAST_BETWEEN = 0.1, MOST_BETWEEN = 10; /* seconds */
static const double COST_FACTOR = 100;

/* ---- Before the run ---- */

/* Returns whether another run holds a part. A file system without locks has one run at a time by
 * the user's care alone. */
static bool is_held(const char *part)
{
    const int fd = open(part, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    const bool is_busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_busy;
}

/* Renames a part, if it exists, to its name. An empty part beside the output is dropped, and so
 * is the file of an earlier run. */
static void name_part(const char *part, const char *name, bool is_output)
{
    struct stat file;
    const bool exists = stat(part, &file) == 0;
    if (!exists && (!is_output || access(name, F_OK) == 0))
        return;
    const bool is_needed = is_output || file.st_size > 0;
    if (!is_needed)
        unlink(name);
    if ((is_needed ? rename(part, name) : unlink(part)) != 0)
        program_die("cannot rename '%s' to '%s': %s", part, name, strerror(errno));
    output_file_sync_folder(name);
}

enum parts_action { COUNT_PARTS, DROP_PARTS, NAME_PARTS };

/* Goes through the parts that a run which ended early has left of an output, in the order in which
 * they are renamed. Parts are beside the file that a link leads to. Returns their bytes. */
static uint64_t handle_parts(const struct encode_options *options, enum parts_action action)
{
    static const char *const ENDINGS[] = {NULL, OUTPUT_LEFT_OUT, OUTPUT_ROWS, ".words",
                                          "",   OUTPUT_ORIGIN};
    uint64_t n_bytes = 0;
    for (size_t i = options->report_path ? 0 : 1; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        char *path = ENDINGS[i] ? alloc_text("%s%s", options->output_path, ENDINGS[i])
                                : alloc_text("%s", options->report_path);
        char *target = realpath(path, NULL), *name = target ? target : path;
        char *part = alloc_text("%s.part", name);
        struct stat file;
        n_bytes += stat(part, &file) == 0 ? (uint64_t)file.st_size : 0;
        if (action == COUNT_PARTS && is_held(part))
            program_die("another program is writing '%s': wait for its end, or name another file",
                        options->output_path);
        if (action == DROP_PARTS)
            unlink(part);
        if (action == NAME_PARTS)
            name_part(part, name, ENDINGS[i] && !ENDINGS[i][0]);
        free(part);
        free(target);
        free(path);
    }
    return n_bytes;
}

/* Removes what an earlier run has left if nothing or nobody can continue it. Only --restart removes
 * bytes that it has made. */
static void start_over(struct corpus *corpus)
{
    const struct encode_options *options = corpus->job->options;
    struct journal *journal = &corpus->journal;
    const uint64_t n_bytes = handle_parts(options, COUNT_PARTS);
    const bool is_unnamed = journal->settings && n_bytes == 0 && !journal->last.is_finished;
    if (!options->restarts && !journal->settings && n_bytes > 0)
        program_die("'%s.part' and the parts beside it have %llu bytes, and no journal describes "
                    "them: move them away, or start over with --restart, which removes them",
                    options->output_path, (unsigned long long)n_bytes);
    if (is_unnamed)
        program_note("'%s' starts over: the run before it has left no part", options->output_path);
    if (!options->restarts && !is_unnamed)
        return;
    handle_parts(options, DROP_PARTS);
    journal_remove(journal);
}

/* Checks that this run may continue the journal's. Returns false if only names were missing. */
static bool check_journal(struct corpus *corpus)
{
    const struct encode_options *options = corpus->job->options;
    struct journal *journal = &corpus->journal;
    const size_t n = journal->last.progress.lines;
    char message[SETTINGS_MESSAGE_BYTES];
    if (!settings_agree(journal->settings, corpus->job->options->settings, message))
        program_die("'%s' is incomplete (%zu line%s done), and this command cannot continue it: "
                    "%s; use --resume with the same command, or start over with --restart",
                    options->output_path, n, plural(n), message);
    if (!options->resumes)
        program_die("'%s' is incomplete (%zu line%s done): continue with --resume",
                    options->output_path, n, plural(n));
    if (journal->last.is_finished) {
        handle_parts(options, NAME_PARTS);
        journal_remove(journal);
        program_note("'%s' was complete and has been moved into place", options->output_path);
    }
    return !journal->last.is_finished;
}

bool corpus_open(struct corpus *corpus, struct job *job)
{
    const struct encode_options *options = job->options;
    *corpus = (struct corpus){.job = job};
    journal_find(&corpus->journal, options->output_path);
    start_over(corpus);
    const bool continues = corpus->journal.settings != NULL;
    const bool is_complete =
        continues ? !check_journal(corpus) : options->resumes && origin_is_of(job);
    if (is_complete) {
        journal_free(&corpus->journal);
        return false;
    }
    job->corpus = corpus;
    output_open(&job->output, options->output_path, continues ? OUTPUT_RESUMES : OUTPUT_STREAM);
    return true;
}

/* ---- A signal as a request. A descriptor becomes readable, so that no signal is missed between a
 * ---- look at the flag and a wait for input; the session's call is interrupted, and if the signal
 * ---- came before the call, its progress callback sees the flag. ---- */

static volatile sig_atomic_t caught; /* 0: none has come */
static int event = -1;
static engine_session *volatile at_work;
static const int SIGNALS[] = {SIGINT, SIGTERM};
static struct sigaction before[2];

static void request_stop(int signal_number)
{
    static const uint64_t one = 1;
    const int reason = errno;
    for (size_t i = 0; i < 2; i++)
        sigaction(SIGNALS[i], &before[i], NULL);
    caught = signal_number;
    engine_session_interrupt(at_work);
    if (write(event, &one, sizeof one) < 0)
        caught = signal_number; /* no one waits on an event that failed */
    errno = reason;
}

/* From here on the signals that are not ignored are requests. Returns a descriptor that becomes
 * readable with the first one; -1 if it fails. */
static int catch_signals(engine_session *session)
{
    const struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESTART};
    at_work = session;
    event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (size_t i = 0; i < 2; i++)
        if (sigaction(SIGNALS[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(SIGNALS[i], &action, NULL);
    return event;
}

int corpus_progress(size_t n_done, size_t n, void *user)
{
    (void)n_done, (void)n, (void)user;
    return caught;
}

/* ---- The run ---- */

static int fail_corpus(struct corpus *corpus, const char *message)
{
    corpus->is_broken = true;
    return program_fail("%s", message);
}

/* Adds to the checksums of `from` what the parts have after it. Returns false if reading fails. */
static bool sum_parts(struct corpus *corpus, const struct journal_entry *from)
{
    const struct output *output = &corpus->job->output;
    for (size_t i = 0; i < output->n_parts; i++) {
        struct journal_file *file = &corpus->reached.files[i];
        file->sum = from->files[i].sum;
        if (!file_sum(fileno(output_file_stream(output->parts[i].file)),
                      (off_t)from->files[i].bytes, (off_t)file->bytes, &file->sum))
            return false;
    }
    return true;
}

/* Writes how far the run has come: an entry is on the disk after the bytes that it counts, and the
 * first one before the parts have names. output_end reports a write to the output that failed. */
static int write_entry(struct corpus *corpus)
{
    struct output *output = &corpus->job->output;
    struct journal *journal = &corpus->journal;
    const bool is_first = !journal->settings;
    if (!output_check(output, true))
        return PROGRAM_FAILED;
    if (!output_each(output, output_file_sync))
        return fail_corpus(corpus, output->error.message);
    if (!sum_parts(corpus, &journal->last))
        return fail_corpus(corpus, "a part of the output cannot be read again");
    corpus->is_broken = !journal_write(journal, corpus->job->options->settings, &corpus->reached);
    if (corpus->is_broken || !is_first)
        return corpus->is_broken ? PROGRAM_FAILED : PROGRAM_DONE;
    output->is_kept = true;
    if (output_each(output, output_file_keep))
        return PROGRAM_DONE;
    journal_remove(journal);
    return fail_corpus(corpus, output->error.message);
}

int corpus_keep(struct corpus *corpus)
{
    int code = PROGRAM_DONE;
    if (output_is_file(&corpus->job->output) && corpus->reached.bytes > corpus->journal.last.bytes)
        code = write_entry(corpus);
    return code == PROGRAM_DONE && caught ? 128 + caught : code;
}

int corpus_advance(struct corpus *corpus, bool is_last)
{
    const double started = program_seconds();
    const struct job *job = corpus->job;
    struct journal_entry *reached = &corpus->reached;
    reached->bytes = job->reader.place.bytes;
    reached->sum = job->reader.place.sum;
    reached->progress = job->progress;
    for (size_t i = 0; i < job->output.n_parts; i++)
        reached->files[i].bytes = (uint64_t)ftello(output_file_stream(job->output.parts[i].file));
    if (is_last || (!caught && started < corpus->due))
        return PROGRAM_DONE;
    const int code = corpus_keep(corpus);
    const double now = program_seconds(), between = COST_FACTOR * (now - started);
    corpus->due = now + fmin(fmax(between, LEAST_BETWEEN), MOST_BETWEEN);
    return code;
}

/* ---- Continuing ---- */

/* Continues at the last entry of the journal: truncates the parts to their lengths in it, compares
 * their checksums, and skips the input that was done. Returns NULL, or an error text. */
static const char *continue_run(struct corpus *corpus)
{
    const struct journal_entry none = {0}, *last = &corpus->journal.last;
    const size_t n_lines = last->progress.lines;
    struct job *job = corpus->job;
    const struct output *output = &job->output;
    corpus->reached = *last;
    for (size_t i = 0; i < output->n_parts; i++)
        if (output_file_cut(output->parts[i].file, last->files[i].bytes) != ENGINE_OK)
            return output->error.message;
    bool is_same = sum_parts(corpus, &none);
    for (size_t i = 0; i < output->n_parts; i++)
        is_same = is_same && corpus->reached.files[i].sum == last->files[i].sum;
    if (!is_same)
        return "a part of the output is not what was written: start over with --restart";
    job->progress = last->progress;
    if (!reader_skip(&job->reader, (struct line_place){last->bytes, last->sum}))
        return job->reader.message;
    program_note("'%s' has %zu line%s of the input: continuing at line %zu", job->output.path,
                 n_lines, plural(n_lines), n_lines + 1);
    return NULL;
}

const char *corpus_begin(struct corpus *corpus)
{
    struct job *job = corpus->job;
    const bool continues = corpus->journal.settings != NULL;
    job->reader.lines.has_sum = true;
    job->reader.lines.wake = catch_signals(job->encoder->session);
    corpus->due = program_seconds() + (continues ? LEAST_BETWEEN : FIRST_DUE);
    const char *message = continues ? continue_run(corpus) : NULL;
    corpus->is_broken = corpus->is_refused = message != NULL;
    return message;
}

/* ---- The end ---- */

/* Writes the last entry: all is done but the names of the parts. */
static int finish_corpus(struct corpus *corpus)
{
    struct output *output = &corpus->job->output;
    const struct line_place end = corpus->job->reader.lines.place; /* with an empty last line */
    corpus->reached.bytes = end.bytes;
    corpus->reached.sum = end.sum;
    corpus->reached.is_finished = true;
    if (!corpus->journal.settings)
        return PROGRAM_DONE;
    return output_drop_others(output) ? write_entry(corpus)
                                      : fail_corpus(corpus, output->error.message);
}

/* A run that continues would end at an invalid text again. Long texts have their own message. */
static void note_kept(const struct corpus *corpus)
{
    const struct job *job = corpus->job;
    const struct text_encoder *encoder = job->encoder;
    const size_t n = corpus->journal.last.progress.lines;
    const bool is_of_text = job->reader.has_bad_line || encoder->fault == FAULT_OF_TEXT;
    program_note("'%s.part' has the first %zu line%s of the input: continue with --resume%s",
                 job->output.path, n, plural(n),
                 is_of_text && !job->options->skips_errors
                     ? ", and --on-error skip to leave such a text out"
                     : "");
}

int corpus_end(struct corpus *corpus, int code)
{
    struct output *output = &corpus->job->output;
    struct journal *journal = &corpus->journal;
    at_work = NULL; /* the session is freed next */
    if (code == PROGRAM_DONE)
        code = finish_corpus(corpus);
    else if (journal->settings && !corpus->is_broken && output_check(output, false) &&
             corpus->reached.bytes > journal->last.bytes)
        write_entry(corpus);
    if (!journal->settings) { /* no run can continue */
        output->is_kept = false;
        for (size_t i = 0; i < output->n_parts; i++)
            output_file_release(output->parts[i].file);
    }
    code = output_end(output, code);
    if (code == PROGRAM_DONE)
        journal_remove(journal);
    else if (journal->settings && !corpus->is_refused)
        note_kept(corpus);
    journal_free(journal);
    return code;
}
