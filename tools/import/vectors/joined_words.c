/* joined_words.c - see joined_words.h. */
#include "tools/import/vectors/joined_words.h"

#include "tools/common/print/utf8.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <utf8proc.h>

enum { IS_WORD = 1, IS_PUNCTUATION = 2, IS_BLANK = 4, IS_CHARACTER = 8 };

/* By general category, which is near enough to tell which words to keep whole. The ranges are those
 * of utf8proc_category_t. */
static unsigned kind_of(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    if ((category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_MC) ||
        category == UTF8PROC_CATEGORY_ND)
        return IS_WORD;
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return IS_PUNCTUATION;
    if (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CC)
        return IS_BLANK;
    return character < 0x80 ? IS_PUNCTUATION : 0;
}

/* A letter or digit at both ends, punctuation between them and no blank; then there may be a full
 * stop ("u.s."). */
static bool is_joined(const char *text, size_t len)
{
    unsigned first = 0, last = 0, all = 0;
    len -= len > 0 && text[len - 1] == '.';
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        last = kind_of(character) | IS_CHARACTER;
        first = all == 0 ? last : first;
        all |= last;
    }
    return (first & IS_WORD) && (last & IS_WORD) && (all & IS_PUNCTUATION) && !(all & IS_BLANK);
}

/* n: cut from the text when it is in lower case; w: only where no letter stands beside them. */
static void keep_joined(struct tokenizer_draft *draft)
{
    struct blank_list list;
    list_open(&list);
    for (size_t id = 0; id < draft->words.n; id++)
        if (is_joined(draft->words.texts[id], draft->words.lens[id]))
            list_add(&list, "%zu:nw", id);
    list_set(&list, draft, "added");
}

void joined_words_set(struct tokenizer_draft *draft, bool at_blanks)
{
    draft_set_text(draft, "kind", "words");
    if (draft->lower)
        draft_set_text(draft, "normalizer", "lower");
    draft_set_text(draft, "splitter", at_blanks ? "blanks" : "blanks punctuation");
    draft_set_number(draft, "unknown", draft->unknown);
    if (!at_blanks)
        keep_joined(draft);
}
