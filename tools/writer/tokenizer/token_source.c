/* token_source.c - words and word lists; see token_source.h. fit.c is the other source. */
#include "tools/writer/tokenizer/token_source.h"

#include "tools/common/options.h"
#include "tools/common/print/utf8.h"

#include <string.h>
#include <utf8proc.h>

/* ---- Tokens ---- */

/* A token that is there keeps its id. */
static void append_once(struct word_list *words, const char *text, size_t len)
{
    if (word_list_find(words, text, len) == WORD_NONE)
        word_list_append(words, text, len);
}

void token_source_add(struct tokenizer_draft *draft, const char *token)
{
    if (token[0] == '\0' || !utf8_is_valid(token, strlen(token)))
        program_die_misused("--add-token takes a token that is UTF-8 and not empty");
    append_once(&draft->words, token, strlen(token));
}

static void find_unknown(struct tokenizer_draft *draft, bool tell)
{
    static const char *const names[] = {"[UNK]", "<unk>"};
    for (size_t i = 0; i < 2 && draft->unknown == WORD_NONE; i++)
        draft->unknown = word_list_find(&draft->words, names[i], strlen(names[i]));
    if (draft->unknown != WORD_NONE)
        return;
    draft->unknown = draft->words.n;
    word_list_append(&draft->words, names[0], strlen(names[0]));
    if (tell)
        program_note("the list has no [UNK] and no <unk>; [UNK] is appended as id %zu",
                     draft->unknown);
}

void token_source_words(struct tokenizer_draft *draft, const char *words)
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

/* Unicode's property White_Space, at which texts are split. */
static bool is_white_space(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    return (character >= '\t' && character <= '\r') || character == 0x85 ||
           (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP);
}

static bool has_blank(const char *text, size_t len)
{
    uint32_t character;
    for (size_t at = 0; at < len;) {
        at += utf8_next(text + at, len - at, &character);
        if (is_white_space(character))
            return true;
    }
    return false;
}

static void add_line(struct word_list *words, const char *path, const char *line, size_t len,
                     bool splits_at_blanks)
{
    size_t number = words->n + 1, other = word_list_find(words, line, len);
    if (!utf8_is_valid(line, len))
        program_die("'%s', line %zu: not UTF-8", path, number);
    if (splits_at_blanks && has_blank(line, len))
        program_die("'%s', line %zu: this token has a blank in it, and texts are split at blanks",
                    path, number);
    if (other != WORD_NONE)
        program_die("'%s', line %zu: the same token stands in line %zu", path, number, other + 1);
    word_list_append(words, line, len);
}

void token_source_list(struct tokenizer_draft *draft, const char *path, const char *data,
                       size_t len, bool splits_at_blanks)
{
    const char *line = data + utf8_mark_len(data, len), *end = data + len;
    while (line < end) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((line_end != NULL ? line_end : end) - line);
        bool has_return = n > 0 && line[n - 1] == '\r';
        add_line(&draft->words, path, line, n - has_return, splits_at_blanks);
        line += n + (line_end != NULL);
    }
    if (draft->words.n == 0)
        program_die("'%s': has no tokens", path);
    find_unknown(draft, true);
}
