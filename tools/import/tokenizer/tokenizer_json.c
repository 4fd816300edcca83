/* tokenizer_json.c - a tokenizer.json, Keras' or of HuggingFace tokenizers: normalizer,
 * pre_tokenizer, model, post_processor and added_tokens to the settings of weights/FORMAT.md. What
 * is not known here is refused by its name; the decoder is not needed, truncation and padding are
 * not taken.
 */
#include "tools/import/checkpoint/json_file.h"
#include "tools/import/tokenizer/tokenizer_parts.h"
#include "tools/import/tokenizer/tokenizer_source.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_NESTED = 8,
    MOST_WORD_CHARS = 10000,
    MOST_PREFIX_BYTES = 32,
    MOST_PIECES = 16,
    MOST_STEPS = 32
};

struct reader {
    struct json_file file;
    struct import_tokenizer *tokenizer;
    struct problem *problem;
};

/* ---- Parts with a type ---- */

struct part_kind {
    const char *type;
    bool (*read)(struct reader *reader, const json_t *part, struct growing_text *steps);
};

static bool refuse_part(struct reader *reader, const char *what, const char *found,
                        const char *expected)
{
    return problem_say(reader->problem, "%s: the %s is '%.100s'; expected %s", reader->file.name,
                       what, found, expected);
}

/* "a, b or c" */
static bool refuse_type(struct reader *reader, const char *what, const char *found,
                        const struct part_kind *kinds, size_t n)
{
    struct growing_text names = {.bytes = NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = text_format(&names, reader->problem, "%s%s",
                         i == 0      ? ""
                         : i + 1 < n ? ", "
                                     : " or ",
                         kinds[i].type);
    if (ok)
        refuse_part(reader, what, found, names.bytes);
    free(names.bytes);
    return false;
}

static bool read_part(struct reader *reader, const char *what, const json_t *part,
                      const struct part_kind *kinds, size_t n, struct growing_text *steps)
{
    const char *type = NULL;
    if (!json_is_object(part))
        return refuse_part(reader, what, json_kind(part), "an object");
    if (!json_text(&reader->file, part, "type", &type, reader->problem))
        return false;
    for (size_t i = 0; type != NULL && i < n; i++)
        if (strcmp(type, kinds[i].type) == 0)
            return kinds[i].read == NULL || kinds[i].read(reader, part, steps);
    return refuse_type(reader, what, type != NULL ? type : "without a type", kinds, n);
}

/* The members of a Sequence, in turn, by `read`. depth: Sequences around this one. */
static bool read_sequence(struct reader *reader, const json_t *part, const char *key,
                          struct growing_text *steps,
                          bool (*read)(struct reader *reader, const json_t *part,
                                       struct growing_text *steps, int depth),
                          int depth)
{
    const json_t *members = json_member(&reader->file, part, key), *member;
    size_t i;
    if (!json_is_array(members))
        return problem_say(reader->problem, "%s: a Sequence's '%s' is %s; expected an array",
                           reader->file.name, key, json_kind(members));
    if (depth == MOST_NESTED)
        return problem_say(reader->problem, "%s: Sequences inside one another; expected at most %d",
                           reader->file.name, MOST_NESTED);
    json_array_foreach(members, i,
                       member) if (!read(reader, member, steps, depth + 1)) return false;
    return true;
}

static bool is_sequence(const json_t *part)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    return type != NULL && strcmp(type, "Sequence") == 0;
}

/* ---- Normalizer ---- */

static bool add_step(struct reader *reader, struct growing_text *steps, const char *step)
{
    return text_format(steps, reader->problem, "%s ", step);
}

static bool read_bert_normalizer(struct reader *reader, const json_t *part,
                                 struct growing_text *steps)
{
    struct bert_switches switches = {true, true, false, true};
    struct json_file *file = &reader->file;
    if (!json_flag(file, part, "clean_text", &switches.clean_text, reader->problem) ||
        !json_flag(file, part, "handle_chinese_chars", &switches.handle_chinese_chars,
                   reader->problem) ||
        !json_flag(file, part, "lowercase", &switches.lowercase, reader->problem))
        return false;
    switches.strip_accents = switches.lowercase; /* null: as lowercase */
    return json_flag(file, part, "strip_accents", &switches.strip_accents, reader->problem) &&
           parts_bert_normalizer(steps, &switches, reader->problem);
}

