/* tokenizer_file.c - which files say what a tokenizer is, and writing what they said; see
 * tokenizer_file.h. */
#include "tools/import/tokenizer/tokenizer_file.h"
#include "tools/import/files/known_keys.h"
#include "tools/writer/weight_writer.h"

#include "tools/common/options.h"
#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_beside.h"
#include "tools/import/tokenizer/tokenizer_json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A vocabulary of a quarter of a million tokens, written out over many lines, is 17 MB; as a tree
 * it takes four times that. */
enum { MOST_FILE_BYTES = 40 << 20 };

/* ---- Facts ---- */

static size_t find_mask(const struct word_list *words, const char *said)
{
    const char *names[] = {said != NULL ? said : "[MASK]", said != NULL ? said : "<mask>"};
    size_t id = word_list_find(words, names[0], strlen(names[0]));
    return id != WORD_NONE ? id : word_list_find(words, names[1], strlen(names[1]));
}

/* A list of the inputs that the model gets, which may be without types: then all are 0. */
static bool gives_types(const json_t *inputs)
{
    bool found = !json_is_array(inputs);
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const char *name = json_string_value(json_array_get(inputs, i));
        found = found || (name != NULL && strcmp(name, "token_type_ids") == 0);
    }
    return found;
}

static void settle_facts(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    const json_t *root = beside->config.root, *length = json_object_get(root, "model_max_length");
    const json_t *lower = json_object_get(root, "do_lower_case");
    size_t mask = find_mask(&draft->words, tokenizer_special(beside, "mask_token"));
    double most = json_number_value(length != NULL ? length : json_object_get(root, "max_len"));
    /* It is 1e30 where there is no limit. */
    tokenizer->max_length = most >= 1 && most <= INT32_MAX ? (int64_t)most : 0;
    tokenizer->lowercases = name_is_listed(draft_get(draft, "normalizer"), "lower") ||
                            strcmp(draft_get(draft, "lower"), "yes") == 0; /* Keras */
    if (json_is_boolean(lower) && json_is_true(lower) != tokenizer->lowercases)
        snprintf(tokenizer->note, sizeof tokenizer->note,
                 "tokenizer_config.json says do_lower_case %s, tokenizer.json %s: tokenizer.json "
                 "is followed",
                 json_is_true(lower) ? "true" : "false",
                 tokenizer->lowercases ? "lowercases" : "keeps capitals");
    tokenizer->gives_types = gives_types(json_object_get(root, "model_input_names"));
    if (mask != WORD_NONE)
        draft_set_number(draft, "mask_token", mask);
}

/* ---- The ways in ---- */

/* Files that say what a tokenizer is; of those that are there, the first is read. */
enum source { SOURCE_JSON, SOURCE_VOCAB, SOURCE_BPE, SOURCE_SENTENCEPIECE };
static const struct {
    const char *name;
    enum source source;
} SOURCES[] = {
    {"tokenizer.json", SOURCE_JSON},
    {"vocab.txt", SOURCE_VOCAB},
    {"vocab.json", SOURCE_BPE},
    {"sentencepiece.bpe.model", SOURCE_SENTENCEPIECE},
    {"spm.model", SOURCE_SENTENCEPIECE},
    {"spiece.model", SOURCE_SENTENCEPIECE},
    {"tokenizer.model", SOURCE_SENTENCEPIECE},
};
enum { N_SOURCES = sizeof SOURCES / sizeof *SOURCES };

/* The tokenizer in a text; the name of a file is for messages. */
static void read_text(struct import_tokenizer *tokenizer, const char *name, const char *text,
                      size_t len, enum source source, const struct tokenizer_beside *beside)
{
    *tokenizer = (struct import_tokenizer){.draft = DRAFT_EMPTY, .name = name};
    switch (source) {
    case SOURCE_JSON: tokenizer_json_read(tokenizer, text, len, beside); break;
    case SOURCE_VOCAB: tokenizer_vocab_read(tokenizer, text, len, beside); break;
    case SOURCE_BPE: bpe_files_read(tokenizer, text, len, beside); break;
    case SOURCE_SENTENCEPIECE: sentencepiece_read(tokenizer, text, len, beside); break;
    }
    settle_facts(tokenizer, beside);
    tokenizer->name = NULL; /* the caller's */
}

bool import_tokenizer_is_there(const struct folder *folder, const char *place)
{
    static const char *const others[] = {"merges.txt", "tokenizer_config.json"};
    for (size_t i = 0; i < N_SOURCES; i++)
        if (folder_has(folder, place, SOURCES[i].name))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (folder_has(folder, place, others[i]))
            return true;
    return false;
}

/* Without a tokenizer.json everything is in the file. */
static void check_alone(const struct folder *folder, const char *place, const char *name)
{
    if (folder_has(folder, place, "added_tokens.json"))
        program_die("added_tokens.json stands beside %s without a tokenizer.json; expected a "
                    "tokenizer.json (save_pretrained of a fast tokenizer writes one)",
                    name);
}

