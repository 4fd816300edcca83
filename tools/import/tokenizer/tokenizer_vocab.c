/* tokenizer_vocab.c - a vocab.txt, one token per line, and what BertTokenizer makes of it: the
 * steps and the frame of BERT, special tokens by their names.
 */
#include "tools/import/tokenizer/tokenizer_vocab.h"

#include "tools/common/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Line i is token i; lines may end with CR LF. An empty one is an id without text. */
static bool read_lines(struct import_tokenizer *tokenizer, const char *text, size_t len)
{
    uint64_t id = 0;
    for (size_t at = 0; at < len; id++) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t line = newline == NULL ? len - at : (size_t)(newline - (text + at));
        size_t n = line > 0 && text[at + line - 1] == '\r' ? line - 1 : line;
        if (!utf8_is_valid(text + at, n))
            return tokenizer_refuse(tokenizer, "line %" PRIu64 " is not UTF-8", id + 1);
        if (!parts_place(tokenizer, id, text + at, n))
            return false;
        at += line + (newline != NULL);
    }
    return true;
}

static bool check_class(const char *name, struct problem *problem)
{
    static const char *const classes[] = {"BertTokenizer", "DistilBertTokenizer",
                                          "ElectraTokenizer", "MobileBertTokenizer",
                                          "RetriBertTokenizer"};
    if (name == NULL)
        return true;
    size_t len = strlen(name);
    if (len > 4 && strcmp(name + len - 4, "Fast") == 0)
        len -= 4;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i]) == len && memcmp(classes[i], name, len) == 0)
            return true;
    return problem_say(
        problem,
        "tokenizer_config.json: 'tokenizer_class' is '%.100s', with a vocab.txt and no "
        "tokenizer.json; expected BertTokenizer, DistilBertTokenizer or ElectraTokenizer",
        name);
}

static void set_settings(struct import_tokenizer *tokenizer, const struct tokenizer_config *config)
{
    const struct bert_switches switches = {
        .clean_text = true,
        .handle_chinese_chars = config->chinese,
        .strip_accents = config->strip_accents < 0 ? config->lowercase : config->strip_accents > 0,
        .lowercase = config->lowercase,
    };
    struct tokenizer_draft *draft = &tokenizer->draft;
    struct blank_list steps;
    list_open(&steps);
    parts_bert_normalizer(&steps, &switches);
    draft_set_text(draft, "kind", "wordpiece");
    draft_set_number(draft, "unknown", draft->unknown);
    list_set(&steps, draft, "normalizer");
    draft_set_text(draft, "splitter", BERT_SPLITTER);
}

/* The frame and unknown words need their special tokens; [PAD] and [MASK] may be missing. */
static bool add_specials(struct import_tokenizer *tokenizer, const struct tokenizer_config *config)
{
    static const char *const usual[N_SPECIALS] = {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
    struct added_token tokens[N_SPECIALS];
    size_t ids[N_SPECIALS], n = 0;
    for (int i = 0; i < N_SPECIALS; i++) {
        const char *text = config->specials[i] != NULL ? config->specials[i] : usual[i];
        ids[i] = word_list_find(&tokenizer->draft.words, text, strlen(text));
        if (ids[i] == WORD_NONE && i != SPECIAL_PAD && i != SPECIAL_MASK)
            return tokenizer_refuse(tokenizer, "the special token '%.100s' is missing", text);
        if (ids[i] != WORD_NONE)
            tokens[n++] = (struct added_token){
                .content = text, .len = strlen(text), .id = (int64_t)ids[i], .special = true};
    }
    tokenizer->draft.unknown = ids[SPECIAL_UNKNOWN];
    parts_bert_template(tokenizer, ids[SPECIAL_CLS], ids[SPECIAL_SEP]);
    return parts_add_tokens(tokenizer, tokens, n);
}

bool tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_config *config)
{
    bool ok = check_class(config->class_name, tokenizer->problem) &&
              read_lines(tokenizer, text, len) && add_specials(tokenizer, config);
    if (ok)
        set_settings(tokenizer, config);
    return ok;
}
