/* sentencepiece.c - a sentencepiece model, and what each family of models makes of its pieces:
 * which ids they get, the special tokens, the steps and the templates.
 *
 * The file is a message of protocol buffers: fields, each a number that says which and of what form
 * (0 a number of 7 bits a byte, 1 eight bytes, 2 a length and so many bytes, 5 four bytes), and the
 * value. Other fields than pieces, scores, the map of characters and a few numbers are skipped. */
#include "tools/common/alloc.h"
#include "tools/common/print/utf8.h"
#include "tools/import/files/known_keys.h"
#include "tools/import/tokenizer/tokenizer_class.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Families ---- */

enum { NO_ID = -1, MOST_BEFORE = 5, EXTRA_IDS = 100, MOST_EXTRA_IDS = 10000 };

struct family {
    const char *tokenizer_class, *model_type, *file; /* names that choose it */
    const char *before[MOST_BEFORE];                 /* texts of the first ids */
    double last_before;                              /* the score of the fifth; 0 of the others */
    size_t n_skipped;                                /* first pieces, which have no id */
    const char *mask;                                /* the token after all pieces, or NULL */
    int unknown;                                     /* id, or NO_ID: as the file says */
    bool lowercases;                                 /* unless the files say otherwise */
    bool lowers_numbers;                             /* pieces like "5," are 100 less likely */
    const char *normalizer, *added;
    const char *first, *last; /* of the templates */
    enum frame frame;
};

#define SPACES_TO_ONE "replace_runs:2:%20:"
#define METASPACE     "\xE2\x96\x81"
#define USUAL_STEPS   "charsmap strip_end " SPACES_TO_ONE METASPACE
#define OF_ROBERTA    .first = "<s>", .last = "</s>", .frame = FRAME_ROBERTA
#define OF_BERT       .first = "[CLS]", .last = "[SEP]", .frame = FRAME_BERT

