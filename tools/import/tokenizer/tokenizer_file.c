/* tokenizer_file.c - which files say what a tokenizer is, and writing what they said; see
 * tokenizer_file.h. */
#include "tools/import/tokenizer/tokenizer_file.h"

#include "tools/import/tokenizer/tokenizer_class.h"
#include "tools/writer/weight_writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A vocabulary of a quarter of a million tokens, written out over many lines, is 17 MB; as a tree
 * it takes four times that. */
enum { MOST_FILE_BYTES = 40 << 20 };

typedef void read_source(struct import_tokenizer *tokenizer, const char *text, size_t len,
                         const struct tokenizer_beside *beside);

/* Files that say what a tokenizer is; the first that exists is read. */
static const struct source {
    const char *name;
    read_source *read;
} SOURCES[] = {
    {"tokenizer.json", tokenizer_json_read}, {"vocab.txt", tokenizer_vocab_read},
    {"vocab.json", bpe_files_read},          {"sentencepiece.bpe.model", sentencepiece_read},
    {"spm.model", sentencepiece_read},       {"spiece.model", sentencepiece_read},
    {"tokenizer.model", sentencepiece_read},
};
enum { N_SOURCES = sizeof SOURCES / sizeof *SOURCES };

/* Keys of tokenizer_config.json that a class reads, each for some of the sources. */
static const char SWITCHES[] =
    " do_lower_case tokenize_chinese_chars strip_accents add_prefix_space keep_accents "
    "remove_space trim_offsets split_by_punct do_basic_tokenize never_split added_tokens_decoder "
    "additional_special_tokens extra_special_tokens model_specific_special_tokens sp_model_kwargs "
    "extra_ids split_special_tokens truncation_side add_bos_token add_eos_token ";

/* ---- Reading ---- */

/* Reads what follows from the whole tokenizer and tokenizer_config.json. */
static void read_facts(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    const json_t *root = beside->config.root, *length = json_object_get(root, "model_max_length");
    const json_t *lower = json_object_get(root, "do_lower_case");
    const json_t *inputs = json_object_get(root, "model_input_names");
    const char *mask = tokenizer_special(beside, "mask_token");
    const char *masks[] = {mask != NULL ? mask : "[MASK]", mask != NULL ? mask : "<mask>"};
    const char *pad = tokenizer_special(beside, "pad_token");
    double most = json_number_value(length != NULL ? length : json_object_get(root, "max_len"));
    tokenizer->padding = pad != NULL ? word_list_find(&draft->words, pad, strlen(pad)) : WORD_NONE;
    /* It is 1e30 if there is no limit. */
    tokenizer->max_length = most >= 1 && most <= INT32_MAX ? (size_t)most : 0;
    tokenizer->lowercases = name_is_listed(draft_get(draft, "normalizer"), "lower") ||
                            strcmp(draft_get(draft, "lower"), "yes") == 0; /* Keras */
    if (json_is_boolean(lower) && json_is_true(lower) != tokenizer->lowercases &&
        tokenizer->note[0] == '\0')
        snprintf(tokenizer->note, sizeof tokenizer->note,
                 "tokenizer_config.json says do_lower_case %s, tokenizer.json %s: tokenizer.json "
                 "is followed",
                 json_is_true(lower) ? "true" : "false",
                 tokenizer->lowercases ? "lowercases" : "keeps capitals");
    /* A list of the model's inputs, or a class, may lack types; all types are then 0. */
    tokenizer->gives_types =
        !json_is_array(inputs) &&
        (beside->folder == NULL || beside->as == AS_TRANSFORMERS_4 || class_gives_types(beside));
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const char *name = json_string_value(json_array_get(inputs, i));
        if (name != NULL && strcmp(name, "token_type_ids") == 0)
            tokenizer->gives_types = true;
    }
    tokenizer->types_differ =
        !json_is_array(inputs) && !tokenizer->gives_types && beside->as == AS_ANY;
    for (size_t i = 0, id = WORD_NONE; i < 2 && id == WORD_NONE; i++) {
        id = word_list_find(&draft->words, masks[i], strlen(masks[i]));
        if (id != WORD_NONE)
            draft_set_number(draft, "mask_token", id);
    }
}

/* Reads the tokenizer in a text; the name of its file is for messages. */
static void read_text(struct import_tokenizer *tokenizer, const char *name, const char *text,
                      size_t len, read_source *read, const struct tokenizer_beside *beside)
{
    *tokenizer = (struct import_tokenizer){.draft = DRAFT_EMPTY, .name = name};
    read(tokenizer, text, len, beside);
    read_facts(tokenizer, beside);
    tokenizer->name = NULL; /* the caller's */
}

/* Returns the file to read, or NULL. */
static const struct source *find_source(const struct folder *folder, const char *place)
{
    for (size_t i = 0; i < N_SOURCES; i++)
        if (folder_has(folder, place, SOURCES[i].name))
            return &SOURCES[i];
    return NULL;
}