static size_t find_source(const struct folder *folder, const char *place)
{
    for (size_t i = 0; i < N_SOURCES; i++)
        if (folder_has(folder, place, SOURCES[i].name))
            return i;
    program_die("there is neither a tokenizer.json nor a vocab.txt nor a vocab.json nor a model of "
                "sentencepiece; expected one of them");
}

/* Keys of tokenizer_config.json that a class reads, each for some of the sources. */
static const char SWITCHES[] =
    " do_lower_case tokenize_chinese_chars strip_accents add_prefix_space keep_accents "
    "remove_space "
    "trim_offsets do_basic_tokenize never_split added_tokens_decoder additional_special_tokens "
    "extra_special_tokens model_specific_special_tokens sp_model_kwargs extra_ids "
    "split_special_tokens truncation_side ";

/* A vocab.json has its merges in another file, and may have more tokens in a third. */
static void read_merges(struct tokenizer_beside *beside, struct folder *folder, const char *place)
{
    char name[FOLDER_PATH];
    beside->merges = folder_text(folder, folder_name(name, place, "merges.txt"), false,
                                 MOST_FILE_BYTES, &beside->merges_len);
    if (beside->merges == NULL)
        program_die("there is a vocab.json without a merges.txt; expected both, or a "
                    "tokenizer.json");
    json_file_read(&beside->added, folder, place, "added_tokens.json", false, false);
}

void import_tokenizer_read(struct import_tokenizer *tokenizer, struct folder *folder,
                           const char *place, bool is_static)
{
    size_t which = find_source(folder, place), len = 0;
    enum source source = SOURCES[which].source;
    struct tokenizer_beside beside = {.folder = is_static ? NULL : folder};
    char name[FOLDER_PATH];
    json_file_read(&beside.config, folder, place, "tokenizer_config.json", false, false);
    json_file_read(&beside.map, folder, place, "special_tokens_map.json", false, false);
    json_file_read(&beside.model, folder, place, "config.json", false, false);
    if (source == SOURCE_VOCAB)
        tokenizer_config_check(&beside);
    if (source != SOURCE_JSON && source != SOURCE_BPE)
        check_alone(folder, place, SOURCES[which].name);
    char *text = folder_text(folder, folder_name(name, place, SOURCES[which].name), true,
                             MOST_FILE_BYTES, &len);
    if (source == SOURCE_BPE)
        read_merges(&beside, folder, place);
    read_text(tokenizer, name, text, len, source, &beside);
    known_keys_check(&beside.config, KEYS_TOKENIZER, SWITCHES, folder);
    known_keys_check(&beside.map, KEYS_SPECIAL, NULL, folder);
}

static bool is_json_text(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && memchr(" \t\r\n", text[at], 4) != NULL)
        at++;
    return at < len && text[at] == '{';
}

void import_tokenizer_read_file(struct import_tokenizer *tokenizer, const char *path)
{
    const struct tokenizer_beside beside = {.merges = NULL};
    uint64_t n_bytes = 0;
    int fd = file_open(path, true, &n_bytes);
    char *text = file_text(fd, path, 0, n_bytes, MOST_FILE_BYTES);
    size_t len = (size_t)n_bytes;
    close(fd);
    enum source source = is_json_text(text, len)        ? SOURCE_JSON
                         : path_ends_in(path, ".model") ? SOURCE_SENTENCEPIECE
                                                        : SOURCE_VOCAB;
    read_text(tokenizer, path, text, len, source, &beside);
}

void import_tokenizer_parse(struct import_tokenizer *tokenizer, const char *name, const char *text,
                            size_t len)
{
    const struct tokenizer_beside beside = {.merges = NULL};
    read_text(tokenizer, name, text, len, SOURCE_JSON, &beside);
}

/* ---- Writing ---- */

/* With one row of token types or none, every piece has type 0. */
static void write_template(const char *key, const char *template, size_t n_types,
                           struct weight_writer *writer)
{
    char text[TEMPLATE_BYTES];
    size_t n = 0;
    bool in_type = false;
    for (const char *c = template; *c != '\0'; c++) {
        in_type = in_type && *c != ' ';
        if (!in_type || n_types >= 2)
            text[n++] = *c;
        else if (text[n - 1] == ':')
            text[n++] = '0';
        in_type = in_type || *c == ':';
    }
    if (n > 0)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, key, text, n);
}

engine_status import_tokenizer_write(const struct import_tokenizer *tokenizer, size_t n_types,
                                     bool truncate, struct weight_writer *writer)
{
    engine_status status = draft_write(&tokenizer->draft, writer);
    n_types = tokenizer->gives_types ? n_types : 1;
    write_template("single", tokenizer->single, n_types, writer);
    write_template("pair", tokenizer->pair, n_types, writer);
    if (truncate)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, "truncate", "yes", 3);
    return status;
}
