/* tags: numbers aarch64 */
/* Counts one by one the keys that a query sees, and the keys that a padding mask leaves. */
#include "tests/owned.h"
#include "tests/support.h"

#include "model/layers/attention.h"

/* 0: no window. */
TEST(windows)
{
    static const size_t windows[] = {0, 1, 2, 10, 69, 70, SIZE_MAX};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct band around = mask_band(MASK_FULL, windows[i]);
        struct band before = mask_band(MASK_CAUSAL, windows[i]);
        for (size_t n_keys = 0; n_keys <= 70; n_keys += 1 + n_keys / 4)
            for (size_t query = 0; query <= n_keys + 2; query++) {
                struct key_range seen = mask_visible(around, query, n_keys);
                struct key_range seen_before = mask_visible(before, query, n_keys);
                for (size_t key = 0; key < n_keys + 3; key++) {
                    size_t distance = key > query ? key - query : query - key;
                    bool is_near = key < n_keys && (windows[i] == 0 || distance <= windows[i]);
                    assert_int_equal(key >= seen.begin && key < seen.end, is_near);
                    assert_int_equal(key >= seen_before.begin && key < seen_before.end,
                                     is_near && key <= query);
                }
            }
    }
}

/* Every mask of up to 10 tokens; any byte but 0 keeps its token. */
TEST(kept)
{
    for (size_t n = 0; n <= 10; n++) {
        for (unsigned bits = 0; bits < 1u << n; bits++) {
            uint8_t *mask = new_bytes(n);
            size_t n_kept = 0, first = n, last = 0;
            for (size_t i = 0; i < n; i++) {
                mask[i] = (uint8_t)((bits >> i & 1) * (1 + i * 25));
                assert_int_equal(mask_keeps(mask, i), bits >> i & 1);
                if ((bits >> i & 1) == 0)
                    continue;
                n_kept++;
                first = first < i ? first : i;
                last = i;
            }
            struct kept_tokens kept = mask_kept(mask, n);
            assert_int_equal(kept.n_kept, n_kept);
            if (n_kept > 0)
                assert_true(kept.first == first && kept.span == last - first + 1);
        }
    }
}
