/* tags: no-asan */
/* engine.h with every fault: calls.c opens models, mapped and copied, and encodes. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"
#include "tests/tools/encode/head_models.h"

SET_UP()
{
    every_fault_setup();
    head_models_write();
}

/* What a model answers asks the system for nothing more: the head's models meet the same faults. */
TEST(calls)
{
    static const struct fault_case cases[] = {
        {"tests/faults/calls ../toy.weights ride", NULL, false},
        {"tests/faults/calls ../projected.emb dog", NULL, false},
        {"tests/faults/calls ../projected.emb dog copy", NULL, false},
    };
    EVERY_FAULT(cases);
}
