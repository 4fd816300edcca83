/* comparison.h - one model, its file read by both implementations, and all results of the engine
 * for some texts, compared with the reference's.
 *
 * Differences are |engine - reference| / max(1, |reference|). Both read the same stored weights,
 * also where those are f16, bf16 or int8, so that the only difference is that of single and double
 * precision: a few units of 6e-8 for each of some tens of steps, far below 1e-5. */
#ifndef TESTS_ENGINE_COMPARISON_H
#define TESTS_ENGINE_COMPARISON_H

#include "engine/plain/answers.h"
#include "tests/owned.h"
#include "tests/support.h"

enum { MAX_TEXTS = 128, MAX_LEN = 128 };

struct subject {
    char path[SUPPORT_PATH], words[700]; /* the options of encode-new that made it */
    engine_model *model;
    struct plain_weights weights;
    engine_info info;
};

struct texts {
    size_t n;
    engine_input inputs[MAX_TEXTS];
    struct plain_output *expected[MAX_TEXTS];
};

/* Makes a model of these options of encode-new and opens it with both; isa NULL: the best there is.
 * Released after the test, as texts are. */
__attribute__((format(printf, 2, 3))) struct subject *comparison_make(const char *isa,
                                                                      const char *words, ...);
void comparison_reopen(struct subject *subject, const char *isa);

/* The reference's result for an input, released after the test. */
struct plain_output *comparison_expected(const struct plain_weights *weights,
                                         const struct plain_input *input,
                                         const struct plain_options *options);

/* Random texts of these lengths, and the reference's results for them. */
struct texts *comparison_texts(const struct subject *subject, const size_t *lens, size_t n,
                               uint64_t seed, const struct plain_options *options);

/* Compares hidden states, attention maps, tokens and all poolings of a session with these options.
 */
void comparison_run(const struct subject *subject, const struct texts *texts,
                    engine_session_options options);

/* The largest differences since the last start are printed and asserted. */
void comparison_start(void);
void comparison_finish(void);

#endif
