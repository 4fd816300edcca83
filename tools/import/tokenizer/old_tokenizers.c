/* old_tokenizers.c - tokenizers without a tokenizer.json: a vocab.txt, one token per line; a
 * vocab.json with merges.txt; a sentencepiece model. Each becomes the parts of a tokenizer.json,
 * and the class of the tokenizer says the rest: its special tokens, how it splits, its templates.
 * */
#include "tools/common/alloc.h"
#include "tools/common/print/display.h"
#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_class.h"

#include <ctype.h>
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
    const struct reference_class *class = class_find(beside, NULL, 0);
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
        special_id(tokenizer, class_special(json.class, beside, TOKEN_UNK, unknown));
    json.file.root = json_object();
    class_tokens_set(&json);
    added_tokens_read(&json);
    class_settings_set(&json);
}

/* ---- vocab.json and merges.txt of BPE ---- */

/* Whether transformers 4 drops the first merge: it takes that line for the version. */
static bool loses_merge(const struct tokenizer_beside *beside, const struct reference_class *class)
{
    return strncmp(beside->merges, "#version", 8) != 0 && strcmp(class->pattern, "qwen2") != 0;
}

/* The model as a tokenizer.json has it. merges.txt has a merge on each line; the first one may name
 * the version. */
static json_t *make_model(const struct tokenizer_beside *beside,
                          const struct reference_class *class, json_t *vocabulary)
{
    char text[64];
    const char *line, *unknown = class_special(class, beside, TOKEN_UNK, text);
    json_t *merges = json_array();
    size_t at = 0, n = 0;
    for (size_t i = 1; (line = next_line(beside->merges, beside->merges_len, &at, &n)) != NULL;
         i++) {
        if (!utf8_is_valid(line, n) || memchr(line, '\0', n) != NULL)
            program_die("merges.txt: line %zu is not UTF-8", i);
        if (n > 0 && !(i == 1 && beside->as == AS_TRANSFORMERS_4 && loses_merge(beside, class)))
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
    struct json_tokenizer json = {.tokenizer = tokenizer, .beside = beside, .is_vocabulary = true};
    json.class = find_class(beside, "a vocab.json and a merges.txt", "bpe",
                            "RobertaTokenizer, LongformerTokenizer, BartTokenizer, GPT2Tokenizer, "
                            "CodeGenTokenizer, CLIPTokenizer, Qwen2Tokenizer, DebertaTokenizer");
    json_only_check(&beside->config, ONLY(IS("add_bos_token add_eos_token", "false")));
    json_file_parse(&json.file, "vocab.json", text, len, false);
    json.file.root = json_pack("{s:o}", "model", make_model(beside, json.class, json.file.root));
    json_parts_read(&json);
    class_settings_set(&json);
    if (beside->as == AS_ANY && json.class->is_of_4)
        snprintf(tokenizer->note, sizeof tokenizer->note,
                 "pairs of texts are as in transformers 4: 5 puts two separators between them");
    else if (beside->as == AS_ANY && loses_merge(beside, json.class))
        snprintf(tokenizer->note, sizeof tokenizer->note,
                 "merges.txt does not begin with '#version': transformers 4 drops its first line");
}

/* ---- The file ---- */

enum { PIECE_NORMAL = 1, PIECE_CONTROL = 3, PIECE_USER_DEFINED = 4 };

struct model {
    struct piece {
        const char *text; /* [len], of the file */
        size_t len;
        double score;
        uint64_t type;
    } * pieces; /* [n] */
    size_t n;
    uint64_t type;      /* 1 unigram, 2 BPE, 3 word, 4 char */
    uint64_t unknown;   /* the number of that piece */
    const uint8_t *map; /* [map_len], of the file; NULL: absent */
    size_t map_len;
};

struct message {
    const char *file; /* for refusals */
    const uint8_t *data, *end;
};

struct field {
    uint64_t key;         /* the field's number */
    uint64_t value;       /* of forms 0 and 5 */
    struct message bytes; /* of form 2 */
};

_Noreturn static void message_die(const struct message *message)
{
    file_die(message->file,
             "no model of sentencepiece, or a damaged one: its fields do not lie in the file");
}

static uint64_t read_number(struct message *message)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && message->data < message->end; shift += 7) {
        uint8_t byte = *message->data++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return number;
    }
    message_die(message);
}

