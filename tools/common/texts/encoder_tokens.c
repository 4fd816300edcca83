/* encoder_tokens.c - see encoder_tokens.h. */
#include "tools/common/texts/encoder_tokens.h"

#include "tools/common/print/display.h"

#include <stdlib.h>
#include <string.h>

/* Fails an input of n tokens or ids with what would help. */
static void fail_length(struct encoder *encoder, const struct item *item, size_t n,
                        const char *what, size_t limit)
{
    const bool may_raise =
        task_is_tokens(encoder->request.task) || limit < encoder->info.max_tokens;
    const bool may_chunk =
        encoder->request.task < TASK_RANK && encoder->request.task != TASK_SHOW_MASK;
    encoder_fail(encoder, item, " has %zu %s and the limit is %zu: --on-long truncate cuts it%s%s",
                 n, what, limit, may_chunk ? ", --on-long chunk makes windows of it" : "",
                 !may_raise                    ? ""
                 : limit == encoder->padding.n ? ", a larger --pad-to takes more"
                                               : ", a larger --max-tokens takes more");
    encoder->fault = FAULT_OF_LENGTH;
}

/* Fails a text; where cutting would not help, the engine knows why. */
static void fail_long_text(struct encoder *encoder, const struct item *item)
{
    engine_encode_options options = encoder->options;
    size_t n_tokens = 0;

    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    if (engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, NULL, NULL) ==
        ENGINE_ERROR_LENGTH) {
        encoder_fail_in_engine(encoder, item);
        encoder->fault = FAULT_OF_LENGTH;
        return;
    }
    options.max_tokens = 0;
    options.role = ENGINE_ROLE_TEXT; /* all tokens, also of a query that has a length */
    engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, &n_tokens, NULL);
    if (encoder->options.role == ENGINE_ROLE_QUERY && n_tokens <= encoder->options.max_tokens) {
        encoder_fail(encoder, item,
                     " has %zu tokens, and this model's queries at most %s: --on-long truncate",
                     n_tokens,
                     model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "query_tokens"));
        encoder->fault = FAULT_OF_LENGTH;
        return;
    }
    fail_length(encoder, item, n_tokens, "tokens", encoder->options.max_tokens);
}

/* Padding may hold any number; a model without a type table takes any type. */
static bool check_number(struct encoder *encoder, const struct item *item, const char *key,
                         size_t i, int32_t number, size_t n_allowed)
{
    if (n_allowed == 0 || item_is_masked(item, i) || (size_t)number < n_allowed)
        return true;
    return encoder_fail(encoder, item, ": \"%s\"[%zu] is %d, and this model's %s end at %zu", key,
                        i, (int)number, key, n_allowed - 1);
}

/* The most ids of a row; 0: any number. The model's limit for texts does not hold for ids. */
static size_t id_limit(const struct encoder *encoder)
{
    const struct request_options *request = &encoder->request;
    const bool is_cut = request->is_chunked || request->encode.on_long == ENGINE_ON_LONG_TRUNCATE;
    size_t limit = request->encode.max_tokens;
    if (limit == 0 && (is_cut || !task_is_tokens(request->task)))
        limit = encoder->info.max_tokens;
    return request->padding.n && (limit == 0 || request->padding.n < limit) ? request->padding.n
                                                                            : limit;
}

/* Cuts too many ids as --on-long says; encoder_windows makes windows of them. Padding at the ends
 * is not counted, and is dropped before an id is. */
static bool cut_ids(struct encoder *encoder, struct item *item)
{
    const struct request_options *request = &encoder->request;
    const size_t limit = id_limit(encoder), most = request->is_chunked ? limit : request->padding.n;
    size_t begin = 0, end = item->n_tokens;
    while (end > begin && item_is_masked(item, end - 1))
        end--;
    while (begin < end && item_is_masked(item, begin))
        begin++;

    if (limit && end - begin > limit && !request->is_chunked) {
        if (request->encode.on_long != ENGINE_ON_LONG_TRUNCATE) {
            fail_length(encoder, item, end - begin, "ids", limit);
            return false;
        }
        item->n_dropped = end - begin - limit;
        if (request->encode.truncate_left)
            begin = end - limit;
        else
            end = begin + limit;
    } else if (most == 0 || item->n_tokens <= most) {
        return true;
    }
    memmove(item->tokens, item->tokens + begin, (end - begin) * sizeof *item->tokens);
    if (item->mask)
        memmove(item->mask, item->mask + begin, end - begin);
    item->n_tokens = end - begin;
    return true;
}