static bool read_strip(struct reader *reader, const json_t *part, struct growing_text *steps)
{
    bool left = true, right = true;
    return json_flag(&reader->file, part, "strip_left", &left, reader->problem) &&
           json_flag(&reader->file, part, "strip_right", &right, reader->problem) &&
           (!left || add_step(reader, steps, "strip_start")) &&
           (!right || add_step(reader, steps, "strip_end"));
}

#define STEP(name, step)                                                                           \
    static bool name(struct reader *reader, const json_t *part, struct growing_text *steps)        \
    {                                                                                              \
        (void)part;                                                                                \
        return add_step(reader, steps, step);                                                      \
    }
STEP(read_lowercase, "lower")
STEP(read_nfd, "nfd")
STEP(read_nfc, "nfc")
STEP(read_nfkd, "nfkd")
STEP(read_nfkc, "nfkc")
STEP(read_strip_accents, "drop_marks")
STEP(read_bert_splitter, "blanks punctuation")
STEP(read_whitespace, "blanks word_runs")
STEP(read_whitespace_split, "blanks")

static bool read_normalizer(struct reader *reader, const json_t *part, struct growing_text *steps,
                            int depth)
{
    static const struct part_kind kinds[] = {
        {"BertNormalizer", read_bert_normalizer},
        {"NFD", read_nfd},
        {"NFC", read_nfc},
        {"NFKD", read_nfkd},
        {"NFKC", read_nfkc},
        {"Lowercase", read_lowercase},
        {"StripAccents", read_strip_accents},
        {"Strip", read_strip},
        {"Sequence", NULL},
    };
    if (is_sequence(part))
        return read_sequence(reader, part, "normalizers", steps, read_normalizer, depth);
    if (!read_part(reader, "normalizer", part, kinds, sizeof kinds / sizeof *kinds, steps))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < steps->len; i++)
        n += steps->bytes[i] == ' ';
    return n <= MOST_STEPS ||
           problem_say(reader->problem, "%s: the normalizers have %zu steps; expected at most %d",
                       reader->file.name, n, MOST_STEPS);
}

/* ---- Pre-tokenizer ---- */

static bool read_punctuation(struct reader *reader, const json_t *part, struct growing_text *steps)
{
    static const char *const behaviors[][2] = {{"Isolated", "punctuation"},
                                               {"Contiguous", "punctuation_runs"},
                                               {"Removed", "punctuation_dropped"}};
    const char *behavior = "Isolated";
    if (!json_text(&reader->file, part, "behavior", &behavior, reader->problem))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(behavior, behaviors[i][0]) == 0)
            return add_step(reader, steps, behaviors[i][1]);
    return refuse_part(reader, "behavior of the pre-tokenizer Punctuation", behavior,
                       "Isolated, Contiguous or Removed");
}

static bool read_digits(struct reader *reader, const json_t *part, struct growing_text *steps)
{
    bool individual = false;
    return json_flag(&reader->file, part, "individual_digits", &individual, reader->problem) &&
           add_step(reader, steps, individual ? "digits" : "digit_runs");
}

static bool read_pre_tokenizer(struct reader *reader, const json_t *part,
                               struct growing_text *steps, int depth)
{
    static const struct part_kind kinds[] = {
        {"BertPreTokenizer", read_bert_splitter},
        {"Whitespace", read_whitespace},
        {"WhitespaceSplit", read_whitespace_split},
        {"Punctuation", read_punctuation},
        {"Digits", read_digits},
        {"Sequence", NULL},
    };
    if (is_sequence(part))
        return read_sequence(reader, part, "pretokenizers", steps, read_pre_tokenizer, depth);
    return read_part(reader, "pre-tokenizer", part, kinds, sizeof kinds / sizeof *kinds, steps);
}

static bool set_steps(struct reader *reader, const char *key, const char *member,
                      bool (*read)(struct reader *reader, const json_t *part,
                                   struct growing_text *steps, int depth))
{
    struct growing_text steps = {.bytes = NULL};
    const json_t *part = json_member(&reader->file, NULL, member);
    const bool ok = (part == NULL || read(reader, part, &steps, 0)) &&
                    parts_set_steps(reader->tokenizer, key, &steps, reader->problem);
    free(steps.bytes);
    return ok;
}

