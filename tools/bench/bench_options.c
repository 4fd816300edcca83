/* bench_options.c - the command line of encode-bench as a table; see bench_options.h. */
#include "tools/bench/bench_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_reading.h"

#include <stdio.h>
#include <string.h>

#define FLAG(member) FLAG_AT(struct bench_options, member)

/* ---- Lists ---- */

/* Calls set(options, use, n-th, part) for each part of a list with commas; returns how many, or 0
 * after a message. */
static size_t read_list(struct bench_options *options, const struct option_use *use,
                        bool (*set)(struct bench_options *options, const struct option_use *use,
                                    size_t index, const char *part))
{
    const char *text = use->text;
    size_t n = 0;
    for (bool more = true; more; n++) {
        char part[32];
        size_t len = strcspn(text, ",");
        if (n == BENCH_LIST_MOST) {
            program_note("%s takes at most %d", use->option, BENCH_LIST_MOST);
            return 0;
        }
        snprintf(part, sizeof part, "%.*s", (int)(len < 31 ? len : 31), text);
        if (!set(options, use, n, part))
            return 0;
        more = text[len] == ',';
        text += len + more;
    }
    return n;
}

static bool add_precision(struct bench_options *options, const struct option_use *use, size_t index,
                          const char *part)
{
    int precision;
    bool is_good = option_chosen(use, part, &precision);
    options->precisions[index] = use->row->choices[precision].name;
    return is_good;
}

static bool set_precisions(void *options, const struct option_use *use)
{
    return (((struct bench_options *)options)->n_precisions =
                read_list(options, use, add_precision)) > 0;
}

static bool add_threads(struct bench_options *options, const struct option_use *use, size_t index,
                        const char *part)
{
    return option_count(use->option, part, 1, BENCH_THREADS_MOST, &options->threads[index]);
}

static bool set_threads(void *options, const struct option_use *use)
{
    return (((struct bench_options *)options)->n_threads = read_list(options, use, add_threads)) >
           0;
}

static bool add_workload(struct bench_options *options, const struct option_use *use, size_t index,
                         const char *part)
{
    int workload;
    bool is_good = option_chosen(use, part, &workload);
    options->workloads[index] = (size_t)workload;
    return is_good;
}

static bool set_workloads(void *options, const struct option_use *use)
{
    return (((struct bench_options *)options)->n_workloads =
                read_list(options, use, add_workload)) > 0;
}

/* ---- Other values ---- */

static bool set_seconds(void *options, const struct option_use *use)
{
    double *seconds = &((struct bench_options *)options)->seconds;
    if (!option_real(use->option, use->text, seconds))
        return false;
    if (*seconds >= 0.001 && *seconds <= 3600)
        return true;
    program_note("--seconds takes a number from 0.001 to 3600, not '%s'", use->text);
    return false;
}

static bool add_ids_file(void *options, const struct option_use *use)
{
    struct bench_options *bench = options;
    if (bench->n_ids_files == BENCH_FILES_MOST) {
        program_note("--ids: at most %d files", BENCH_FILES_MOST);
        return false;
    }
    bench->ids_files[bench->n_ids_files++] = use->text;
    return true;
}

/* ---- The options ---- */

const struct option_choice BENCH_WORKLOADS[] = {
    {"lat16", 0, "one sequence of 16 tokens"},
    {"lat128", 1, "one sequence of 128 tokens"},
    {"lat512", 2, "one sequence of 512 tokens"},
    {"thr", 3,
     "512 sequences of 8 to 40 tokens, 17.5 on average, many short ones and few long ones, in any "
     "order, in one call"},
    {"thr128", 4, "64 sequences of 128 tokens in one call"},
    {"cold", 5,
     "a whole process, from before its start to behind its end: encode (the one that lies beside "
     "this program) on one sentence, with the weight file in the page cache"},
    {"lat2048", 6, "one sequence of 2048 tokens, to see how time grows with length"},
    {"lat8192", 7, "one sequence of 8192 tokens"},
    {0},
};
static const struct option_choice PRECISIONS[] = {
    OPTION_NAMED("f32", 0),
    OPTION_NAMED("bf16", 1),
    OPTION_NAMED("f16", 2),
    OPTION_NAMED("int8", 3),
    {0},
};
static const struct option_choice FORMATS[] = {
    OPTION_NAMED("text", false), OPTION_NAMED("json", true), {0}};

static const struct option_row MODEL_ROWS[] = {
    {"model", 'm', "FILE", "a weight file; default: random numbers of a shape", NULL,
     TEXT_AT(struct bench_options, model)},
    {"shape", 0, "L/D/H/F",
     "layers, width, heads, feed-forward (default 6/384/12/1536); a fifth\n"
     "number is the vocabulary (30522)",
     "A BERT; the default is the shape of all-MiniLM-L6-v2. It takes 8192 "
     "tokens.",
     TEXT_AT(struct bench_options, shape)},
    {"precision", 0, "LIST", "of the shape's linear layers: f32 (default), bf16, f16, int8",
     "One after the other. Embedding tables have the same type, with int8 f16.",
     SET_BY(set_precisions), .choices = PRECISIONS},
};

