/* sentencepiece.c - what each family of models makes of the pieces: which ids they get, the special
 * tokens, the steps and the frame. */

#include "tools/common/alloc.h"
#include "tools/import/tokenizer/sentencepiece_file.h"
#include "tools/import/tokenizer/tokenizer_beside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ID = -1, MOST_BEFORE = 5, EXTRA_IDS = 100, MOST_EXTRA_IDS = 10000 };

struct family {
    const char *tokenizer_class, *model_type, *file; /* how it is known */
    const char *before[MOST_BEFORE]; /* texts of the first ids; those with a score below: */
    double last_before;              /* the score of the fifth */
    size_t n_skipped;                /* pieces at the start of the file that have no id */
    const char *mask;                /* the token behind all pieces, or NULL */
    int unknown;                     /* id, or NO_ID: as the file says */
    bool lowercases;                 /* unless the files say otherwise */
    bool lowers_numbers;             /* pieces like "5," are 100 less likely */
    const char *normalizer, *splitter, *added, *single, *pair;
};

#define SPACES_TO_ONE "replace_runs:2:%20:"
#define METASPACE     "\xE2\x96\x81"
#define USUAL_STEPS   "charsmap strip_end " SPACES_TO_ONE METASPACE
#define ROBERTA_PAIR  "<s>:0 A:0 </s>:0 </s>:0 B:0 </s>:0"
#define BERT_FRAME    .single = "[CLS]:0 A:0 [SEP]:0", .pair = "[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1"

