/* trie_writer.h - makes the double array that model/tokenizer/trie.h walks. */
#ifndef TOOLS_TRIE_WRITER_H
#define TOOLS_TRIE_WRITER_H

#include <stddef.h>
#include <stdint.h>

/* Texts by their numbers; NULL texts are skipped, others have no NUL byte and at most 1024 bytes,
 * and no two are the same. Returns *n_units units. */
uint32_t *trie_write(const char *const *texts, const size_t *lens, size_t n, size_t *n_units);

#endif
