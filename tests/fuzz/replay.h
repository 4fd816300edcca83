/* replay.h - a small corpus for a fuzz target, made here: a sound input, that input cut at every
 * byte (of a long one, at every second), and with bytes changed, swapped in, doubled and taken out
 * at random (seeded). What libFuzzer finds is looked for with make fuzz; this keeps it found. */
#ifndef TESTS_FUZZ_REPLAY_H
#define TESTS_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

typedef int (*replay_target)(const uint8_t *data, size_t size);

/* Returns how many inputs the target took. */
size_t replay(replay_target target, const void *input, size_t len, size_t n_random);

#endif