/* ---- Model ---- */

static bool read_vocabulary(struct reader *reader, const json_t *model)
{
    const json_t *vocabulary = json_member(&reader->file, model, "vocab");
    const char *text;
    json_t *value;
    if (!json_is_object(vocabulary))
        return problem_say(reader->problem, "%s: the model's 'vocab' is %s; expected an object",
                           reader->file.name, json_kind(vocabulary));
    json_object_foreach((json_t *)(uintptr_t)vocabulary, text, value)
    {
        uint64_t id;
        if (text[0] == '\0') /* no text ever becomes this token */
            continue;
        if (!json_whole(value, &id))
            return problem_say(reader->problem, "%s: the id of '%.100s' is no whole number",
                               reader->file.name, text);
        if (!parts_set_text(reader->tokenizer, reader->file.name, id, text, strlen(text),
                            reader->problem))
            return false;
    }
    return true;
}

static bool read_unknown(struct reader *reader, const json_t *model)
{
    const char *unknown = NULL;
    if (!json_text(&reader->file, model, "unk_token", &unknown, reader->problem))
        return false;
    const int32_t id = unknown == NULL ? -1 : parts_find(reader->tokenizer, unknown);
    if (id < 0)
        return problem_say(
            reader->problem,
            "%s: the model's 'unk_token' is '%.100s'; expected a token of its vocabulary",
            reader->file.name, unknown == NULL ? "missing" : unknown);
    reader->tokenizer->unknown = id;
    return parts_set_number(reader->tokenizer, "unknown", id, reader->problem);
}

static bool read_wordpiece(struct reader *reader, const json_t *model, struct growing_text *kind)
{
    const char *prefix = "##";
    int64_t most_chars = 100;
    struct growing_text text = {.bytes = NULL};
    if (!json_text(&reader->file, model, "continuing_subword_prefix", &prefix, reader->problem) ||
        !json_count(&reader->file, model, "max_input_chars_per_word", 1, &most_chars,
                    reader->problem))
        return false;
    if (strlen(prefix) > MOST_PREFIX_BYTES || most_chars > MOST_WORD_CHARS)
        return problem_say(reader->problem,
                           "%s: the model's continuing_subword_prefix has %zu bytes and its "
                           "max_input_chars_per_word is %lld; expected at most %d and %d",
                           reader->file.name, strlen(prefix), (long long)most_chars,
                           MOST_PREFIX_BYTES, MOST_WORD_CHARS);
    return text_format(kind, reader->problem, "wordpiece") &&
           text_add(&text, prefix, strlen(prefix), reader->problem) &&
           parts_set(reader->tokenizer, "prefix", &text, reader->problem) &&
           parts_set_number(reader->tokenizer, "max_word", most_chars, reader->problem);
}

static bool read_word_level(struct reader *reader, const json_t *model, struct growing_text *kind)
{
    (void)model;
    return text_format(kind, reader->problem, "words");
}

/* Old files do not say the type of their model; this is how they are told apart. */
static const char *guess_type(const json_t *model)
{
    if (json_object_get(model, "merges") != NULL)
        return "BPE";
    if (json_is_array(json_object_get(model, "vocab")))
        return "Unigram";
    return json_object_get(model, "max_input_chars_per_word") != NULL ? "WordPiece" : "WordLevel";
}

static bool read_model(struct reader *reader)
{
    static const struct part_kind kinds[] = {
        {"WordPiece", read_wordpiece},
        {"WordLevel", read_word_level},
    };
    struct growing_text kind = {.bytes = NULL};
    json_t *model = json_object_get(reader->file.root, "model");
    if (json_is_object(model) && json_object_get(model, "type") == NULL &&
        json_object_set_new(model, "type", json_string(guess_type(model))) != 0)
        return problem_memory(reader->problem);
    bool ok = read_part(reader, "model", model, kinds, sizeof kinds / sizeof *kinds, &kind) &&
              parts_set(reader->tokenizer, "kind", &kind, reader->problem);
    free(kind.bytes);
    return ok && read_vocabulary(reader, model) && read_unknown(reader, model);
}

