/* workload.c - sequences of token ids. Random ids are spread evenly over the vocabulary: they
 * matter only for the rows of the embedding table that are read. */
#include "tools/study/bench/workload.h"

#include "tools/common/alloc.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/common/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void workload_free(struct workload *workload)
{
    free(workload->inputs);
    free(workload->ids);
    *workload = (struct workload){0};
}

/* Ends the next sequence, of n ids after those of the others. */
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

/* Lengths are least + (most - least) · u^2.36, where u goes over 0 .. 1 evenly, in no order: from 8
 * to 40 the mean is 17.5. */
void workload_random(struct workload *workload, const char *name, size_t n_vocabulary,
                     uint64_t seed)
{
    static const size_t STEP = 211; /* visits each index below 512 once */
    const bool is_thr = strcmp(name, "thr") == 0, is_thr128 = strcmp(name, "thr128") == 0;
    const size_t length = strtoul(name + strcspn(name, "0123456789"), NULL, 10); /* of lat16: 16 */
    const size_t n = is_thr ? 512 : is_thr128 ? 64 : 1;
    const size_t least = is_thr ? 8 : length, most = is_thr ? 40 : length;
    snprintf(workload->name, sizeof workload->name, "%s", name);
    workload->inputs = alloc_zeros(n, sizeof *workload->inputs);
    workload->ids = alloc_zeros(n * most, sizeof *workload->ids);
    for (size_t i = 0; i < n; i++) {
        double u = ((double)(i * STEP % n) + 0.5) / (double)n;
        size_t n_ids = least + (size_t)(pow(u, 2.36) * (double)(most - least) + 0.5);
        for (size_t t = 0; t < n_ids; t++)
            workload->ids[workload->n_tokens + t] = (int32_t)random_below(&seed, n_vocabulary);
        end_sequence(workload, n_ids);
    }
}

/* ---- Ids of a file ---- */

/* Reads a sequence of each line that has ids. Changes the text. */
static int read_id_lines(struct workload *workload, const char *path, char *text)
{
    char *line, *id;
    for (size_t number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        size_t n = 0;
        while ((id = strtok_r(line, " \t\r", &line)) != NULL) {
            long long value = strtoll(id, NULL, 10);
            if (id[strspn(id, "0123456789")] != '\0' || value > INT32_MAX)
                return program_fail("'%s', line %zu: '%.40s' is not a token id", path, number, id);
            workload->ids[workload->n_tokens + n++] = (int32_t)value;
        }
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
    display_copy(path_name(path), workload->name, sizeof workload->name);
    char *dot = strrchr(workload->name, '.');
    if (dot != NULL && dot > workload->name)
        *dot = '\0';
    for (size_t i = 0; i < len; i++)
        n_lines += data[i] == '\n';
    workload->inputs = alloc_zeros(n_lines, sizeof *workload->inputs);
    workload->ids = alloc_zeros(len / 2 + 1, sizeof *workload->ids); /* of two bytes at least */
    if (memchr(data, '\0', len) != NULL)
        code = program_fail("'%s' has a NUL byte, which is not a token id", path);
    else
        code = read_id_lines(workload, path, data);
    free(data);
    return code;
}