static const uint8_t *read_bytes(struct message *message, uint64_t n)
{
    if (n > (uint64_t)(message->end - message->data))
        message_die(message);
    message->data += n;
    return message->data - n;
}

/* Reads the next field; false at the end of the message. */
static bool next_field(struct message *message, struct field *field)
{
    if (message->data == message->end)
        return false;
    uint64_t key = read_number(message);
    *field = (struct field){.key = key >> 3};
    switch (key & 7) {
    case 0: field->value = read_number(message); return true;
    case 1: read_bytes(message, 8); return true;
    case 2: {
        uint64_t n = read_number(message);
        const uint8_t *data = read_bytes(message, n);
        field->bytes = (struct message){message->file, data, data + n};
        return true;
    }
    case 5: {
        uint32_t bits;
        memcpy(&bits, read_bytes(message, sizeof bits), sizeof bits);
        field->value = bits;
        return true;
    }
    default: message_die(message);
    }
}

enum { MODEL_PIECE = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3 };

/* Stores one field of a member of the model; piece: where those of a piece are stored. */
static void store_field(struct model *model, struct piece *piece, uint64_t member,
                        const struct field *field)
{
    const uint8_t *data = field->bytes.data;
    const size_t len = data != NULL ? (size_t)(field->bytes.end - data) : 0;
    const uint32_t bits = (uint32_t)field->value;
    float score;
    if (member == MODEL_PIECE && field->key == 1 && data != NULL) {
        piece->text = (const char *)data;
        piece->len = len;
    } else if (member == MODEL_PIECE && field->key == 2) {
        memcpy(&score, &bits, sizeof score);
        piece->score = (double)score;
    } else if (member == MODEL_PIECE && field->key == 3) {
        piece->type = field->value;
    } else if (member == MODEL_TRAINER && field->key == 3) {
        model->type = field->value;
    } else if (member == MODEL_TRAINER && field->key == 40) {
        model->unknown = field->value;
    } else if (member == MODEL_NORMALIZER && field->key == 2 && len > 0) {
        model->map = data;
        model->map_len = len;
    }
}

static void read_model(struct model *model, const char *name, const char *data, size_t len)
{
    static const char *const types[] = {"none", "unigram", "BPE", "word", "char"};
    const uint8_t *bytes = (const uint8_t *)data;
    struct message message = {name, bytes, bytes + len};
    struct field member, field;
    size_t cap = 0;
    *model = (struct model){.type = 1};
    while (next_field(&message, &member)) {
        struct piece piece = {.text = "", .type = PIECE_NORMAL};
        while (member.bytes.data != NULL && next_field(&member.bytes, &field))
            store_field(model, &piece, member.key, &field);
        if (member.key != MODEL_PIECE || member.bytes.data == NULL)
            continue;
        if (!utf8_is_valid(piece.text, piece.len) || memchr(piece.text, '\0', piece.len) != NULL)
            file_die(name, "a piece is not UTF-8, or has a NUL byte");
        if (model->n == cap)
            model->pieces =
                alloc_resize(model->pieces, cap = 2 * cap + 1024, sizeof *model->pieces);
        model->pieces[model->n++] = piece;
    }
    if (model->n == 0)
        file_die(name, "no model of sentencepiece: it has no pieces");
    if (model->type != 1)
        file_die(name,
                 "the sentencepiece model's type is '%s'; expected unigram (a tokenizer.json of it "
                 "would be read)",
                 model->type < 5 ? types[model->type] : "none that is known");
}

enum { EXTRA_IDS = 100, MOST_EXTRA_IDS = 10000 };

/* ---- Pieces ---- */

/* Gives the next id to a text. */
static void append_piece(struct import_tokenizer *tokenizer, double **scores, const char *text,
                         size_t len, double score)
{
    size_t id = tokenizer->draft.words.n;
    token_place(tokenizer, id, text, len);
    *scores = alloc_resize(*scores, tokenizer->draft.words.n, sizeof **scores);
    (*scores)[id] = score;
}

