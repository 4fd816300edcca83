/* tags: no-asan */
/* engine.h with every fault: calls.c goes through it, with models of each head. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"
#include "tests/tools/encode/head_models.h"

SET_UP()
{
    every_fault_setup();
    support_make_model(
        "toy.weights", "i ride bike the dog",
        "--width 8 --heads 2 --max-tokens 16 --position learned --head pooler --head-dense tanh");
    head_models_write();
}

TEST(calls)
{
    static const struct fault_case cases[] = {
        {"tests/faults/calls ../toy.weights ride", NULL, false},
        {"tests/faults/calls ../projected.emb dog", NULL, false},
        {"tests/faults/calls ../projected.emb dog copy", NULL, false},
        {"tests/faults/calls ../sequence.head good", NULL, false},
        {"tests/faults/calls ../token.head paul", NULL, false},
        {"tests/faults/calls ../mask.head [MASK]", NULL, false},
    };
    EVERY_FAULT(cases);
}
