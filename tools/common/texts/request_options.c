/* request_options.c - see request_options.h. */
#include "tools/common/texts/request_options.h"

const char *task_option(enum task task)
{
    static const char *const names[] = {
        [TASK_VECTORS] = "",
        [TASK_TOKENS] = "--tokens",
        [TASK_SHOW_MASK] = "--show-mask",
        [TASK_LABELS] = "--labels",
        [TASK_ENTITIES] = "--entities",
        [TASK_FILL] = "--fill",
        [TASK_RANK] = "--rank",
        [TASK_SIMILARITY] = "--similarity",
        [TASK_COMPARE] = "--compare",
    };
    return names[task];
}
