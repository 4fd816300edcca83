/* tokenizer_vocab.c - a vocab.txt, one token per line, and what BertTokenizer makes of it: the
 * steps and the frame of BERT, special tokens by their names.
 */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t count_lines(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n + (len > 0 && text[len - 1] != '\n');
}

/* Line i is token i; lines may end with CR LF. An empty one is an id without text. */
static bool read_lines(struct import_tokenizer *tokenizer, const char *name, const char *text,
                       size_t len, struct problem *problem)
{
    uint64_t id = 0;
    if (!parts_reserve(tokenizer, name, count_lines(text, len), problem))
        return false;
    for (size_t at = 0; at < len; id++) {
        const char *newline = memchr(text + at, '\n', len - at);
        const size_t line = newline == NULL ? len - at : (size_t)(newline - (text + at));
        const size_t n = line > 0 && text[at + line - 1] == '\r' ? line - 1 : line;
        if (!utf8_is_valid(text + at, n))
            return problem_say(problem, "%s: line %" PRIu64 " is not UTF-8", name, id + 1);
        if (n > 0 && !parts_set_text(tokenizer, name, id, text + at, n, problem))
            return false;
        at += line + (newline != NULL);
    }
    return true;
}

static bool check_config(const struct tokenizer_config *config, struct problem *problem)
{
    static const char *const classes[] = {"BertTokenizer", "DistilBertTokenizer",
                                          "ElectraTokenizer", "MobileBertTokenizer",
                                          "RetriBertTokenizer"};
    const char *name = config->class_name;
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

static bool set_settings(struct import_tokenizer *tokenizer, const struct tokenizer_config *config,
                         struct problem *problem)
{
    const struct bert_switches switches = {
        .clean_text = true,
        .handle_chinese_chars = config->chinese,
        .strip_accents = config->strip_accents < 0 ? config->lowercase : config->strip_accents > 0,
        .lowercase = config->lowercase,
    };
    struct growing_text kind = {.bytes = NULL}, steps = {.bytes = NULL}, splitter = {.bytes = NULL};
    const bool ok = text_format(&kind, problem, "wordpiece") &&
                    parts_set(tokenizer, "kind", &kind, problem) &&
                    parts_set_number(tokenizer, "unknown", tokenizer->unknown, problem) &&
                    parts_bert_normalizer(&steps, &switches, problem) &&
                    parts_set_steps(tokenizer, "normalizer", &steps, problem) &&
                    text_format(&splitter, problem, "%s", BERT_SPLITTER) &&
                    parts_set_steps(tokenizer, "splitter", &splitter, problem);
    free(kind.bytes);
    free(steps.bytes);
    free(splitter.bytes);
    return ok;
}

/* The special tokens; the frame and unknown words need theirs. */
static bool add_specials(struct import_tokenizer *tokenizer, const char *name,
                         const struct tokenizer_config *config, struct problem *problem)
{
    const struct {
        const char *text;
        int32_t *id;
        bool needed;
    } specials[] = {
        {config->unknown, &tokenizer->unknown, true}, {config->sep, &tokenizer->sep, true},
        {config->pad, &tokenizer->pad, false},        {config->cls, &tokenizer->cls, true},
        {config->mask, &tokenizer->mask, false},
    };
    struct added_token tokens[5];
    size_t n = 0;
    for (size_t i = 0; i < 5; i++) {
        const char *text = specials[i].text;
        const int32_t id = parts_find(tokenizer, text);
        *specials[i].id = id;
        if (id < 0 && specials[i].needed)
            return problem_say(problem, "%s: the special token '%.100s' is missing", name, text);
        if (id >= 0)
            tokens[n++] = (struct added_token){
                .content = text, .len = strlen(text), .id = (uint64_t)id, .special = true};
    }
    return parts_add_tokens(tokenizer, name, tokens, n, problem);
}

bool tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *name, const char *text,
                          size_t len, const struct tokenizer_config *config,
                          struct problem *problem)
{
    static const struct tokenizer_config DEFAULTS = {
        .unknown = "[UNK]",
        .cls = "[CLS]",
        .sep = "[SEP]",
        .pad = "[PAD]",
        .mask = "[MASK]",
        .lowercase = true,
        .chinese = true,
        .strip_accents = -1,
    };
    struct tokenizer_config used = config != NULL ? *config : DEFAULTS;
    used.unknown = used.unknown != NULL ? used.unknown : DEFAULTS.unknown;
    used.cls = used.cls != NULL ? used.cls : DEFAULTS.cls;
    used.sep = used.sep != NULL ? used.sep : DEFAULTS.sep;
    used.pad = used.pad != NULL ? used.pad : DEFAULTS.pad;
    used.mask = used.mask != NULL ? used.mask : DEFAULTS.mask;
    return check_config(&used, problem) && read_lines(tokenizer, name, text, len, problem) &&
           add_specials(tokenizer, name, &used, problem) &&
           set_settings(tokenizer, &used, problem) &&
           parts_bert_template(tokenizer, (uint64_t)tokenizer->cls, (uint64_t)tokenizer->sep,
                               problem);
}