/* Marks the tokens that the model leaves out of its vectors: as many as the library marks of an
 * empty text after the same prompt. */
static void mark_unpooled(const struct encoder *encoder, struct item *item)
{
    const engine_input nothing = {.text = ""};
    engine_encode_options options = encoder->options;
    size_t n = 0, cap = item->n_tokens;
    engine_token *tokens = alloc_zeros(cap, sizeof *tokens);
    options.prompt = NULL;
    options.prompt_text = item->record.input.text;
    options.prompt_len = item->prompt_len;
    options.on_long = ENGINE_ON_LONG_TRUNCATE; /* as the text was cut, if the prompt is too long */
    engine_tokenize(encoder->session, &nothing, &options, tokens, cap, &n, NULL);
    for (size_t i = 0; i < cap; i++)
        item->tokens[i].unpooled = tokens[i].unpooled;
    alloc_free(tokens);
}

/* Ids are their own tokens; they have no spans. */
static bool read_ids(struct encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    const engine_info *info = &encoder->info;
    size_t n = input->n_ids;

    if (encoder->request.task == TASK_ENTITIES)
        return encoder_fail(encoder, item, ": --entities takes texts; ids have no spans");
    if (encoder->skips_prompt && encoder->prompt.len > 0)
        return encoder_fail(encoder, item,
                            " has ids, and the model's vectors leave out the tokens of a prompt, "
                            "which ids do not show: --no-prompt if they have none");
    item->tokens = alloc_zeros(n, sizeof *item->tokens);
    item->n_tokens = n;
    padding_find(&encoder->padding, item);
    for (size_t i = 0; i < n; i++) {
        engine_token *token = &item->tokens[i];
        token->id = input->ids[i];
        token->type = input->types ? input->types[i] : 0;
        if (!check_number(encoder, item, "ids", i, token->id, info->n_vocabulary) ||
            !check_number(encoder, item, "types", i, token->type, info->n_types))
            return false;
    }
    return cut_ids(encoder, item);
}

/* The words of a prompt are marked as the library marks those of one that it puts before a text. */
bool encoder_tokenize(struct encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    const size_t text_bytes = input->text_len + input->pair_len;
    engine_encode_options options = encoder->options;
    engine_result result = {0};
    engine_status status;
    size_t guess = text_bytes < 1024 ? text_bytes + 32 : 1024 + text_bytes / 4, cap = 0;

    alloc_for("%s", item_name(item));
    if (input->ids)
        return read_ids(encoder, item);
    if (encoder->request.is_chunked) /* windows are cut from all tokens */
        options.max_tokens = 0;
    else if (options.max_tokens && guess > options.max_tokens)
        guess = options.max_tokens;
    do {
        item->tokens = alloc_resize(item->tokens, cap = guess, sizeof *item->tokens);
        status =
            engine_tokenize(encoder->session, input, &options, item->tokens, cap, &guess, &result);
    } while (status == ENGINE_ERROR_BUFFER && guess > cap);
    if (status == ENGINE_ERROR_LENGTH) {
        fail_long_text(encoder, item);
    } else if (status != ENGINE_OK) {
        encoder_fail_in_engine(encoder, item);
        encoder->fault = status == ENGINE_ERROR_TEXT ? FAULT_OF_TEXT : FAULT_OF_ALL;
    }
    item->n_tokens = result.n_tokens;
    item->n_dropped = result.n_dropped;
    for (size_t i = 0; i < item->n_tokens && item->prompt_len > 0; i++) {
        engine_token *token = &item->tokens[i];
        token->in_prompt = !token->special && !token->in_pair && token->end <= item->prompt_len;
    }
    if (encoder->skips_prompt && item->prompt_len > 0 && item->n_tokens > 0)
        mark_unpooled(encoder, item);
    return status == ENGINE_OK;
}

