/* tokenizer_vocab.c - tokenizers without a tokenizer.json: a vocab.txt, one token per line, or a
 * vocab.json with merges.txt. The class of the tokenizer says the rest: its special tokens, how it
 * splits, its templates. */
#include "tools/common/print/utf8.h"
#include "tools/import/files/known_keys.h"
#include "tools/import/tokenizer/tokenizer_class.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the line at text[*at], [*len] without LF or CR LF, or NULL; moves *at past it. */
static const char *next_line(const char *text, size_t text_len, size_t *at, size_t *len)
{
    if (*at == text_len)
        return NULL;
    const char *line = text + *at, *end = memchr(line, '\n', text_len - *at);
    *len = end != NULL ? (size_t)(end - line) : text_len - *at;
    *at += *len + (end != NULL);
    *len -= *len > 0 && line[*len - 1] == '\r';
    return line;
}

/* The class that makes a tokenizer of such a vocabulary. */
static const struct reference_class *find_class(const struct tokenizer_beside *beside,
                                                const char *files, const char *kind,
                                                const char *expected)
{
    const struct reference_class *class = class_find(beside, false);
    const char *name = tokenizer_class_name(beside), *type = tokenizer_model_type(beside);
    if (class == NULL || strcmp(class->kind, kind) != 0 || class->falls_back)
        program_die("%s without a tokenizer.json: the 'tokenizer_class' is '%.100s' and the "
                    "'model_type' '%.100s'; expected one of %s",
                    files, name != NULL ? name : "not given", type != NULL ? type : "not given",
                    expected);
    return class;
}

/* ---- vocab.txt of BERT ---- */

/* Model types whose own classes read a vocab.txt by other rules than BERT's. */
static const char OTHER_TYPES[] =
    " roformer bert-japanese convbert dpr funnel layoutlmv2 layoutlmv3 "
    "markuplm prophetnet roc_bert splinter tapas ";

/* By the name of the class; else by the type of the model; else it is BERT's, since no class of
 * other models reads a vocab.txt. */
static const struct reference_class *find_word_class(struct import_tokenizer *tokenizer,
                                                     const struct tokenizer_beside *beside)
{
    const struct json_file *config = &beside->config;
    if (config->root != NULL && (!json_flag(config, NULL, "do_basic_tokenize", true) ||
                                 json_array_size(json_member(config, NULL, "never_split")) > 0))
        file_die(config->name,
                 "'do_basic_tokenize' is false or 'never_split' has words; expected neither");
    const char *type = tokenizer_model_type(beside);
    bool is_mpnet = type != NULL && strcmp(type, "mpnet") == 0;
    if (is_mpnet && word_list_find(&tokenizer->draft.words, "</s>", 4) == WORD_NONE) {
        snprintf(
            tokenizer->note, sizeof tokenizer->note,
            "the vocab.txt has no '</s>', which MPNet's tokenizer needs: it is read as BERT's");
        is_mpnet = false;
    }
    if (tokenizer_class_name(beside) == NULL &&
        (type == NULL || !name_is_listed(OTHER_TYPES, type)))
        return class_named(is_mpnet ? "MPNetTokenizer" : "BertTokenizer");
    return find_class(beside, "a vocab.txt", "wordpiece",
                      "BertTokenizer, DistilBertTokenizer, ElectraTokenizer, MPNetTokenizer");
}

/* Line i is token i; an empty one is an id without text. */
void tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_beside *beside)
{
    struct json_tokenizer json = {.tokenizer = tokenizer, .beside = beside, .is_vocabulary = true};
    const char *line;
    size_t at = 0, n = 0;
    char unknown[64];
    for (uint64_t id = 0; (line = next_line(text, len, &at, &n)) != NULL; id++) {
        if (!utf8_is_valid(line, n))
            file_die(tokenizer->name, "line %" PRIu64 " is not UTF-8", id + 1);
        token_place(tokenizer, id, line, n);
        json.n_model++;
    }
    json.class = find_word_class(tokenizer, beside);
    tokenizer->draft.unknown =
        special_id(tokenizer, class_special(json.class, beside, UNK, unknown));
    json.file.root = json_object();
    class_tokens_set(&json);
    added_tokens_read(&json);
    class_settings_set(&json, beside, json.class);
}

/* ---- vocab.json and merges.txt of BPE ---- */

/* The model as a tokenizer.json has it. merges.txt has a merge on each line; the first one may name
 * the version. */
static json_t *make_model(const struct tokenizer_beside *beside,
                          const struct reference_class *class, json_t *vocabulary)
{
    char text[64];
    const char *line, *unknown = class_special(class, beside, UNK, text);
    json_t *merges = json_array();
    size_t at = 0, n = 0;
    for (size_t i = 1; (line = next_line(beside->merges, beside->merges_len, &at, &n)) != NULL;
         i++) {
        if (!utf8_is_valid(line, n) || memchr(line, '\0', n) != NULL)
            program_die("merges.txt: line %zu is not UTF-8", i);
        if (n > 0)
            json_array_append_new(merges, json_stringn(line, n));
    }
    return json_pack("{s:s, s:s*, s:O, s:s*, s:o}", "type", "BPE", "end_of_word_suffix",
                     class->suffix, "vocab", vocabulary, "unk_token",
                     class->unknown == UNK_TOKEN ? unknown : NULL, "merges", merges);
}

/* The model and the tokens become a tokenizer.json; the class says the rest. */
void bpe_files_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                    const struct tokenizer_beside *beside)
{
    static const struct json_only only[] = {{"add_bos_token", "false", false, NULL},
                                            {"add_eos_token", "false", false, NULL},
                                            {.name = NULL}};
    struct json_tokenizer json = {.tokenizer = tokenizer, .beside = beside, .is_vocabulary = true};
    json.class = find_class(beside, "a vocab.json and a merges.txt", "bpe",
                            "RobertaTokenizer, LongformerTokenizer, BartTokenizer, GPT2Tokenizer, "
                            "CodeGenTokenizer, CLIPTokenizer, Qwen2Tokenizer");
    json_only_check(&beside->config, only);
    json_file_parse(&json.file, "vocab.json", text, len, false);
    json.file.root = json_pack("{s:o}", "model", make_model(beside, json.class, json.file.root));
    json_parts_read(&json);
    class_settings_set(&json, beside, json.class);
}
