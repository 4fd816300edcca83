/* tokenizer_source.c - see tokenizer_source.h. */
#include "tools/import/tokenizer/tokenizer_source.h"

#include "tools/common/options.h"
#include "tools/common/utf8.h"
#include "tools/common/weights/keras_json.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static bool set(struct import_tokenizer *tokenizer, const char *key, const char *value, size_t len,
                struct problem *problem)
{
    struct growing_text text = {.bytes = NULL};
    bool ok = text_add(&text, value, len, problem) && parts_set(tokenizer, key, &text, problem);
    free(text.bytes);
    return ok;
}

static bool set_text(struct import_tokenizer *tokenizer, const char *key, const char *value,
                     struct problem *problem)
{
    return set(tokenizer, key, value, strlen(value), problem);
}

static void start(struct import_tokenizer *tokenizer)
{
    *tokenizer =
        (struct import_tokenizer){.unknown = -1, .cls = -1, .sep = -1, .pad = -1, .mask = -1};
}

/* The list's arrays become the tokenizer's. */
static void move_words(struct import_tokenizer *tokenizer, struct word_list *words)
{
    tokenizer->texts = words->texts;
    tokenizer->lens = words->lens;
    tokenizer->n = words->n;
    words->texts = NULL;
    words->lens = NULL;
    words->n = 0;
    word_list_free(words);
}

static bool set_keras(struct import_tokenizer *tokenizer, const struct token_source *source,
                      struct problem *problem)
{
    const struct bytes_copy *filters = &source->filters, *split = &source->split;
    return set(tokenizer, "filters", filters->data, filters->len, problem) &&
           set(tokenizer, "split", split->data, split->len, problem) &&
           set_text(tokenizer, "char_level", source->char_level ? "yes" : "no", problem) &&
           (source->num_words == 0 ||
            parts_set_number(tokenizer, "num_words", (int64_t)source->num_words, problem));
}

static void cut_words(struct token_source *source)
{
    size_t most = source->num_words > 0 ? (size_t)source->num_words : SIZE_MAX;
    if (source->unknown != WORD_NONE && source->unknown >= most)
        most = source->unknown + 1;
    while (source->words.n > most)
        free(source->words.texts[--source->words.n]);
}

bool import_tokenizer_take(struct import_tokenizer *tokenizer, struct token_source *source,
                           struct problem *problem)
{
    start(tokenizer);
    if (source->unknown != WORD_NONE)
        tokenizer->unknown = (int32_t)source->unknown;
    tokenizer->lowercases = source->lower;
    bool ok = set_text(tokenizer, "kind", source->is_keras ? "keras" : "blanks", problem) &&
              set_text(tokenizer, "lower", source->lower ? "yes" : "no", problem) &&
              (!source->is_keras || set_keras(tokenizer, source, problem)) &&
              (tokenizer->unknown < 0 ||
               parts_set_number(tokenizer, "unknown", tokenizer->unknown, problem));
    cut_words(source);
    move_words(tokenizer, &source->words);
    token_source_free(source);
    if (!ok)
        import_tokenizer_free(tokenizer);
    return ok;
}

bool import_tokenizer_keras(struct import_tokenizer *tokenizer, const char *name, const char *text,
                            size_t len, struct problem *problem)
{
    struct token_source source;
    bool ok = token_source_begin(&source, true) == PROGRAM_DONE || problem_memory(problem);
    if (ok && keras_json_read(&source, name, text, len, problem))
        return import_tokenizer_take(tokenizer, &source, problem);
    token_source_free(&source);
    return false;
}

/* ---- Kind words ---- */

enum { IS_WORD = 1, IS_PUNCTUATION = 2, IS_BLANK = 4 };

/* By general category, which is near enough to tell which words to keep whole. */
static unsigned kind_of(uint32_t character)
{
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND: return IS_WORD;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return IS_PUNCTUATION;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return IS_BLANK;
    default: return character < 0x80 ? IS_PUNCTUATION : 0;
    }
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
        last = kind_of(character);
        first = all == 0 ? last | 8 : first;
        all |= last | 8; /* so that it is not 0 any more */
    }
    return (first & IS_WORD) && last == IS_WORD && (all & IS_PUNCTUATION) && !(all & IS_BLANK);
}

/* n: cut from the text when it is in lower case; w: only where no letter stands beside them. */
static bool keep_joined(struct import_tokenizer *tokenizer, const struct word_list *words,
                        struct problem *problem)
{
    struct growing_text list = {.bytes = NULL};
    bool ok = true;
    for (size_t id = 0; ok && id < words->n; id++)
        if (is_joined(words->texts[id], words->lens[id]))
            ok = text_format(&list, problem, "%s%zu:nw", list.len > 0 ? " " : "", id);
    ok = ok && (list.len == 0 || parts_set(tokenizer, "added", &list, problem));
    free(list.bytes);
    return ok;
}

bool import_tokenizer_take_words(struct import_tokenizer *tokenizer, struct word_list *words,
                                 bool lower, bool at_blanks, size_t unknown,
                                 struct problem *problem)
{
    const char *splitter = at_blanks ? "blanks" : "blanks punctuation";
    start(tokenizer);
    tokenizer->unknown = (int32_t)unknown;
    tokenizer->lowercases = lower;
    bool ok = set_text(tokenizer, "kind", "words", problem) &&
              (!lower || set_text(tokenizer, "normalizer", "lower", problem)) &&
              set_text(tokenizer, "splitter", splitter, problem) &&
              parts_set_number(tokenizer, "unknown", tokenizer->unknown, problem) &&
              (at_blanks || keep_joined(tokenizer, words, problem));
    move_words(tokenizer, words);
    if (!ok)
        import_tokenizer_free(tokenizer);
    return ok;
}