/* ---- What tokens are called ---- */

const char *encoder_id_text(const struct encoder *encoder, int32_t id, size_t *len)
{
    const char *text = NULL;
    if (engine_token_text(encoder->model, id, &text, len) == ENGINE_OK)
        return text;
    *len = 0;
    return "";
}

/* Returns the byte of a visible character of byte-level tokens, U+0100 for byte 0 and so on; or
 * -1. */
static int byte_of(uint32_t character)
{
    if (character < 0x100)
        return (int)character;
    if (character <= 0x120)
        return (int)character - 0x100;
    return character <= 0x142 ? (int)character - 0x121 + 0x7F : character == 0x143 ? 0xAD : -1;
}

const char *encoder_word(const struct encoder *encoder, int32_t id, char word[ENCODER_WORD_BYTES],
                         size_t *len)
{
    enum { BLANK = 0x2581 };
    const engine_tokenizer kind = encoder->info.tokenizer;
    const bool has_blanks = kind == ENGINE_TOKENIZER_UNIGRAM || kind == ENGINE_TOKENIZER_BPE;
    const char *token = encoder_id_text(encoder, id, len);
    size_t n = 0, first = 0;
    if (!has_blanks || *len > ENCODER_WORD_BYTES)
        return token;
    for (size_t at = 0, step; at < *len; at += step) {
        uint32_t character;
        step = utf8_next(token + at, *len - at, &character);
        const int byte = byte_of(character);
        if (encoder->is_bytes && byte < 0)
            return token;
        if (encoder->is_bytes)
            word[n++] = (char)byte;
        else if (character == BLANK)
            word[n++] = ' ';
        else
            n += utf8_put(character, word + n);
    }
    while (first < n && word[first] == ' ')
        first++;
    if (first == n || !utf8_is_valid(word + first, n - first))
        return token;
    *len = n - first;
    return word + first;
}

const char *encoder_token_text(const struct encoder *encoder, const struct item *item, size_t i,
                               size_t *len)
{
    const char *text;
    return engine_token_text(encoder->model, item->tokens[i].id, &text, len) == ENGINE_OK && *len
               ? text
               : item_span_text(item, i, len);
}

const char *encoder_unknown_word(const struct encoder *encoder, const struct item *item, size_t i,
                                 size_t *len)
{
    size_t token_len;
    const char *token = encoder_token_text(encoder, item, i, &token_len);
    const char *word = item_span_text(item, i, len);
    bool is_unknown = item->tokens[i].id == encoder->unknown && *len > 0;
    bool is_its_own = *len == token_len && memcmp(word, token, token_len) == 0;
    return is_unknown && !is_its_own ? word : NULL;
}

/* ---- Windows ---- */

/* Rows of consecutive ids, to which no special token is added. */
static engine_window *windows_of_ids(struct encoder *encoder, const struct item *item, size_t *n)
{
    const size_t limit = id_limit(encoder), stride = encoder->options.stride;
    const size_t n_ids = item->n_tokens, room = limit && limit < n_ids ? limit : n_ids;
    if (room < n_ids && stride >= room) {
        encoder_fail(encoder, item,
                     ": its windows have room for %zu ids: the stride must be smaller", room);
        return NULL;
    }
    *n = room < n_ids ? (n_ids - stride - 1) / (room - stride) + 1 : 1;
    engine_window *windows = alloc_zeros(*n, sizeof *windows);
    for (size_t i = 0; i < *n; i++) {
        const size_t first = i * (room - stride), left = n_ids - first;
        windows[i].first = first;
        windows[i].n = windows[i].n_tokens = left < room ? left : room;
    }
    return windows;
}

engine_window *encoder_windows(struct encoder *encoder, struct item *item, size_t *n)
{
    engine_window *windows = NULL;
    engine_status status;
    size_t cap;
    if (item->record.input.ids)
        return windows_of_ids(encoder, item, n);
    *n = 1;
    do {
        windows = alloc_resize(windows, cap = *n, sizeof *windows);
        status = engine_windows(encoder->session, item->tokens, item->n_tokens, &encoder->options,
                                windows, cap, n);
    } while (status == ENGINE_ERROR_BUFFER && *n > cap);
    if (status == ENGINE_OK)
        return windows;
    encoder_fail_in_engine(encoder, item);
    free(windows);
    return NULL;
}