/* Places all pieces. Returns their scores, by id. */
static double *place_pieces(struct import_tokenizer *tokenizer, const struct pieces *pieces,
                            const struct model *model, size_t n_extra)
{
    double *scores = NULL;
    for (size_t i = 0; i < MOST_BEFORE && pieces->before[i] != NULL; i++)
        append_piece(tokenizer, &scores, pieces->before[i], strlen(pieces->before[i]),
                     i == MOST_BEFORE - 1 ? pieces->last_before : 0);
    for (size_t i = pieces->n_skipped; i < model->n; i++) {
        const struct piece *piece = &model->pieces[i];
        bool is_number_comma = piece->len >= 2 && piece->text[piece->len - 1] == ',' &&
                               isdigit((unsigned char)piece->text[piece->len - 2]);
        append_piece(tokenizer, &scores, piece->text, piece->len,
                     piece->score - (pieces->lowers_numbers && is_number_comma ? 100 : 0));
    }
    if (pieces->mask != NULL)
        append_piece(tokenizer, &scores, pieces->mask, strlen(pieces->mask), 0);
    for (size_t i = n_extra; i-- > 0;) {
        char text[32];
        snprintf(text, sizeof text, "<extra_id_%zu>", i);
        append_piece(tokenizer, &scores, text, strlen(text), 0);
    }
    return scores;
}

/* ---- Special tokens and steps ---- */

static void set_steps(struct import_tokenizer *tokenizer, const struct reference_class *class,
                      const struct json_file *config, bool has_map)
{
    const struct class_switches switches = class_switches_read(config, class, has_map);
    struct blank_list list = {.n = 0}, splitter = {.n = 0};
    class_steps(&list, class->pieces.normalizer, &switches);
    list_set(&list, &tokenizer->draft, "normalizer");
    class_steps(&splitter, "punctuation metaspace:always", &switches);
    list_set(&splitter, &tokenizer->draft, "splitter");
}

/* Adds a token to added_tokens as a tokenizer.json has them, unless it is there. `usual`: the
 * switch that is on if no file says any, or "". */
static void append_added(const struct word_list *words, json_t *tokens, json_t **by_id, size_t id,
                         const char *usual)
{
    if (by_id[id] != NULL)
        return;
    by_id[id] =
        json_pack("{s:f, s:s, s:b}", "id", (double)id, "content", words->texts[id], "special", 1);
    if (usual[0] != '\0')
        json_object_set_new(by_id[id], usual, json_true());
    json_array_append_new(tokens, by_id[id]);
}

/* Returns the tokens of the class and those that sentencepiece itself does not split. */
static json_t *own_tokens(const struct import_tokenizer *tokenizer, const struct pieces *pieces,
                          const struct model *model, size_t n_extra, json_t **by_id)
{
    const struct word_list *words = &tokenizer->draft.words;
    const char *items = pieces->added, *item;
    json_t *tokens = json_array();
    for (size_t len; (len = list_cut_item(&items, &item)) > 0;) {
        const bool has_switch = item[len - 2] == ':';
        const char *usual =
            !has_switch ? "" : TOKEN_SWITCHES[item[len - 1] == 'l' ? LSTRIP : NORMALIZED];
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)len - 2 * has_switch, item);
        append_added(words, tokens, by_id, special_id(tokenizer, word), usual);
    }
    for (size_t i = pieces->n_skipped; i < model->n; i++) {
        const struct piece *piece = &model->pieces[i];
        size_t id = word_list_find(words, piece->text, piece->len);
        if ((piece->type == PIECE_CONTROL || piece->type == PIECE_USER_DEFINED) && id != WORD_NONE)
            append_added(words, tokens, by_id, id, "");
    }
    for (size_t id = words->n - n_extra; id < words->n; id++)
        append_added(words, tokens, by_id, id, "");
    return tokens;
}

/* Sets the added tokens: those of the model, then those that the files beside it name, whose
 * switches count for all. */