bool import_tokenizer_is_there(const struct folder *folder, const char *place)
{
    return find_source(folder, place) != NULL || folder_has(folder, place, "merges.txt") ||
           folder_has(folder, place, "tokenizer_config.json");
}

/* A vocab.json has its merges in another file, and may have more tokens in a third. */
void import_tokenizer_read(struct import_tokenizer *tokenizer, struct folder *folder,
                           const char *place, bool is_static)
{
    const struct source *source = find_source(folder, place);
    struct tokenizer_beside beside = {.is_static = is_static, .as = folder->as};
    char name[FOLDER_PATH], merges[FOLDER_PATH];
    size_t len = 0;
    if (source == NULL)
        program_die("there is neither a tokenizer.json nor a vocab.txt nor a vocab.json nor a "
                    "model of sentencepiece; expected one of them");
    json_file_read(&beside.config, folder, place, "tokenizer_config.json", false, false);
    json_file_read(&beside.map, folder, place, "special_tokens_map.json", false, false);
    json_file_read(&beside.model, folder, place, "config.json", false, false);
    const char *type = tokenizer_model_type(&beside);
    beside.is_static |= type != NULL && strcmp(type, "model2vec") == 0;
    beside.folder = beside.is_static ? NULL : folder;
    json_file_read(&beside.added, folder, place, "added_tokens.json", false, false);
    if (!beside.is_static)
        json_only_check(
            &beside.config,
            ONLY(IS("split_special_tokens", "false"), IS("truncation_side", "\"right\""),
                 IS("fast_tokenizer_files", "null"),
                 {"word_tokenizer_type subword_tokenizer_type mecab_kwargs sudachi_kwargs "
                  "jumanpp_kwargs",
                  "null", false, "BertJapaneseTokenizer reads the key, and is in Python alone"}));
    char *text =
        folder_text(folder, folder_name(name, place, source->name), true, MOST_FILE_BYTES, &len);
    if (source->read == bpe_files_read) {
        beside.merges = folder_text(folder, folder_name(merges, place, "merges.txt"), false,
                                    MOST_FILE_BYTES, &beside.merges_len);
        if (beside.merges == NULL)
            program_die(
                "there is a vocab.json without a merges.txt; expected both, or a tokenizer.json");
    }
    read_text(tokenizer, name, text, len, source->read, &beside);
    known_keys_check(&beside.config, KEYS_TOKENIZER, SWITCHES, folder);
    known_keys_check(&beside.map, KEYS_SPECIAL, NULL, folder);
}

void import_tokenizer_read_file(struct import_tokenizer *tokenizer, const char *path)
{
    const struct tokenizer_beside beside = {.merges = NULL};
    uint64_t n_bytes = 0;
    int fd = file_open(path, true, &n_bytes);
    char *text = file_text(fd, path, 0, n_bytes, MOST_FILE_BYTES);
    bool is_json = text[strspn(text, " \t\r\n")] == '{';
    close(fd);
    read_text(tokenizer, path, text, (size_t)n_bytes,
              is_json                        ? tokenizer_json_read
              : path_ends_in(path, ".model") ? sentencepiece_read
                                             : tokenizer_vocab_read,
              &beside);
}

void import_tokenizer_parse(struct import_tokenizer *tokenizer, const char *name, const char *text,
                            size_t len)
{
    const struct tokenizer_beside beside = {.merges = NULL};
    read_text(tokenizer, name, text, len, tokenizer_json_read, &beside);
}

/* ---- Writing ---- */

size_t import_tokenizer_types(const struct import_tokenizer *tokenizer)
{
    const char *const templates[] = {tokenizer->single, tokenizer->pair};
    size_t n = 2;
    for (size_t i = 0; i < 2; i++)
        for (const char *at = templates[i]; (at = strchr(at, ':')) != NULL;) {
            size_t type = (size_t)strtoull(++at, NULL, 10);
            n = type >= n ? type + 1 : n;
        }
    return n;
}

/* Writes a template. With one row of token types or none, every piece has type 0. */
static void write_template(const char *key, const char *template, size_t n_types,
                           struct weight_writer *writer)
{
    char text[TEMPLATE_BYTES];
    template_without_types(text, template);
    template = n_types < 2 ? text : template;
    if (template[0] != '\0')
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, key, template, strlen(template));
}

engine_status import_tokenizer_write(const struct import_tokenizer *tokenizer, size_t n_types,
                                     bool truncate, struct weight_writer *writer)
{
    engine_status status = draft_write(&tokenizer->draft, writer);
    const char *pair = tokenizer->pair;
    if (pair[0] == '\0' && !tokenizer->gives_types && n_types >= 2)
        pair = "A:0 B:0"; /* where absent is A:0 B:1 */
    n_types = tokenizer->gives_types ? n_types : 1;
    write_template("single", tokenizer->single, n_types, writer);
    write_template("pair", pair, n_types, writer);
    if (truncate)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, "truncate", "yes", 3);
    return status;
}
