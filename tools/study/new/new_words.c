/* new_words.c - words of a new model's tokenizer, from the command line or a list; see
 * new_words.h. */
#include "tools/study/new/new_words.h"

#include "tools/common/options.h"
#include "tools/common/print/display.h"

#include <string.h>
#include <utf8proc.h>

/* ---- Words ---- */

/* Appends a text unless it is in the list. */
static void append_once(struct word_list *words, const char *text, size_t len)
{
    if (word_list_find(words, text, len) == WORD_NONE)
        word_list_append(words, text, len);
}

void new_words_add(struct tokenizer_draft *draft, const char *token)
{
    if (token[0] == '\0' || !utf8_is_valid(token, strlen(token)))
        program_die_misused("--add-token takes a token that is UTF-8 and not empty");
    append_once(&draft->words, token, strlen(token));
}

/* Finds the token for unknown words; if it is absent, appends it, with a note if is_noted. */
static void find_unknown(struct tokenizer_draft *draft, bool is_noted)
{
    static const char *const names[] = {"[UNK]", "<unk>"};
    for (size_t i = 0; i < 2 && draft->unknown == WORD_NONE; i++)
        draft->unknown = word_list_find(&draft->words, names[i], strlen(names[i]));
    if (draft->unknown != WORD_NONE)
        return;
    draft->unknown = draft->words.n;
    word_list_append(&draft->words, names[0], strlen(names[0]));
    if (is_noted)
        program_note("the list has no [UNK] and no <unk>; [UNK] is appended as id %zu",
                     draft->unknown);
}

void new_words_words(struct tokenizer_draft *draft, const char *words)
{
    static const char blanks[] = " \t\r\n\v\f";
    if (!utf8_is_valid(words, strlen(words)))
        program_die_misused("--words is not UTF-8");
    words += strspn(words, blanks);
    if (*words == '\0')
        program_die_misused("--words has no word");
    for (size_t len; *words != '\0'; words += len, words += strspn(words, blanks)) {
        len = strcspn(words, blanks);
        append_once(&draft->words, words, len);
    }
    find_unknown(draft, false);
}

/* ---- Lists ---- */

/* Whether a text has a character of Unicode's property White_Space, at which texts are split. */
static bool has_blank(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
        if ((character >= '\t' && character <= '\r') || character == 0x85 ||
            (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP))
            return true;
    }
    return false;
}

void new_words_list(struct tokenizer_draft *draft, const char *path, const char *data, size_t len,
                    bool splits_at_blanks)
{
    struct word_list *words = &draft->words;
    const char *line = data + utf8_mark_len(data, len), *end = data + len, *next;
    for (; line < end; line = next) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((line_end != NULL ? line_end : end) - line), number = words->n + 1;
        next = line + n + (line_end != NULL);
        n -= n > 0 && line[n - 1] == '\r';
        size_t other = word_list_find(words, line, n);
        if (!utf8_is_valid(line, n))
            program_die("'%s', line %zu: not UTF-8", path, number);
        if (splits_at_blanks && has_blank(line, n))
            program_die(
                "'%s', line %zu: this token has a blank in it, and texts are split at blanks", path,
                number);
        if (other != WORD_NONE)
            program_die("'%s', line %zu: the same token is in line %zu", path, number, other + 1);
        word_list_append(words, line, n);
    }
    if (words->n == 0)
        program_die("'%s': has no tokens", path);
    find_unknown(draft, true);
}
