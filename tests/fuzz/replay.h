/* replay.h - the target that libFuzzer calls, and a small corpus for it, made here: a sound input,
 * that input cut at every byte (of a long one, at every second), and with bytes changed, swapped
 * in, doubled and taken out at random (seeded). What libFuzzer finds is looked for with make fuzz;
 * this keeps it found. */
#ifndef TESTS_FUZZ_REPLAY_H
#define TESTS_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* The target, which a suite and libFuzzer call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* n_random inputs are changed ones, a tenth of it where programs run slowly. How many inputs there
 * were is printed after the last test. */
void replay(const void *input, size_t len, size_t n_random);

#endif
