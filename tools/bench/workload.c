/* workload.c - sequences of token ids. Ids are spread evenly over the vocabulary: which they are
 * changes nothing but the rows of the embedding table that are read. */
#include "tools/bench/workload.h"

#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/print/display.h"
#include "tools/common/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG_BYTES = 40 }; /* of a text that is no id, shown at most */

void workload_free(struct workload *workload)
{
    free(workload->inputs);
    free(workload->ids);
    *workload = (struct workload){0};
}

static void make_room(struct workload *workload, size_t n_sequences, size_t n_ids)
{
    workload->inputs = alloc_zeros(n_sequences, sizeof *workload->inputs);
    workload->ids = alloc_zeros(n_ids, sizeof *workload->ids);
}

/* The next sequence: n ids that stand behind those of the others. */
static void end_sequence(struct workload *workload, size_t n)
{
    if (workload->n == 0 || n < workload->shortest)
        workload->shortest = n;
    if (n > workload->longest)
        workload->longest = n;
    workload->inputs[workload->n].ids = workload->ids + workload->n_tokens;
    workload->inputs[workload->n++].n_ids = n;
    workload->n_tokens += n;
    workload->n_pairs += (double)n * (double)n;
}

/* ---- Random ids ---- */

struct lengths {
    size_t n, least, most;
};

static struct lengths lengths_named(const char *name)
{
    if (strcmp(name, "thr") == 0)
        return (struct lengths){512, 8, 40};
    if (strcmp(name, "thr128") == 0)
        return (struct lengths){64, 128, 128};
    size_t length = strtoul(name + strcspn(name, "0123456789"), NULL, 10); /* lat16, tokens64 */
    return (struct lengths){1, length, length};
}

/* least + (most - least) · u^2.36, where u goes over 0 .. 1 evenly, in no order: from 8 to 40 the
 * mean is 17.5. */
static size_t length_of(struct lengths lengths, size_t i)
{
    static const size_t STEP = 211; /* comes to each place of 512 once */
    double u = ((double)(i * STEP % lengths.n) + 0.5) / (double)lengths.n;
    return lengths.least + (size_t)(pow(u, 2.36) * (double)(lengths.most - lengths.least) + 0.5);
}

void workload_random(struct workload *workload, const char *name, size_t n_vocabulary,
                     uint64_t seed)
{
    struct lengths lengths = lengths_named(name);
    snprintf(workload->name, sizeof workload->name, "%s", name);
    make_room(workload, lengths.n, lengths.n * lengths.most);
    for (size_t i = 0; i < lengths.n; i++) {
        size_t length = length_of(lengths, i);
        for (size_t t = 0; t < length; t++)
            workload->ids[workload->n_tokens + t] = (int32_t)random_below(&seed, n_vocabulary);
        end_sequence(workload, length);
    }
}

/* ---- Ids of a file ---- */

static void name_of_file(struct workload *workload, const char *path)
{
    display_copy(path_name(path), workload->name, sizeof workload->name);
    char *dot = strrchr(workload->name, '.');
    if (dot != NULL && dot > workload->name)
        *dot = '\0';
}

static bool read_id(const char *text, int32_t *id)
{
    long long value = strtoll(text, NULL, 10);
    *id = (int32_t)value;
    return text[strspn(text, "0123456789")] == '\0' && value <= INT32_MAX;
}

/* Ends the words and lines of the text, which it takes apart. */
static int read_lines(struct workload *workload, const char *path, char *text)
{
    char *line, *id;
    for (size_t number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        size_t n = 0;
        while ((id = strtok_r(line, " \t\r", &line)) != NULL)
            if (!read_id(id, &workload->ids[workload->n_tokens + n++]))
                return program_fail("'%s', line %zu: '%.*s' is not a token id", path, number,
                                    WRONG_BYTES, id);
        if (n > 0)
            end_sequence(workload, n);
    }
    return workload->n > 0 ? PROGRAM_DONE : program_fail("'%s' has no token ids", path);
}

int workload_read(struct workload *workload, const char *path)
{
    char *data;
    size_t len, n_lines = 1;
    int code = input_read(path, &data, &len);
    if (code != PROGRAM_DONE)
        return code;
    name_of_file(workload, path);
    for (size_t i = 0; i < len; i++)
        n_lines += data[i] == '\n';
    make_room(workload, n_lines, len / 2 + 1); /* an id and a blank are two bytes */
    if (memchr(data, '\0', len) != NULL)
        code = program_fail("'%s' has a NUL byte, which is not a token id", path);
    else
        code = read_lines(workload, path, data);
    free(data);
    return code;
}