/* ---- Words that the vocabulary does not have, or has in pieces only ---- */

enum { UNKNOWN_NAMED = 3 };
#define IN_PIECES " in pieces: names, terms, or a language that the model was not made for"

void word_notes_add(struct word_notes *notes, const struct encoder *encoder,
                    const struct item *item)
{
    const bool is_query = item->number == 0; /* of --rank: it is named, not counted */
    engine_word_counts counts;
    if (item->record.input.ids || item->window.index > 0 ||
        engine_count_words(encoder->model, &item->record.input, item->tokens, item->n_tokens,
                           &counts) != ENGINE_OK)
        return;
    if (2 * counts.n_unknown > counts.n) {
        if (is_query || notes->n_unknown++ < UNKNOWN_NAMED)
            program_note("%s: the model knows %zu of its %zu word%s; texts of unknown words get "
                         "nearly the same vector",
                         item_name(item), counts.n - counts.n_unknown, counts.n, plural(counts.n));
        return;
    }
    /* With the default weights a quarter of the words or more are whole in English with many names
     * or code; fewer are in most lines of German, Polish, Turkish and Vietnamese. */
    if (counts.n_latin < 4 || 4 * counts.n_whole >= counts.n_latin)
        return;
    notes->n_foreign += !is_query;
    if (is_query)
        program_note("%s: most of its words are" IN_PIECES, item_name(item));
}

void word_notes_end(const struct word_notes *notes, size_t n, const char *things)
{
    if (notes->n_unknown > UNKNOWN_NAMED)
        program_note("%zu of %zu %s: the model knows less than half of their words",
                     notes->n_unknown, n, things);
    if (notes->n_foreign > 0 && 100 * notes->n_foreign >= n) /* fewer are in every long run */
        program_note("%zu of %zu %s (%.0f %%) have most of their words" IN_PIECES, notes->n_foreign,
                     n, things, 100.0 * (double)notes->n_foreign / (double)n);
}

/* ---- For reading ---- */

void print_input(FILE *stream, const engine_input *input, size_t columns)
{
    if (input->ids) {
        fputs("(token ids)", stream);
        return;
    }
    if (input->text_len)
        display_text(stream, input->text, input->text_len, columns);
    if (input->pair) {
        fputs(" | ", stream);
        display_text(stream, input->pair, input->pair_len, columns);
    }
}

/* The characters that the i-th token has bytes of, where its own text, bytes, does not show them:
 * of "Ã¯ve", "ïve". NULL: its text shows what it is. */
static const char *bytes_text(const struct encoder *encoder, const struct item *item, size_t i,
                              size_t *len)
{
    static const char blank[] = "Ġ"; /* U+0120, the byte 32 */
    size_t token_len;
    const char *token = encoder_token_text(encoder, item, i, &token_len);
    const char *text = item_span_text(item, i, len), *end = text + *len;
    bool is_own = *len == token_len && memcmp(text, token, token_len) == 0;
    bool is_seen = true;
    for (size_t at = 0; at < token_len;) {
        bool is_blank = token_len - at >= 2 && memcmp(token + at, blank, 2) == 0;
        is_seen = is_seen && (is_blank || (unsigned char)token[at] < 0x80);
        at += is_blank ? 2 : 1;
    }
    while (text < end && *text == ' ')
        text++;
    *len = (size_t)(end - text);
    return !is_own && !is_seen && *len > 0 ? text : NULL;
}

void print_meaning(FILE *stream, const struct encoder *encoder, const struct item *item, size_t i)
{
    enum { BRACKET_COLUMNS = 16 };
    size_t len;
    const char *text = encoder_unknown_word(encoder, item, i, &len);
    if (!text && encoder->is_bytes)
        text = bytes_text(encoder, item, i, &len);
    if (!text)
        return;
    fputs(" (", stream);
    display_text(stream, text, len, BRACKET_COLUMNS);
    putc(')', stream);
}
