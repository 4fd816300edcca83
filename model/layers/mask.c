/* mask.c - the padding mask: which tokens of a padded row are not padding. */
#include "model/layers/mask.h"

struct kept_tokens mask_kept(const uint8_t *mask, size_t n)
{
    struct kept_tokens kept = {0};
    if (mask == NULL)
        return (struct kept_tokens){.n_kept = n, .span = n};
    for (size_t i = 0; i < n; i++) {
        if (!mask_keeps(mask, i))
            continue;
        if (kept.n_kept++ == 0)
            kept.first = i;
        kept.span = i - kept.first + 1;
    }
    return kept;
}