static void set_added(struct json_tokenizer *json, json_t *tokens, json_t **by_id)
{
    const struct word_list *words = &json->tokenizer->draft.words;
    json_t *token, **named = alloc_zeros(words->n, sizeof(json_t *));
    size_t i;
    json->n_model = (int64_t)words->n;
    json->file.root = json_object();
    class_tokens_set(json);
    json_array_foreach(json_object_get(json->file.root, "added_tokens"), i, token)
    {
        size_t id = (size_t)json_number_value(json_object_get(token, "id"));
        if (id >= words->n)
            file_die(json->tokenizer->name,
                     "the files beside the sentencepiece model have the new token '%.100s'; "
                     "expected a tokenizer.json (save_pretrained of a fast tokenizer writes one)",
                     json_string_value(json_object_get(token, "content")));
        named[id] = token;
    }
    for (size_t id = 0; id < words->n; id++) {
        bool has_any = false;
        if (named[id] == NULL)
            continue;
        append_added(words, tokens, by_id, id, "");
        for (i = 0; i < N_TOKEN_SWITCHES; i++)
            has_any = has_any || json_object_get(named[id], TOKEN_SWITCHES[i]) != NULL;
        for (i = 0; has_any && i < N_TOKEN_SWITCHES; i++)
            json_object_set_new(
                by_id[id], TOKEN_SWITCHES[i],
                json_boolean(json_is_true(json_object_get(named[id], TOKEN_SWITCHES[i]))));
    }
    json->file.root = json_pack("{s:o}", "added_tokens", tokens);
    added_tokens_read(json);
}

void sentencepiece_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                        const struct tokenizer_beside *beside)
{
    const struct reference_class *class = class_of_pieces(beside, path_name(tokenizer->name));
    const char *name = tokenizer_class_name(beside);
    struct json_tokenizer json = {.tokenizer = tokenizer, .beside = beside};
    struct model model;
    read_model(&model, tokenizer->name, text, len);
    if (class == NULL)
        file_die(tokenizer->name,
                 "a sentencepiece model of '%.100s' without a tokenizer.json; expected the "
                 "tokenizer_class XLMRobertaTokenizer, CamembertTokenizer, AlbertTokenizer, "
                 "DebertaV2Tokenizer or T5Tokenizer (save_pretrained of a fast tokenizer writes a "
                 "tokenizer.json)",
                 name != NULL ? name : "no known kind");
    const struct pieces *pieces = &class->pieces;
    size_t n_extra =
        pieces->has_extra_ids ? json_count(&beside->config, NULL, "extra_ids", 0, EXTRA_IDS) : 0;
    if (n_extra > MOST_EXTRA_IDS)
        file_die(tokenizer->name, "there are %zu extra_ids; expected at most %d", n_extra,
                 MOST_EXTRA_IDS);
    if (model.n <= pieces->n_skipped)
        file_die(tokenizer->name, "the sentencepiece model has only %zu pieces", model.n);
    unigram_set(tokenizer, place_pieces(tokenizer, pieces, &model, n_extra),
                pieces->unknown != NO_ID ? (size_t)pieces->unknown : (size_t)model.unknown, false);
    if (model.map != NULL)
        charsmap_set(tokenizer, model.map, model.map_len);
    set_steps(tokenizer, class, &beside->config, model.map != NULL);
    json_t **by_id = alloc_zeros(tokenizer->draft.words.n, sizeof(json_t *));
    set_added(&json, own_tokens(tokenizer, pieces, &model, n_extra, by_id), by_id);
    class_frame_set(tokenizer, NULL, class);
    json.class = class;
    if (class->is_of_4 ? beside->as == AS_TRANSFORMERS_5 : beside->as != AS_TRANSFORMERS_4)
        class_settings_set(&json);
    if (beside->as == AS_ANY)
        snprintf(tokenizer->note, sizeof tokenizer->note, "%s",
                 class->is_of_4 ? "tokens are as in transformers 4: 5 leaves out the map of "
                                  "characters"
                                : BLANKS_NOTE "the sentencepiece model");
}
