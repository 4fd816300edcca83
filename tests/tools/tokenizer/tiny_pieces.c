/* tiny_pieces.c - see tiny_pieces.h. */
#include "tests/tools/tokenizer/tiny_pieces.h"

#include <string.h>

static void put_field(struct tiny_bytes *out, unsigned key, const void *data, size_t len)
{
    const uint8_t head[] = {(uint8_t)(key << 3 | 2), (uint8_t)(len % 128 | 128),
                            (uint8_t)(len / 128)};
    tiny_put(out, head, sizeof head);
    tiny_put(out, data, len);
}

static void put_piece(struct tiny_bytes *out, const char *text, float score)
{
    const bool is_control = text[0] == '<' || text[0] == '[';
    struct tiny_bytes piece = {.len = 0};
    put_field(&piece, 1, text, strlen(text));
    tiny_put(&piece, "\x15", 1);
    tiny_put(&piece, &score, sizeof score);
    tiny_put(&piece, (uint8_t[]){3 << 3, is_control ? 3 : 1}, 2);
    put_field(out, 1, piece.bytes, piece.len);
}

void tiny_pieces(struct tiny_bytes *out, const char *const *pieces, size_t n, uint8_t type,
                 uint8_t unknown)
{
    static const char map[] = "\4\0\0\0\0\0\0\0x"; /* a trie of one empty unit, and a text */
    struct tiny_bytes normalizer = {.len = 0};
    for (size_t i = 0; i < n; i++)
        put_piece(out, pieces[i], -(float)i);
    put_field(out, 2, (uint8_t[]){3 << 3, type, 0xC0, 0x02, unknown}, 5);
    put_field(&normalizer, 2, map, sizeof map);
    put_field(out, 3, normalizer.bytes, normalizer.len);
}