static const struct family FAMILIES[] = {
    {"XLMRobertaTokenizer", "xlm-roberta", "sentencepiece.bpe.model",
     .before = {"<s>", "<pad>", "</s>", "<unk>"}, .n_skipped = 3, .mask = "<mask>", .unknown = 3,
     .normalizer = USUAL_STEPS, .splitter = "metaspace:always",
     .added = "<s> <pad> </s> <unk> <mask>:l", .single = "<s>:0 A:0 </s>:0", .pair = ROBERTA_PAIR},
    {"CamembertTokenizer", "camembert", "",
     .before = {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"}, .last_before = -100,
     .n_skipped = 1, .mask = "<mask>", .unknown = 3, .normalizer = USUAL_STEPS,
     .splitter = "metaspace:always", .added = "<s> <pad> </s> <unk> <mask>:l",
     .single = "<s>:0 A:0 </s>:0", .pair = ROBERTA_PAIR},
    {"AlbertTokenizer", "albert", "", .unknown = NO_ID, .lowercases = true, .lowers_numbers = true,
     .normalizer =
         "replace:``:\" replace:'':\" nfkd drop_marks lower charsmap " SPACES_TO_ONE "%20",
     .splitter = "metaspace:always", .added = "<pad> <unk> [CLS] [SEP] [MASK]:l", BERT_FRAME},
    {"DebertaV2Tokenizer", "deberta-v2", "spm.model", .mask = "[MASK]", .unknown = NO_ID,
     .normalizer = "lower strip_start strip_end charsmap " SPACES_TO_ONE "%20",
     .splitter = "metaspace:always", .added = "[PAD] [CLS] [SEP] [UNK] [MASK]", BERT_FRAME},
    {"T5Tokenizer", "t5", "spiece.model", .unknown = NO_ID, .normalizer = USUAL_STEPS,
     .splitter = "metaspace:always", .added = "<pad> </s> <unk>", .single = "A:0 </s>:0",
     .pair = "A:0 </s>:0 B:0 </s>:0"},
};
enum { N_FAMILIES = sizeof FAMILIES / sizeof *FAMILIES };

/* ---- Which family ---- */

static const struct family *find_family(const struct import_tokenizer *tokenizer, const char *name,
                                        const char *model_type)
{
    const char *slash = strrchr(tokenizer->name, '/');
    const char *file = slash != NULL ? slash + 1 : tokenizer->name;
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (name != NULL ? parts_is_class(name, FAMILIES[i].tokenizer_class)
                         : model_type != NULL && strcmp(model_type, FAMILIES[i].model_type) == 0)
            return &FAMILIES[i];
    for (size_t i = 0; name == NULL && i < N_FAMILIES; i++)
        if (strcmp(file, FAMILIES[i].file) == 0)
            return &FAMILIES[i];
    file_die(tokenizer->name,
             "a sentencepiece model of '%.100s' without a tokenizer.json; expected the "
             "tokenizer_class XLMRobertaTokenizer, CamembertTokenizer, AlbertTokenizer, "
             "DebertaV2Tokenizer or T5Tokenizer (save_pretrained of a fast tokenizer writes "
             "a tokenizer.json)",
             name != NULL ? name : "no known kind");
}

/* ---- Pieces ---- */

static void place(struct import_tokenizer *tokenizer, double **scores, const char *text, size_t len,
                  double score)
{
    size_t id = tokenizer->draft.words.n;
    parts_place(tokenizer, id, text, len);
    *scores = alloc_resize(*scores, tokenizer->draft.words.n, sizeof **scores);
    (*scores)[id] = score;
}

static bool is_number_comma(const struct sentencepiece_piece *piece)
{
    return piece->len >= 2 && piece->text[piece->len - 1] == ',' &&
           isdigit((unsigned char)piece->text[piece->len - 2]);
}

/* The scores by id. */
static double *place_pieces(struct import_tokenizer *tokenizer, const struct family *family,
                            const struct sentencepiece_file *file, size_t n_extra)
{
    double *scores = NULL;
    for (size_t i = 0; i < MOST_BEFORE && family->before[i] != NULL; i++)
        place(tokenizer, &scores, family->before[i], strlen(family->before[i]),
              i == MOST_BEFORE - 1 ? family->last_before : 0);
    for (size_t i = family->n_skipped; i < file->n; i++) {
        const struct sentencepiece_piece *piece = &file->pieces[i];
        double less = family->lowers_numbers && is_number_comma(piece) ? 100 : 0;
        place(tokenizer, &scores, piece->text, piece->len, piece->score - less);
    }
    if (family->mask != NULL)
        place(tokenizer, &scores, family->mask, strlen(family->mask), 0);
    for (size_t i = n_extra; i-- > 0;) {
        char text[32];
        snprintf(text, sizeof text, "<extra_id_%zu>", i);
        place(tokenizer, &scores, text, strlen(text), 0);
    }
    return scores;
}

/* ---- Special tokens and steps ---- */

/* The next word of a list, with what stands behind a colon apart. */
static bool next_word(const char **list, char word[64], char behind[16])
{
    behind[0] = '\0';
    return sscanf(*list, " %63[^ :]:%15[^ ]", word, behind) >= 1 &&
           (*list += strspn(*list, " "), *list += strcspn(*list, " "), true);
}

/* Those of the family, and pieces that sentencepiece itself takes whole. */
static void set_added(struct import_tokenizer *tokenizer, const struct family *family,
                      const struct sentencepiece_file *file, size_t n_extra)
{
    const char *left = family->added;
    char word[64], flags[16];
    struct blank_list list = {.n = 0};
    size_t n = tokenizer->draft.words.n;
    bool *is_listed = alloc_zeros(n, sizeof *is_listed);
    while (next_word(&left, word, flags)) {
        size_t id = parts_special(tokenizer, word);
        is_listed[id] = true;
        list_add(&list, "%zu%s%s", id, flags[0] != '\0' ? ":" : "", flags);
    }
    for (size_t i = family->n_skipped; i < file->n; i++) {
        const struct sentencepiece_piece *piece = &file->pieces[i];
        size_t id = word_list_find(&tokenizer->draft.words, piece->text, piece->len);
        if ((piece->type == PIECE_CONTROL || piece->type == PIECE_USER_DEFINED) &&
            id != WORD_NONE && !is_listed[id])
            list_add(&list, "%zu", id);
    }
    for (size_t id = n - n_extra; id < n; id++)
        list_add(&list, "%zu", id);
    list_set(&list, &tokenizer->draft, "added");
}

/* "<s>:0 A:0" with ids for texts */
static void set_template(struct import_tokenizer *tokenizer, char *template, const char *frame)
{
    char word[64], type[16];
    size_t used = 0;
    while (next_word(&frame, word, type)) {
        const char *blank = used > 0 ? " " : "";
        bool is_text = strcmp(word, "A") == 0 || strcmp(word, "B") == 0;
        used += (size_t)(is_text ? snprintf(template + used, TEMPLATE_BYTES - used, "%s%s:%s",
                                            blank, word, type)
                                 : snprintf(template + used, TEMPLATE_BYTES - used, "%s%zu:%s",
                                            blank, parts_special(tokenizer, word), type));
    }
}

static void set_steps(struct import_tokenizer *tokenizer, const struct family *family,
                      const struct json_file *config, bool has_map)
{
    bool lower = json_flag(config, NULL, "do_lower_case", family->lowercases);
    bool accents = json_flag(config, NULL, "keep_accents", false);
    struct blank_list list = {.n = 0};
    for (const char *at = family->normalizer; *at != '\0'; at += strspn(at, " ")) {
        int len = (int)strcspn(at, " ");
        bool is_left = strncmp(at, "lower", 5) == 0      ? lower
                       : strncmp(at, "charsmap", 8) == 0 ? has_map
                       : strncmp(at, "nfkd", 4) == 0 || strncmp(at, "drop_marks", 10) == 0
                           ? !accents
                           : true;
        if (is_left)
            list_add(&list, "%.*s", len, at);
        at += len;
    }
    list_set(&list, &tokenizer->draft, "normalizer");
    draft_set_text(&tokenizer->draft, "splitter", family->splitter);
}

/* ---- The model ---- */

static void check_type(const struct import_tokenizer *tokenizer, uint64_t type)
{
    static const char *const types[] = {"none", "unigram", "BPE", "word", "char"};
    if (type != 1)
        file_die(tokenizer->name,
                 "the sentencepiece model's type is '%s'; expected unigram (a "
                 "tokenizer.json of it would be read)",
                 type < 5 ? types[type] : "none that is known");
}

void sentencepiece_read(struct import_tokenizer *tokenizer, const char *data, size_t len,
                        const struct tokenizer_beside *beside)
{
    const char *name = json_text(&beside->config, NULL, "tokenizer_class", NULL);
    struct sentencepiece_file file;
    sentencepiece_file_read(&file, tokenizer, data, len);
    check_type(tokenizer, file.model_type);
    const struct family *family = find_family(tokenizer, name, tokenizer_model_type(beside));
    bool has_extra = strcmp(family->model_type, "t5") == 0;
    size_t n_extra =
        has_extra ? (size_t)json_count(&beside->config, NULL, "extra_ids", 0, EXTRA_IDS) : 0;
    if (n_extra > MOST_EXTRA_IDS)
        file_die(tokenizer->name, "there are %zu extra_ids; expected at most %d", n_extra,
                 MOST_EXTRA_IDS);
    if (file.n <= family->n_skipped)
        file_die(tokenizer->name, "the sentencepiece model has only %zu pieces", file.n);
    double *scores = place_pieces(tokenizer, family, &file, n_extra);
    unigram_set(tokenizer, scores,
                family->unknown != NO_ID ? (size_t)family->unknown : (size_t)file.unknown, false);
    if (file.map != NULL)
        charsmap_set(tokenizer, file.map, file.map_len);
    set_steps(tokenizer, family, &beside->config, file.map != NULL);
    set_added(tokenizer, family, &file, n_extra);
    set_template(tokenizer, tokenizer->single, family->single);
    set_template(tokenizer, tokenizer->pair, family->pair);
}