/* ---- Added tokens ---- */

static bool read_added_token(struct reader *reader, const json_t *entry, struct added_token *token)
{
    const struct json_file *file = &reader->file;
    struct problem *problem = reader->problem;
    int64_t id = -1;
    *token = (struct added_token){.normalized = true};
    if (!json_is_object(entry))
        return problem_say(problem, "%s: an added token is %s; expected an object", file->name,
                           json_kind(entry));
    if (!json_text(file, entry, "content", &token->content, problem) ||
        !json_need_count(file, entry, "id", 0, &id, problem) ||
        !json_flag(file, entry, "special", &token->special, problem))
        return false;
    if (token->content == NULL)
        return problem_say(problem, "%s: an added token has no 'content'", file->name);
    token->id = (uint64_t)id;
    token->len = json_string_length(json_object_get(entry, "content"));
    token->normalized = !token->special;
    return json_flag(file, entry, "normalized", &token->normalized, problem) &&
           json_flag(file, entry, "single_word", &token->single_word, problem) &&
           json_flag(file, entry, "lstrip", &token->lstrip, problem) &&
           json_flag(file, entry, "rstrip", &token->rstrip, problem);
}

static bool read_added_tokens(struct reader *reader)
{
    const json_t *entries = json_member(&reader->file, NULL, "added_tokens"), *entry;
    size_t i, n = 0;
    if (entries == NULL)
        return true;
    if (!json_is_array(entries))
        return problem_say(reader->problem, "%s: 'added_tokens' is %s; expected an array",
                           reader->file.name, json_kind(entries));
    struct added_token *tokens = calloc(json_array_size(entries) + 1, sizeof *tokens);
    if (tokens == NULL)
        return problem_memory(reader->problem);
    bool ok = true;
    json_array_foreach(entries, i, entry)
    {
        ok = ok && read_added_token(reader, entry, &tokens[n]);
        n += ok && tokens[n].len > 0; /* the reference ignores empty ones */
    }
    ok = ok && parts_add_tokens(reader->tokenizer, reader->file.name, tokens, n, reader->problem);
    free(tokens);
    return ok;
}

/* ---- Post-processor ---- */

static bool refuse_template(struct reader *reader, const char *which)
{
    return problem_say(reader->problem,
                       "%s: the post-processor's template '%s' is none that is known; expected at "
                       "most %d pieces, {\"SpecialToken\": {\"id\", \"type_id\"}} or "
                       "{\"Sequence\": {\"id\", \"type_id\"}}, with each text once",
                       reader->file.name, which, MOST_PIECES);
}

/* {"id": "[CLS]", "ids": [101], ...} of special_tokens: each id is a piece. */
static bool add_special(struct reader *reader, const json_t *special_tokens, const char *name,
                        int64_t type, struct growing_text *text, size_t *n)
{
    const json_t *ids = json_object_get(json_object_get(special_tokens, name), "ids"), *value;
    size_t i;
    if (!json_is_array(ids))
        return problem_say(reader->problem,
                           "%s: the post-processor's template names '%.100s'; expected a token of "
                           "its 'special_tokens'",
                           reader->file.name, name);
    json_array_foreach(ids, i, value)
    {
        uint64_t id;
        if (!json_whole(value, &id) || id >= reader->tokenizer->n ||
            reader->tokenizer->texts[id] == NULL)
            return problem_say(
                reader->problem,
                "%s: the post-processor's token '%.100s' has an id that is not in the vocabulary",
                reader->file.name, name);
        if (!text_format(text, reader->problem, "%s%llu:%lld", text->len > 0 ? " " : "",
                         (unsigned long long)id, (long long)type))
            return false;
        ++*n;
    }
    return true;
}

