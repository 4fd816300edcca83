/* bench_options.c - the command line of encode-bench as a table; see bench_options.h. */
#include "tools/study/bench/bench_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#define FLAG(member) FLAG_AT(struct bench_options, member)
#define LIST(member)                                                                               \
    SET_BY(set_list), .offset = OPTION_AT(struct bench_options, member, struct bench_list)

/* ---- Values ---- */

/* Reads names or counts separated by commas. */
static void set_list(void *options, const struct option_use *use)
{
    struct bench_list *list = (void *)((char *)options + use->row->offset);
    const char *text = use->text;
    list->n = 0;
    for (bool more = true; more;) {
        size_t len = strcspn(text, ","), i = list->n++;
        if (list->n > BENCH_LIST_MOST)
            program_die_misused("%s takes at most %d", use->option, BENCH_LIST_MOST);
        char *name = list->names[i];
        snprintf(name, BENCH_NAME_BYTES, "%.*s", (int)len, text);
        if (use->row->choices)
            option_chosen(use, name);
        else
            list->counts[i] = option_count(use->option, name, 1, BENCH_THREADS_MOST);
        more = text[len] == ',';
        text += len + more;
    }
}

/* ---- The options ---- */

static const struct option_row MODEL_ROWS[] = {
    {"model", 'm', "FILE", "time this weight file; default: random numbers of a shape",
     TEXT_AT(struct bench_options, model)},
    {"shape", 0, "L/D/H/F",
     "layers, width, heads, feed-forward (default 6/384/12/1536); a fifth\n"
     "number is the vocabulary (30522)",
     TEXT_AT(struct bench_options, shape)},
    {"type", 0, "LIST", "type of the shape's linear layers: f32 (default), bf16, f16, int8",
     LIST(types), .choices = "f32 bf16 f16 int8"},
    {"precision", 0, "LIST",
     "exact (default): products in f32; fast: in bf16 if this CPU has an\n"
     "instruction for it, else in f32; bf16: on every CPU",
     LIST(precisions), .choices = "exact bf16 fast"},
    {"reference", 0, "FILE",
     "print cosines to this file's vectors in f32; default: the same model in f32",
     TEXT_AT(struct bench_options, reference)},
};

static const struct option_row WORK_ROWS[] = {
    {"workloads", 0, "LIST", "run these (default: all but lat2048 and lat8192)", LIST(workloads),
     GIVEN_AT(struct bench_options, has_workloads),
     .choices = "lat16 lat128 lat512 thr thr128 lat2048 lat8192"},
    {"ids", 0, "FILE", "time these lines of token ids, and no default workload; repeatable",
     TEXTS_AT(struct bench_options, ids_files, n_ids_files)},
    {"threads", 't', "LIST", "numbers of threads (default: 1, and all CPUs)", LIST(threads)},
    {"seed", 0, "N", "seed of the work (default 1)", NUMBER_AT(struct bench_options, seed)},
    {"seconds", 0, "S",
     "repeat each for S seconds (default 1): at least 3 times, or once if a run\n"
     "takes longer than 3 seconds",
     REAL_AT(struct bench_options, seconds, 0.001, 3600)},
    {"runs", 0, "N", "repeat each N times, after one run that is not timed",
     COUNT_AT(struct bench_options, n_runs, 1, 100000)},
};

static const struct option_row RESULT_ROWS[] = {
    {"profile", 0, NULL, "print each step's share of all threads' time, in percent", FLAG(profile)},
    {"format", 'f', "F", "print text (default), or json: one object per line and workload",
     CHOICE_AT(struct bench_options, is_json, false, "text json")},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("Model", MODEL_ROWS)},
    {OPTION_GROUP("Work", WORK_ROWS)},
    {OPTION_GROUP("Result", RESULT_ROWS)},
    OPTION_GENERAL,
};

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("model", "shape type",
                    "-m FILE has its shape and type: omit --shape and --type"),
    OPTION_NEEDS("reference", "model",
                 "--reference requires -m: a shape is compared with the same shape in f32"),
    OPTION_EXCLUDES("model=-", "model",
                    "a weight file is mapped into memory, so it cannot be read from stdin"),
    {0},
};

/* ---- The table ---- */

static const struct option_command COMMAND = {
    .usage = "[OPTION ...]\n",
    .about = "Times the encoder on work made from a seed.\n"
             "\n"
             "  encode-bench                                    MiniLM's shape in f32, one thread "
             "and all\n"
             "  encode-bench --type f32,int8 --workloads thr,lat16 -t 1,2\n"
             "  encode-bench -m minilm.weights --profile -f json\n",
};

static const char NOTES[] =
    "Workloads\n"
    "  lat16, lat128, lat512, lat2048, lat8192\n"
    "                         one sequence of so many tokens\n"
    "  thr                    512 sequences of 8 to 40 tokens, 17.5 on average, in one call\n"
    "  thr128                 64 sequences of 128 tokens in one call\n"
    "\n"
    "Numbers\n"
    "  median, min, spread    of the runs; spread: (upper - lower quartile) / median, in percent\n"
    "  GFLOP/s                of the products of the layers and of attention, by the median\n"
    "  by                     the instructions of these products: f32, bf16, int8+f32, int8+bf16\n"
    "  cosine                 least of the texts', to vectors of the same model in f32\n";

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .rules = RULES,
    .notes = NOTES,
    .end = "Exit codes: 0 done, 1 a workload failed, 2 misused. Manual: man encode-bench.",
};

static const struct bench_options DEFAULTS = {
    .seconds = 1,
    .seed = 1,
    .shape = "6/384/12/1536",
    .types = {{"f32"}, .n = 1},
    .precisions = {{"exact"}, .n = 1},
    .workloads = {{"lat16", "lat128", "lat512", "thr", "thr128"}, .n = 5},
};

void bench_options_read(struct bench_options *options, int argc, char **argv)
{
    struct option_reading reading;
    *options = DEFAULTS;
    options_read(&reading, &TABLE, 0, options, argc, argv);
    if (reading.n_arguments > 0)
        program_die_misused("'%s' is not an option", reading.arguments[0]);
    options_check(&reading);
    if (options->n_ids_files > 0 && !options->has_workloads)
        options->workloads.n = 0;
    if (options->threads.n == 0) { /* one, and one for each CPU that this process may use */
        const size_t n_cpus = (size_t)omp_get_num_procs();
        options->threads = (struct bench_list){.counts = {1, n_cpus}, .n = n_cpus > 1 ? 2 : 1};
    }
}