static const struct option_row WORK_ROWS[] = {
    {"workloads", 0, "LIST", "default: all but lat2048 and lat8192",
     "One that the model cannot do is then left out; where it is asked for by name, that is a "
     "failure.",
     SET_BY(set_workloads), GIVEN_AT(struct bench_options, has_workloads),
     .choices = BENCH_WORKLOADS},
    {"ids", 0, "FILE", "lines of token ids; may be repeated; then only what is asked for",
     "One sequence per line, all in one call; the workload's name is the file's without folder and "
     "ending. Lines without ids are skipped. Other workloads run only where --workloads asks for "
     "them.",
     SET_BY(add_ids_file)},
    {"threads", 't', "LIST", "default: 1, and the CPUs that this process may use",
     "A session has no more threads than that, unless OMP_NUM_THREADS asks for them; where it has "
     "fewer than asked for, stderr says so, and all figures are those of the threads that it has. "
     "With --peaks there is no session, and as many threads are measured as are asked for.",
     SET_BY(set_threads)},
    {"seed", 0, "N", "default 1", "Of ids, lengths and the made model.",
     NUMBER_AT(struct bench_options, seed)},
    {"seconds", 0, "S",
     "how long each is repeated (default 1): at least 3 times, or once where\n"
     "a run takes longer than 3 seconds",
     "At least 0.001. One run without a clock goes before.", SET_BY(set_seconds)},
    {"runs", 0, "N", "this many times, whatever it takes; one run more goes before", NULL,
     COUNT_AT(struct bench_options, n_runs, 1, 100000)},
};

static const struct option_row RESULT_ROWS[] = {
    {"profile", 0, NULL, "where the time goes, in percent of all threads' time",
     "Of another session, after the runs, by steps: tokenize, embed, linear (with what is fused "
     "into it), attention, norm, quantize, answer (pooling and what is behind it), wait (for other "
     "threads), other.",
     FLAG(profile)},
    {"peaks", 0, NULL, "the machine's peaks alone", NULL, FLAG(peaks_alone)},
    {"format", 'f', "F", "text (default), or json: one object per line and workload", NULL,
     CHOICE_AT(struct bench_options, is_json, FORMATS)},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("Model", MODEL_ROWS)},
    {OPTION_GROUP("Work", WORK_ROWS)},
    {OPTION_GROUP("Result", RESULT_ROWS)},
};

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("model", "shape precision",
                    "-m FILE has a shape and a precision: --shape and --precision make a file"),
    OPTION_EXCLUDES("model=-", "model",
                    "a weight file is mapped into memory, so it cannot be read from stdin"),
    {0},
};

/* ---- All of it ---- */

static const struct option_command COMMAND = {
    .usage = "[OPTION ...]\n",
    .about = "Times the encoder on work made of a seed, and says how near it comes to the "
             "machine's peak.\n"
             "\n"
             "  encode-bench                                    MiniLM's shape in f32, one thread "
             "and all\n"
             "  encode-bench --precision f32,int8 --workloads thr,lat16 -t 1,2\n"
             "  encode-bench -m minilm.weights --profile -f json\n",
};

static const char NOTES[] =
    "Workloads\n"
    "  lat16, lat128, lat512, lat2048, lat8192\n"
    "                         one sequence of so many tokens\n"
    "  thr                    512 sequences of 8 to 40 tokens, 17.5 on average, in one call\n"
    "  thr128                 64 sequences of 128 tokens in one call\n"
    "  cold                   a whole process: encode, beside this program, on one sentence\n"
    "\n"
    "What the numbers are\n"
    "  median, min, spread    of the runs; spread: (upper - lower quartile) / median, in percent\n"
    "  of peak                the time that the products of the layers and of attention take at "
    "the\n"
    "                         measured peak of as many threads (matrices in int8: at that of "
    "int8;\n"
    "                         all else: at that of float32 multiply-adds), divided by the median\n"
    "  hand-over              ns from one thread to another, before and after the runs, and what "
    "that\n"
    "                         is called: fast, slow, busy, mixed; runs compare where it is the "
    "same\n";

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .rules = RULES,
    .notes = NOTES,
    .end = "Exit codes: 0 done, 1 a workload failed, 2 misused. Manual: man encode-bench.",
};

static void set_defaults(struct bench_options *options)
{
    *options = (struct bench_options){.seconds = 1, .seed = 1, .shape = "6/384/12/1536"};
    for (size_t i = 0; i < BENCH_N_DEFAULT_WORKLOADS; i++)
        options->workloads[options->n_workloads++] = i;
}

static void settle(struct bench_options *options)
{
    if (options->n_precisions == 0)
        options->precisions[options->n_precisions++] = "f32";
    if (options->n_ids_files > 0 && !options->has_workloads)
        options->n_workloads = 0;
}

bool bench_options_read(struct bench_options *options, int argc, char **argv, int *exit_code)
{
    struct option_reading reading;
    set_defaults(options);
    if (!options_read(&reading, &TABLE, 0, options, argc, argv, exit_code))
        return false;
    *exit_code = PROGRAM_MISUSED;
    const char *conflict = options_conflict(&reading);
    if (reading.n_arguments > 0)
        program_misuse("'%s' is not an option", reading.arguments[0]);
    else if (conflict != NULL)
        program_misuse("%s", conflict);
    else
        *exit_code = PROGRAM_DONE;
    settle(options);
    return *exit_code == PROGRAM_DONE;
}