static bool read_pieces(struct reader *reader, const json_t *part, const char *which,
                        struct growing_text *text)
{
    const json_t *pieces = json_object_get(part, which), *piece;
    const json_t *special_tokens = json_object_get(part, "special_tokens");
    size_t i, n = 0, n_texts[2] = {0, 0};
    if (!json_is_array(pieces))
        return refuse_template(reader, which);
    json_array_foreach(pieces, i, piece)
    {
        const json_t *special = json_object_get(piece, "SpecialToken");
        const json_t *body = special != NULL ? special : json_object_get(piece, "Sequence");
        const char *name = json_string_value(json_object_get(body, "id"));
        int64_t type = 0;
        if (name == NULL || n > MOST_PIECES)
            return refuse_template(reader, which);
        if (!json_count(&reader->file, body, "type_id", 0, &type, reader->problem))
            return false;
        if (special != NULL) {
            if (!add_special(reader, special_tokens, name, type, text, &n))
                return false;
            continue;
        }
        if (strcmp(name, "A") != 0 && strcmp(name, "B") != 0)
            return refuse_template(reader, which);
        n++;
        n_texts[name[0] - 'A']++;
        if (!text_format(text, reader->problem, "%s%s:%lld", text->len > 0 ? " " : "", name,
                         (long long)type))
            return false;
    }
    const size_t n_pairs = strcmp(which, "pair") == 0;
    return (n <= MOST_PIECES && n_texts[0] == 1 && n_texts[1] == n_pairs) ||
           refuse_template(reader, which);
}

static bool read_template(struct reader *reader, const json_t *part, struct growing_text *steps)
{
    struct growing_text single = {.bytes = NULL}, pair = {.bytes = NULL};
    (void)steps;
    const bool ok =
        read_pieces(reader, part, "single", &single) && read_pieces(reader, part, "pair", &pair);
    reader->tokenizer->single = single.bytes;
    reader->tokenizer->pair = pair.bytes;
    return ok;
}

/* ["[SEP]", 102] */
static bool read_named_id(struct reader *reader, const json_t *part, const char *key, uint64_t *id)
{
    const json_t *value = json_object_get(part, key);
    if (json_array_size(value) == 2 && json_whole(json_array_get(value, 1), id) &&
        *id < reader->tokenizer->n && reader->tokenizer->texts[*id] != NULL)
        return true;
    return problem_say(reader->problem,
                       "%s: BertProcessing's '%s' is none that is known; expected a token and its "
                       "id in the vocabulary",
                       reader->file.name, key);
}

static bool read_bert_processing(struct reader *reader, const json_t *part,
                                 struct growing_text *steps)
{
    uint64_t cls, sep;
    (void)steps;
    return read_named_id(reader, part, "cls", &cls) && read_named_id(reader, part, "sep", &sep) &&
           parts_bert_template(reader->tokenizer, cls, sep, reader->problem);
}

static bool read_post_processor(struct reader *reader)
{
    static const struct part_kind kinds[] = {
        {"TemplateProcessing", read_template},
        {"BertProcessing", read_bert_processing},
    };
    const json_t *part = json_member(&reader->file, NULL, "post_processor");
    const json_t *members = is_sequence(part) ? json_object_get(part, "processors") : NULL;
    if (json_array_size(members) == 1)
        part = json_array_get(members, 0);
    return part == NULL ||
           read_part(reader, "post-processor", part, kinds, sizeof kinds / sizeof *kinds, NULL);
}

/* ---- The file ---- */

/* Keras' Tokenizer.to_json() bears the same name. */
static bool is_keras(const json_t *root)
{
    return json_object_get(root, "model") == NULL &&
           json_is_object(json_object_get(root, "config"));
}

bool tokenizer_json_read(struct import_tokenizer *tokenizer, const char *name, const char *text,
                         size_t len, struct problem *problem)
{
    struct reader reader = {.tokenizer = tokenizer, .problem = problem};
    if (!json_file_parse(&reader.file, name, text, len, false, problem))
        return false;
    if (is_keras(reader.file.root)) {
        json_file_free(&reader.file);
        return import_tokenizer_keras(tokenizer, name, text, len, problem);
    }
    const bool ok = read_model(&reader) &&
                    set_steps(&reader, "normalizer", "normalizer", read_normalizer) &&
                    set_steps(&reader, "splitter", "pre_tokenizer", read_pre_tokenizer) &&
                    read_added_tokens(&reader) && read_post_processor(&reader);
    json_file_free(&reader.file);
    return ok;
}
