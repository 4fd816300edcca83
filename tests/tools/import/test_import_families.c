/* encode-import and the engine together on the families beside BERT, against numbers computed in
 * float64 from the same directories (shared/checkpoints): every kind that checkpoints.py makes, and
 * what their config.json may say otherwise.
 *
 * Tolerance: 2e-5 absolute for states, pooled vectors and logits, as oracle.h compares them. Their
 * scores are sharp on purpose and some have five layers and no norm between them: twice what BERT
 * is held to. */
#include "tests/tools/import/oracle.h"

#include <stdio.h>
#include <stdlib.h>

static const double TOLERANCE = 2e-5;

static void check_kinds(const char *const (*kinds)[ORACLE_ARGUMENTS], size_t n)
{
    char script[SUPPORT_PATH];
    if (!oracle_can_make(script))
        skip();
    for (size_t i = 0; i < (support_sanitized() ? 1 : n); i++)
        oracle_check(script, kinds[i], TOLERANCE);
}
#define CHECK(kinds) check_kinds(kinds, sizeof kinds / sizeof kinds[0])

/* Positions from 2, one type of tokens, heads of their own. */
TEST(roberta)
{
    static const char *const kinds[][ORACLE_ARGUMENTS] = {
        {"roberta"},
        {"roberta", "--set", "pad_token_id=3", "--longest", "510", "--dtype", "bf16"},
        {"roberta-classifier", "--dtype", "f16"},
        {"xlm-roberta", "--pooling", "cls", "--seed", "2"},
        {"xlm-roberta-reranker"},
    };
    CHECK(kinds);
}

/* Layers that share their tensors. */
TEST(albert)
{
    static const char *const kinds[][ORACLE_ARGUMENTS] = {
        {"albert"},
        {"albert", "--dtype", "f16", "--layers", "5", "--seed", "2"},
    };
    CHECK(kinds);
}

SET_UP()
{
    oracle_setup();
}
