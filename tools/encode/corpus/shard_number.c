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

static bool read_variable(const char *name, size_t *value)
{
    const char *text = getenv(name);
    return text && option_count(name, text, 0, INT32_MAX, value);
}

static bool find_number(const char *option, struct shard_number *number)
{
    for (size_t i = 0; i < sizeof LAUNCHERS / sizeof LAUNCHERS[0]; i++) {
        size_t index, count, first = 0;
        if (!getenv(LAUNCHERS[i].index))
            continue;
        if (LAUNCHERS[i].first && getenv(LAUNCHERS[i].first))
            read_variable(LAUNCHERS[i].first, &first);
        if (read_variable(LAUNCHERS[i].index, &index) &&
            read_variable(LAUNCHERS[i].count, &count) && index >= first && index - first < count) {
            *number = (struct shard_number){index - first + 1, count};
            return true;
        }
        return program_refuse("%s auto: %s and %s do not make one of N shards", option,
                              LAUNCHERS[i].index, LAUNCHERS[i].count);
    }
    return program_refuse(
        "%s auto is for job arrays of Slurm and for MPI: neither SLURM_ARRAY_TASK_ID nor "
        "OMPI_COMM_WORLD_RANK nor PMI_RANK is set; I/N names a shard",
        option);
}

bool shard_number_read(const char *option, const char *text, struct shard_number *number)
{
    char *end = NULL;
    if (strcmp(text, "auto") == 0)
        return find_number(option, number);
    const bool is_pair = strspn(text, "0123456789/") == strlen(text) && text[0] != '/';
    const unsigned long long index = is_pair ? strtoull(text, &end, 10) : 0;
    const unsigned long long count = end && *end == '/' ? strtoull(end + 1, &end, 10) : 0;
    if (!end || *end || index < 1 || index > count || count > SHARDS_MOST)
        return program_refuse("%s takes I/N, I from 1 to N and N at most %d, or auto; not '%s'",
                              option, SHARDS_MOST, text);
    *number = (struct shard_number){(size_t)index, (size_t)count};
    return true;
}