static const struct family FAMILIES[] = {
    {"XLMRobertaTokenizer", "xlm-roberta", "sentencepiece.bpe.model",
     .before = {"<s>", "<pad>", "</s>", "<unk>"}, .n_skipped = 3, .mask = "<mask>", .unknown = 3,
     .normalizer = USUAL_STEPS, .added = "<s> <pad> </s> <unk> <mask>:l", OF_ROBERTA},
    {"CamembertTokenizer", "camembert", "",
     .before = {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"}, .last_before = -100,
     .n_skipped = 1, .mask = "<mask>", .unknown = 3, .normalizer = USUAL_STEPS,
     .added = "<s> <pad> </s> <unk> <mask>:l", OF_ROBERTA},
    {"AlbertTokenizer", "albert", "", .unknown = NO_ID, .lowercases = true, .lowers_numbers = true,
     .normalizer =
         "replace:``:\" replace:'':\" nfkd drop_marks lower charsmap " SPACES_TO_ONE "%20",
     .added = "<pad> <unk> [CLS] [SEP] [MASK]:l", OF_BERT},
    {"DebertaV2Tokenizer", "deberta-v2", "spm.model", .mask = "[MASK]", .unknown = NO_ID,
     .normalizer = "lower strip_start strip_end charsmap " SPACES_TO_ONE "%20",
     .added = "[PAD] [CLS] [SEP] [UNK] [MASK]", OF_BERT},
    {"T5Tokenizer", "t5", "spiece.model", .unknown = NO_ID, .normalizer = USUAL_STEPS,
     .added = "<pad> </s> <unk>", .first = "</s>", .last = "</s>", .frame = FRAME_T5},
};
enum { N_FAMILIES = sizeof FAMILIES / sizeof *FAMILIES };

/* By the class of tokenizer_config.json, else config.json's model_type, else the file's name. */
static const struct family *find_family(const struct import_tokenizer *tokenizer, const char *name,
                                        const char *model_type)
{
    const char *file = path_name(tokenizer->name);
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (name != NULL ? tokenizer_is_class(name, FAMILIES[i].tokenizer_class)
                         : model_type != NULL && strcmp(model_type, FAMILIES[i].model_type) == 0)
            return &FAMILIES[i];
    for (size_t i = 0; name == NULL && i < N_FAMILIES; i++)
        if (strcmp(file, FAMILIES[i].file) == 0)
            return &FAMILIES[i];
    file_die(
        tokenizer->name,
        "a sentencepiece model of '%.100s' without a tokenizer.json; expected the tokenizer_class "
        "XLMRobertaTokenizer, CamembertTokenizer, AlbertTokenizer, DebertaV2Tokenizer or "
        "T5Tokenizer (save_pretrained of a fast tokenizer writes a tokenizer.json)",
        name != NULL ? name : "no known kind");
}

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
static double *place_pieces(struct import_tokenizer *tokenizer, const struct family *family,
                            const struct model *model, size_t n_extra)
{
    double *scores = NULL;
    for (size_t i = 0; i < MOST_BEFORE && family->before[i] != NULL; i++)
        append_piece(tokenizer, &scores, family->before[i], strlen(family->before[i]),
                     i == MOST_BEFORE - 1 ? family->last_before : 0);
    for (size_t i = family->n_skipped; i < model->n; i++) {
        const struct piece *piece = &model->pieces[i];
        bool is_number_comma = piece->len >= 2 && piece->text[piece->len - 1] == ',' &&
                               isdigit((unsigned char)piece->text[piece->len - 2]);
        append_piece(tokenizer, &scores, piece->text, piece->len,
                     piece->score - (family->lowers_numbers && is_number_comma ? 100 : 0));
    }
    if (family->mask != NULL)
        append_piece(tokenizer, &scores, family->mask, strlen(family->mask), 0);
    for (size_t i = n_extra; i-- > 0;) {
        char text[32];
        snprintf(text, sizeof text, "<extra_id_%zu>", i);
        append_piece(tokenizer, &scores, text, strlen(text), 0);
    }
    return scores;
}

/* ---- Special tokens and steps ---- */

/* Reads the next word of a list, and what follows a colon in it, or "". */
static bool next_word(const char **list, char word[64], char suffix[16])
{
    suffix[0] = '\0';
    return sscanf(*list, " %63[^ :]:%15[^ ]", word, suffix) >= 1 &&
           (*list += strspn(*list, " "), *list += strcspn(*list, " "), true);
}

/* Those of the family, and pieces that sentencepiece itself does not split. */
static void set_added(struct import_tokenizer *tokenizer, const struct family *family,
                      const struct model *model, size_t n_extra)
{
    const char *left = family->added;
    char word[64], flags[16];
    struct blank_list list = {.n = 0};
    size_t n = tokenizer->draft.words.n;
    bool *is_listed = alloc_zeros(n, sizeof *is_listed);
    while (next_word(&left, word, flags)) {
        size_t id = special_id(tokenizer, word);
        is_listed[id] = true;
        list_add(&list, "%zu%s%s", id, flags[0] != '\0' ? ":" : "", flags);
    }
    for (size_t i = family->n_skipped; i < model->n; i++) {
        const struct piece *piece = &model->pieces[i];
        size_t id = word_list_find(&tokenizer->draft.words, piece->text, piece->len);
        if ((piece->type == PIECE_CONTROL || piece->type == PIECE_USER_DEFINED) &&
            id != WORD_NONE && !is_listed[id])
            list_add(&list, "%zu", id);
    }
    for (size_t id = n - n_extra; id < n; id++)
        list_add(&list, "%zu", id);
    list_set(&list, &tokenizer->draft, "added");
}

static void set_steps(struct import_tokenizer *tokenizer, const struct family *family,
                      const struct json_file *config, bool has_map)
{
    const struct class_switches switches = {
        .lower = json_flag(config, NULL, "do_lower_case", family->lowercases),
        .keeps_accents = json_flag(config, NULL, "keep_accents", false),
        .has_map = has_map};
    struct blank_list list = {.n = 0};
    class_steps(&list, family->normalizer, &switches);
    list_set(&list, &tokenizer->draft, "normalizer");
    draft_set_text(&tokenizer->draft, "splitter", "metaspace:always");
}

/* Stores a letter for each switch of a token that is on. Returns whether it says any. */
static bool read_letters(const json_t *token, char letters[8])
{
    static const char *const switches[] = {"normalized", "lstrip", "rstrip", "single_word"};
    size_t n = 0;
    bool has_any = false;
    for (size_t i = 0; i < 4; i++) {
        const json_t *value = json_object_get(token, switches[i]);
        has_any = has_any || value != NULL;
        if (json_is_true(value))
            letters[n++] = "nlrw"[i];
    }
    letters[n] = '\0';
    return has_any;
}

/* Adds the tokens that the files beside name, and the switches that they say; a text alone has
 * those of the family. */
static void add_named_tokens(struct json_tokenizer *json)
{
    struct import_tokenizer *tokenizer = json->tokenizer;
    const char *left = draft_get(&tokenizer->draft, "added");
    struct blank_list list = {.n = 0};
    char word[64], flags[16], letters[8];
    size_t n_words = tokenizer->draft.words.n;
    json_t *token, **named = alloc_zeros(n_words, sizeof(json_t *));
    size_t i;
    json->n_model = (int64_t)n_words;
    json->file.root = json_object();
    class_tokens_set(json);
    json_array_foreach(json_object_get(json->file.root, "added_tokens"), i, token)
    {
        size_t id = (size_t)json_number_value(json_object_get(token, "id"));
        if (id >= n_words)
            file_die(tokenizer->name,
                     "the files beside the sentencepiece model have the new token '%.100s'; "
                     "expected a tokenizer.json (save_pretrained of a fast tokenizer writes one)",
                     json_string_value(json_object_get(token, "content")));
        named[id] = token;
    }
    while (next_word(&left, word, flags)) {
        size_t id = strtoul(word, NULL, 10);
        if (read_letters(named[id], letters))
            snprintf(flags, sizeof flags, "%s", letters);
        list_add(&list, "%s%s%s", word, flags[0] != '\0' ? ":" : "", flags);
        named[id] = NULL;
    }
    for (size_t id = 0; id < n_words; id++)
        if (named[id] != NULL) {
            read_letters(named[id], letters);
            list_add(&list, "%zu%s%s", id, letters[0] != '\0' ? ":" : "", letters);
        }
    draft_replace(&tokenizer->draft, "added", list.text);
}

void sentencepiece_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                        const struct tokenizer_beside *beside)
{
    const char *name = tokenizer_class_name(beside);
    struct model model;
    read_model(&model, tokenizer->name, text, len);
    const struct family *family = find_family(tokenizer, name, tokenizer_model_type(beside));
    const struct reference_class *class = class_named(family->tokenizer_class);
    struct json_tokenizer json = {.tokenizer = tokenizer, .beside = beside};
    bool has_extra = strcmp(family->model_type, "t5") == 0;
    size_t n_extra = has_extra ? json_count(&beside->config, NULL, "extra_ids", 0, EXTRA_IDS) : 0;
    if (n_extra > MOST_EXTRA_IDS)
        file_die(tokenizer->name, "there are %zu extra_ids; expected at most %d", n_extra,
                 MOST_EXTRA_IDS);
    if (model.n <= family->n_skipped)
        file_die(tokenizer->name, "the sentencepiece model has only %zu pieces", model.n);
    unigram_set(tokenizer, place_pieces(tokenizer, family, &model, n_extra),
                family->unknown != NO_ID ? (size_t)family->unknown : (size_t)model.unknown, false);
    if (model.map != NULL)
        charsmap_set(tokenizer, model.map, model.map_len);
    set_steps(tokenizer, family, &beside->config, model.map != NULL);
    set_added(tokenizer, family, &model, n_extra);
    add_named_tokens(&json);
    templates_set(tokenizer, special_id(tokenizer, family->first),
                  special_id(tokenizer, family->last), family->frame);
    if (class == NULL && beside->as == AS_TRANSFORMERS_5)
        file_die(tokenizer->name,
                 "the class %s of transformers 5 is not known here; expected "
                 "--as transformers-4",
                 family->tokenizer_class);
    if (class != NULL && beside->as != AS_TRANSFORMERS_4)
        class_settings_set(&json, beside, class);
    if (beside->as == AS_ANY)
        snprintf(tokenizer->note, sizeof tokenizer->note, "%s",
                 class != NULL ? BLANKS_NOTE "the sentencepiece model"
                               : "tokens are as in transformers 4: 5 leaves out the map of "
                                 "characters");
}
