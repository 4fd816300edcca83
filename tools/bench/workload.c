/* workload.c - sequences of token ids. Ids are spread evenly over the vocabulary: which they are
 * changes nothing but the rows of the embedding table that are read. */
#include "tools/bench/workload.h"

#include "tools/common/options.h"
#include "tools/common/weights/random.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THR_SEQUENCES = 512, THR_LEAST = 8, THR_MOST = 40, THR128_SEQUENCES = 64 };
enum { WRONG_BYTES = 40 }; /* of a text that is no id, shown at most */

/* 32 · u^2.36 is 9.5 on average: u = 0 gives 8 tokens, u = 1 gives 40, and the mean is 17.5. */
static const double THR_BEND = 2.36;

static void count_sequence(struct workload *workload, size_t index, size_t n_tokens)
{
    workload->n_tokens += n_tokens;
    workload->n_pairs += (double)n_tokens * (double)n_tokens;
    workload->longest = n_tokens > workload->longest ? n_tokens : workload->longest;
    if (index == 0 || n_tokens < workload->shortest)
        workload->shortest = n_tokens;
}

void workload_count(struct workload *workload, const engine_result *results)
{
    workload->n_tokens = workload->shortest = workload->longest = 0;
    workload->n_pairs = 0;
    for (size_t i = 0; i < workload->n; i++)
        count_sequence(workload, i, results[i].n_tokens);
}

void workload_free(struct workload *workload)
{
    free(workload->inputs);
    free(workload->ids);
    free(workload->text);
    *workload = (struct workload){0};
}

/* ---- Random ids ---- */

/* lengths[0 .. n-1] in any order: a seeded shuffle (Fisher and Yates). */
static void shuffle(size_t *lengths, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = random_below(state, i), kept = lengths[i - 1];
        lengths[i - 1] = lengths[j];
        lengths[j] = kept;
    }
}

/* How many sequences; their lengths too where `lengths` is not NULL. */
static size_t lengths_of(const char *name, size_t *lengths, uint64_t *state)
{
    size_t n = 1, length = 0;
    if (strcmp(name, "thr") == 0) {
        for (size_t i = 0; lengths != NULL && i < THR_SEQUENCES; i++) {
            double u = ((double)i + 0.5) / THR_SEQUENCES;
            lengths[i] = THR_LEAST + (size_t)(pow(u, THR_BEND) * (THR_MOST - THR_LEAST) + 0.5);
        }
        if (lengths != NULL)
            shuffle(lengths, THR_SEQUENCES, state);
        return THR_SEQUENCES;
    }
    if (strcmp(name, "thr128") == 0) {
        n = THR128_SEQUENCES;
        length = 128;
    } else { /* lat16, tokens64 */
        length = strtoul(name + strcspn(name, "0123456789"), NULL, 10);
    }
    for (size_t i = 0; lengths != NULL && i < n; i++)
        lengths[i] = length;
    return n;
}

bool workload_random(struct workload *workload, const char *name, size_t n_vocabulary,
                     uint64_t seed)
{
    uint64_t state = seed;
    snprintf(workload->name, sizeof workload->name, "%s", name);
    workload->n = lengths_of(name, NULL, NULL);
    size_t *lengths = calloc(workload->n, sizeof *lengths);
    workload->inputs = calloc(workload->n, sizeof *workload->inputs);
    if (lengths != NULL)
        lengths_of(name, lengths, &state);
    for (size_t i = 0; lengths != NULL && i < workload->n; i++)
        count_sequence(workload, i, lengths[i]);
    workload->ids = calloc(workload->n_tokens, sizeof *workload->ids);
    bool done = lengths != NULL && workload->inputs != NULL && workload->ids != NULL;
    for (size_t i = 0; done && i < workload->n_tokens; i++)
        workload->ids[i] = (int32_t)random_below(&state, n_vocabulary);
    for (size_t i = 0, at = 0; done && i < workload->n; at += lengths[i++]) {
        workload->inputs[i].ids = workload->ids + at;
        workload->inputs[i].n_ids = lengths[i];
    }
    free(lengths);
    return done;
}

