/* heal_zip.h - makes the checksums in a zip archive right, so that a changed one is read on. */
#ifndef TESTS_FUZZ_HEAL_ZIP_H
#define TESTS_FUZZ_HEAL_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* A copy of the bytes, to be freed: those of entries' headers, one after the other from the start,
 * and 0, which is none, in the directory. */
uint8_t *heal_zip(const uint8_t *bytes, size_t n);

#endif
