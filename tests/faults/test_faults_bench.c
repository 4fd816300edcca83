/* tags: no-asan */
/* encode-bench with faults. Each run measures what the machine can do, which takes a third of a
 * second. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"
#include "tests/tools/import/tiny_checkpoint.h"

SET_UP()
{
    every_fault_setup();
    tiny_write_text(".", "ids.txt", "1 2 3\n4 2\n");
}

TEST(times)
{
    static const struct fault_case cases[] = {
        {"encode-bench -m ../toy.weights --ids ../ids.txt -t 1 --runs 1", NULL, true},
    };
    EVERY_FAULT(cases);
}
