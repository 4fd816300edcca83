/* shard_number.c - see shard_number.h. */
#include "tools/encode/corpus/shard_number.h"

#include "tools/common/options.h"

#include <stdlib.h>
#include <string.h>

enum { SHARDS_MOST = 1000000 };

/* Variables of an environment that starts the same command several times. */
static const struct {
    const char *index, *first, *count; /* first: the index of shard 1; NULL: 0 */
} LAUNCHERS[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
    {"OMPI_COMM_WORLD_RANK", NULL, "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", NULL, "PMI_SIZE"},
};
enum { N_LAUNCHERS = sizeof LAUNCHERS / sizeof LAUNCHERS[0] };

/* `otherwise` where it is not set. */
static size_t read_variable(const char *name, size_t otherwise)
{
    const char *text = name ? getenv(name) : NULL;
    return text ? option_count(name, text, 0, INT32_MAX) : otherwise;
}

static struct shard_number find_number(const char *option)
{
    size_t i = 0;
    while (i < N_LAUNCHERS && !getenv(LAUNCHERS[i].index))
        i++;
    if (i == N_LAUNCHERS)
        program_die_misused(
            "%s auto is for job arrays of Slurm and for MPI: neither SLURM_ARRAY_TASK_ID nor "
            "OMPI_COMM_WORLD_RANK nor PMI_RANK is set; I/N names a shard",
            option);
    const size_t first = read_variable(LAUNCHERS[i].first, 0);
    const size_t index = read_variable(LAUNCHERS[i].index, 0);
    const size_t count = read_variable(LAUNCHERS[i].count, 0);
    if (index < first || index - first >= count)
        program_die_misused("%s auto: %s and %s do not make one of N shards", option,
                            LAUNCHERS[i].index, LAUNCHERS[i].count);
    return (struct shard_number){index - first + 1, count};
}

struct shard_number shard_number_read(const char *option, const char *text)
{
    char *end = NULL;
    if (strcmp(text, "auto") == 0)
        return find_number(option);
    const bool is_pair = strspn(text, "0123456789/") == strlen(text) && text[0] != '/';
    const unsigned long long index = is_pair ? strtoull(text, &end, 10) : 0;
    const unsigned long long count = end && *end == '/' ? strtoull(end + 1, &end, 10) : 0;
    if (!end || *end || index < 1 || index > count || count > SHARDS_MOST)
        program_die_misused("%s takes I/N, I from 1 to N and N at most %d, or auto; not '%s'",
                            option, SHARDS_MOST, text);
    return (struct shard_number){(size_t)index, (size_t)count};
}