/* ---- Ids of a file ---- */

static void name_of_file(struct workload *workload, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(start, '.');
    size_t len = dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start);
    snprintf(workload->name, sizeof workload->name, "%.*s", (int)(len < 60 ? len : 60), start);
}

static bool append_id(struct workload *workload, size_t *cap, long id)
{
    if (workload->n_tokens == *cap) {
        size_t wanted = *cap > 0 ? 2 * *cap : 4096;
        int32_t *ids = realloc(workload->ids, wanted * sizeof *ids);
        if (ids == NULL)
            return false;
        workload->ids = ids;
        *cap = wanted;
    }
    workload->ids[workload->n_tokens++] = (int32_t)id;
    return true;
}

static bool append_sequence(struct workload *workload, size_t n_ids)
{
    engine_input *inputs = realloc(workload->inputs, (workload->n + 1) * sizeof *inputs);
    if (inputs == NULL)
        return false;
    workload->inputs = inputs;
    inputs[workload->n] = (engine_input){0};
    inputs[workload->n++].n_ids = n_ids;
    return true;
}

/* The ids of one line, if it has any; false if there is no memory or *wrong, the text that is no
 * id, is set. */
static bool read_line(struct workload *workload, char *line, size_t *cap, const char **wrong)
{
    size_t before = workload->n_tokens;
    for (char *end, *at = line + strspn(line, " \t\r\n"); *at != '\0';
         at = end + strspn(end, " \t\r\n")) {
        errno = 0;
        long id = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;
        if (id < 0 || id > INT32_MAX || errno != 0 || strchr(" \t\r\n", *end) == NULL) {
            *wrong = at;
            return false;
        }
        if (!append_id(workload, cap, id))
            return false;
    }
    return workload->n_tokens == before || append_sequence(workload, workload->n_tokens - before);
}

static int fail_line(const char *path, size_t n_lines, const char *wrong)
{
    size_t len = strcspn(wrong, " \t\r\n");
    return program_fail("'%s', line %zu: '%.*s' is not a token id", path, n_lines,
                        (int)(len < WRONG_BYTES ? len : WRONG_BYTES), wrong);
}

/* Inputs point into ids only now that it does not move any more. */
static void settle_sequences(struct workload *workload)
{
    size_t at = 0;
    workload->n_tokens = 0;
    for (size_t i = 0; i < workload->n; i++) {
        workload->inputs[i].ids = workload->ids + at;
        at += workload->inputs[i].n_ids;
        count_sequence(workload, i, workload->inputs[i].n_ids);
    }
}

int workload_read(struct workload *workload, const char *path)
{
    char *line = NULL;
    const char *wrong = NULL;
    size_t line_cap = 0, cap = 0, n_lines = 0;
    FILE *file = fopen(path, "r");
    int code = PROGRAM_DONE;
    if (file == NULL)
        return program_fail("cannot open '%s': %s", path, strerror(errno));
    name_of_file(workload, path);
    for (ssize_t len; code == PROGRAM_DONE && (len = getline(&line, &line_cap, file)) >= 0;) {
        n_lines++;
        if (strlen(line) != (size_t)len)
            code = program_fail("'%s', line %zu: a NUL byte is not a token id", path, n_lines);
        else if (!read_line(workload, line, &cap, &wrong))
            code = wrong != NULL ? fail_line(path, n_lines, wrong) : program_fail("out of memory");
    }
    if (code == PROGRAM_DONE && ferror(file))
        code = program_fail("cannot read '%s'", path);
    if (code == PROGRAM_DONE && workload->n_tokens == 0)
        code = program_fail("'%s' has no token ids", path);
    settle_sequences(workload);
    free(line);
    fclose(file);
    return code;
}
