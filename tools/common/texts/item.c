/* item.c - an input on its way: its record, padding, tokens and windows, and how these are named
 * and printed; then from tokens to vectors, scores, entities and words. A text is tokenized once;
 * the engine takes its tokens as they are. */
#include "tools/common/texts/item.h"

#include "tools/common/print/display.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_BYTES = 512 };

void record_free(struct record *record)
{
    free(record->storage);
    free(record->members_storage);
    free(record->fault);
    *record = (struct record){0};
}

void item_free(struct item *item)
{
    record_free(&item->record);
    free(item->prompted);
    free(item->mask);
    free(item->tokens);
    free(item->entities);
    free(item->candidates);
    *item = (struct item){0};
}

bool item_is_masked(const struct item *item, size_t i)
{
    return item->mask && !item->mask[i];
}

size_t item_n_visible(const struct item *item)
{
    size_t n = item->n_skipped;
    for (size_t i = 0; i < item->n_tokens; i++)
        n += !item_is_masked(item, i);
    return n;
}

bool item_has_text(const struct item *item)
{
    return item->record.input.ids || engine_has_text(item->tokens, item->n_tokens);
}

size_t item_count(const struct item *item, int32_t id)
{
    size_t n = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        n += item->tokens[i].id == id && !item_is_masked(item, i);
    return n;
}

bool item_has_span(const struct item *item, size_t i)
{
    return !item->record.input.ids && !item->tokens[i].special;
}

const char *item_span_text(const struct item *item, size_t i, size_t *len)
{
    const engine_input *input = &item->record.input;
    const engine_token *token = &item->tokens[i];
    const char *text = token->in_pair ? input->pair : input->text;
    *len = item_has_span(item, i) && text ? token->end - token->begin : 0;
    return *len ? text + token->begin : "";
}

engine_input item_shown(const struct item *item)
{
    const struct window *window = &item->window;
    engine_input shown = item->record.input;
    if (window->of == 0 || shown.ids)
        return shown;
    const char **text = window->in_pair ? &shown.pair : &shown.text;
    *text += window->begin;
    *(window->in_pair ? &shown.pair_len : &shown.text_len) = window->end - window->begin;
    return shown;
}

const char *item_name(const struct item *item)
{
    static char name[300];
    if (item->record.line)
        snprintf(name, sizeof name, "line %zu of %s", item->record.line,
                 item->record.source ? item->record.source : "stdin");
    else if (item->number)
        snprintf(name, sizeof name, "%s %zu", item->is_query ? "query" : "text", item->number);
    else
        snprintf(name, sizeof name, "the query");
    return name;
}

const char *item_fault(const struct item *item)
{
    static char message[FAULT_BYTES];
    snprintf(message, sizeof message, "%s%s", item_name(item), item->record.fault);
    return message;
}

void item_note_repair(const struct item *item)
{
    program_note(item->record.has_half_pair
                     ? "%s has half of a surrogate pair, as \\ud83d alone, which is read as U+FFFD"
                     : "%s is not UTF-8: each invalid part is read as U+FFFD (iconv makes UTF-8 of "
                       "other encodings)",
                 item_name(item));
}

void item_add_prompt(struct item *item, const struct prompt *prompt)
{
    engine_input *input = &item->record.input;
    if (prompt->len == 0 || input->ids)
        return;
    item->prompted = alloc_zeros(prompt->len + input->text_len, 1);
    memcpy(item->prompted, prompt->text, prompt->len);
    if (input->text_len)
        memcpy(item->prompted + prompt->len, input->text, input->text_len);
    item->prompt_len = prompt->len;
    input->text = item->prompted;
    input->text_len += prompt->len;
}

/* ---- Padding, as pad_sequences of Keras makes it. The engine gets a mask of it, computes
 * ---- nothing for them, and returns rows of zeros. ---- */

bool padding_is_at_ends(const struct item *item, int32_t id)
{
    const engine_input *input = &item->record.input;
    return input->ids && !item->mask && input->n_ids > 0 &&
           (input->ids[0] == id || input->ids[input->n_ids - 1] == id);
}

void padding_apply(const struct padding *padding, struct item *item)
{
    size_t n = padding->n, n_tokens = item->n_tokens;
    if (n <= n_tokens)
        return;
    engine_token *tokens = alloc_zeros(n, sizeof *tokens);
    uint8_t *mask = alloc_zeros(n, 1);
    size_t first = padding->is_left ? n - n_tokens : 0;
    for (size_t i = 0; i < n; i++)
        tokens[i] = (engine_token){.id = padding->id, .special = 1};
    for (size_t i = 0; i < n_tokens; i++) {
        tokens[first + i] = item->tokens[i];
        mask[first + i] = !item_is_masked(item, i);
    }
    free(item->tokens);
    free(item->mask);
    item->tokens = tokens;
    item->mask = mask;
    item->n_tokens = n;
}

/* ---- Failures ---- */

bool encoder_fail(struct text_encoder *encoder, struct item *item, const char *format, ...)
{
    char fault[FAULT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault, sizeof fault, format, arguments);
    va_end(arguments);
    free(item->record.fault);
    item->record.fault = alloc_text("%s", fault);
    encoder->fault = FAULT_OF_TEXT;
    return false;
}

/* The engine counts the inputs of one call, the user all texts: "text 7" or "line 7 of stdin"
 * replaces "input 6". */
bool encoder_fail_in_engine(struct text_encoder *encoder, struct item *item)
{
    const engine_error *error = engine_session_error(encoder->session);
    encoder_fail(encoder, item, "%s%s%s", error->name_len ? "" : ": ",
                 error->message + error->name_len,
                 position_scale_hint(&encoder->request.positions, error->reason));
    if (error->status == ENGINE_ERROR_INTERRUPTED)
        encoder->fault = FAULT_INTERRUPTED;
    return false;
}

/* ---- Tokens ---- */

/* Fails an input of n tokens or ids with what would help. */
static void fail_length(struct text_encoder *encoder, struct item *item, size_t n, const char *what,
                        size_t limit)
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
static void fail_long_text(struct text_encoder *encoder, struct item *item)
{
    engine_encode_options options = encoder->options;
    size_t n_tokens = 0;

    options.on_long = ENGINE_ON_LONG_TRUNCATE;
    if (engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, NULL, NULL) ==
        ENGINE_ERROR_LENGTH) {
        encoder_fail_in_engine(encoder, item);
        return;
    }
    options.max_tokens = 0;
    options.role = ENGINE_ROLE_TEXT; /* all tokens, also of a query that has a length */
    engine_tokenize(encoder->session, &item->record.input, &options, NULL, 0, &n_tokens, NULL);
    if (encoder->options.role == ENGINE_ROLE_QUERY && n_tokens <= encoder->options.max_tokens)
        encoder_fail(encoder, item,
                     " has %zu tokens, and this model's queries at most %s: --on-long truncate",
                     n_tokens,
                     model_setting(encoder->model, ENGINE_SETTINGS_CONFIG, "query_tokens"));
    else
        fail_length(encoder, item, n_tokens, "tokens", encoder->options.max_tokens);
}

/* Padding may hold any number; a model without a type table takes any type. */
static bool check_number(struct text_encoder *encoder, struct item *item, const char *key, size_t i,
                         int32_t number, size_t n_allowed)
{
    if (n_allowed == 0 || item_is_masked(item, i) || (size_t)number < n_allowed)
        return true;
    return encoder_fail(encoder, item, ": \"%s\"[%zu] is %d, and this model's %s end at %zu", key,
                        i, (int)number, key, n_allowed - 1);
}

/* The most ids of a row; 0: any number. The model's limit for texts does not hold for ids. */
static size_t id_limit(const struct text_encoder *encoder)
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
static bool cut_ids(struct text_encoder *encoder, struct item *item)
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
static void mark_unpooled(const struct text_encoder *encoder, struct item *item)
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

/* Gives ids their mask: their own, else one that hides all of the named id at their ends. */
static void mask_ids(const struct padding *padding, struct item *item)
{
    const engine_input *input = &item->record.input;
    size_t begin = 0, end = input->n_ids;
    if (!input->mask && !(padding->is_named && padding_is_at_ends(item, padding->id)))
        return;
    item->mask = alloc_zeros(end, 1);
    while (end > 0 && !input->mask && input->ids[end - 1] == padding->id)
        end--;
    while (begin < end && !input->mask && input->ids[begin] == padding->id)
        begin++;
    for (size_t i = begin; i < end; i++)
        item->mask[i] = input->mask ? input->mask[i] : 1;
}

/* Ids are their own tokens; they have no spans. */
static bool read_ids(struct text_encoder *encoder, struct item *item)
{
    const engine_input *input = &item->record.input;
    const engine_info *info = &encoder->info;
    size_t n = input->n_ids;

    if (encoder->request.task == TASK_ENTITIES)
        return encoder_fail(encoder, item, ": --entities takes texts; ids have no spans");
    if (encoder->request.encode.prompt || encoder->request.encode.prompt_text)
        return encoder_fail(encoder, item, ": ids cannot be combined with a prompt");
    if (encoder->skips_prompt && encoder->prompt.len > 0)
        return encoder_fail(encoder, item,
                            " has ids, and the model's vectors leave out the tokens of a prompt, "
                            "which ids do not show: --no-prompt if they have none");
    item->tokens = alloc_zeros(n, sizeof *item->tokens);
    item->n_tokens = n;
    mask_ids(&encoder->padding, item);
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
bool encoder_tokenize(struct text_encoder *encoder, struct item *item)
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
    do { /* again if there are more tokens than guessed: their number is known then */
        cap = guess;
        item->tokens = alloc_resize(item->tokens, cap, sizeof *item->tokens);
        status =
            engine_tokenize(encoder->session, input, &options, item->tokens, cap, &guess, &result);
    } while (status == ENGINE_ERROR_BUFFER && guess > cap);
    if (status == ENGINE_ERROR_LENGTH) {
        fail_long_text(encoder, item);
        encoder->fault = FAULT_OF_LENGTH;
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

/* ---- Windows ---- */

/* Ids are split anywhere: no special token is added to them, and they show no words. */
engine_window *encoder_windows(struct text_encoder *encoder, struct item *item, size_t *n)
{
    const bool are_ids = item->record.input.ids != NULL;
    engine_encode_options options = encoder->options;
    engine_window *windows = NULL;
    engine_status status;
    size_t cap;
    if (are_ids)
        options.max_tokens = id_limit(encoder);
    options.whole_words = !are_ids;
    *n = 1;
    do {
        cap = *n;
        windows = alloc_resize(windows, cap, sizeof *windows);
        status = engine_windows(encoder->session, item->tokens, item->n_tokens, &options, windows,
                                cap, n);
    } while (status == ENGINE_ERROR_BUFFER && *n > cap);
    if (status == ENGINE_OK)
        return windows;
    encoder_fail_in_engine(encoder, item);
    free(windows);
    return NULL;
}

/* ---- What tokens are called ---- */

const char *encoder_token_text(const struct text_encoder *encoder, const struct item *item,
                               size_t i, size_t *len)
{
    const char *text = encoder_id_text(encoder, item->tokens[i].id, len);
    return *len ? text : item_span_text(item, i, len);
}

const char *encoder_unknown_word(const struct text_encoder *encoder, const struct item *item,
                                 size_t i, size_t *len)
{
    size_t token_len;
    if (item->tokens[i].id != encoder->unknown)
        return NULL;
    const char *token = encoder_token_text(encoder, item, i, &token_len);
    const char *word = item_span_text(item, i, len);
    const bool is_its_own = *len == token_len && memcmp(word, token, token_len) == 0;
    return *len > 0 && !is_its_own ? word : NULL;
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
static const char *bytes_text(const struct text_encoder *encoder, const struct item *item, size_t i,
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

void print_meaning(FILE *stream, const struct text_encoder *encoder, const struct item *item,
                   size_t i)
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

/* ---- Words that the vocabulary does not have, or has in pieces only ---- */

enum { UNKNOWN_NAMED = 3 };
#define IN_PIECES " in pieces: names, terms, or a language that the model was not made for"

void word_notes_add(struct word_notes *notes, const struct text_encoder *encoder,
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

/* ---- Rows: vectors, and scores of labels ---- */

size_t encoder_first_wrong(const struct text_encoder *encoder, size_t n)
{
    size_t index = engine_session_error(encoder->session)->input;
    return index < n ? index : 0;
}

/* Removes the tokens that have no vector, so that each token has a row. */
static void drop_tokens_without_vectors(const struct text_encoder *encoder, struct item *item)
{
    size_t n = 0, index = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        if (!item_is_masked(item, i) && engine_token_has_vector(encoder->model, item->tokens[i].id,
                                                                index++, encoder->options.role))
            item->tokens[n++] = item->tokens[i];
    item->n_skipped = index - n;
    item->n_tokens = n;
    free(item->mask);
    item->mask = NULL;
}

/* Sets the scores of --labels-of, from the logits of a pair for each label and text, which are at
 * or after the scores. Returns how many items, from the first, have theirs. */
static size_t score_labels(struct text_encoder *encoder, struct item *items, size_t n)
{
    const size_t n_labels = encoder->width, n_logits = encoder->shape.width;
    engine_encode_options options = encoder->options;
    engine_error error;
    size_t n_good = 0, n_made;
    encoder->inputs = alloc_resize(encoder->inputs, n * n_labels, sizeof *encoder->inputs);
    encoder->rows = alloc_resize(encoder->rows, n * n_labels, n_logits * sizeof *encoder->rows);
    for (; n_good < n && !items[n_good].record.input.ids && !items[n_good].record.input.pair;
         n_good++)
        for (size_t k = 0; k < n_labels; k++) {
            engine_input *input = &encoder->inputs[n_good * n_labels + k];
            *input = items[n_good].record.input;
            input->pair = encoder->hypotheses[k];
            input->pair_len = strlen(input->pair);
        }
    options.raw_scores = 1;
    options.truncation = ENGINE_TRUNCATE_ONLY_FIRST;
    n_made = n_good;
    engine_result *results = alloc_zeros(n_good * n_labels, sizeof *results);
    if (engine_encode(encoder->session, encoder->inputs, n_good * n_labels, &options, encoder->rows,
                      n_good * n_labels * n_logits, NULL, results) != ENGINE_OK) {
        n_made = encoder_first_wrong(encoder, n_good * n_labels) / n_labels;
        encoder_fail_in_engine(encoder, &items[n_made]);
    } else if (n_good < n) {
        encoder_fail(encoder, &items[n_good], ": --labels-of takes single texts");
    }
    for (size_t i = 0; i < n_made; i++) {
        float *scores = encoder->rows + i * n_labels;
        engine_zero_shot(encoder->model, encoder->rows + i * n_labels * n_logits, n_labels,
                         encoder->request.is_multi, scores, &error);
        items[i].rows = scores;
        size_t n_dropped = 0; /* the longest label leaves the least room */
        for (size_t k = i * n_labels; k < (i + 1) * n_labels; k++)
            n_dropped = results[k].n_dropped > n_dropped ? results[k].n_dropped : n_dropped;
        items[i].n_dropped += n_dropped;
    }
    free(results);
    return n_made;
}

/* Words for mask tokens, or entities, which are made of the words of the text. */
static bool make_list(struct text_encoder *encoder, struct item *item,
                      const engine_encode_options *options)
{
    engine_input input = {.tokens = item->tokens, .mask = item->mask, .n_tokens = item->n_tokens};
    const engine_input *text = &item->record.input;
    engine_status status = ENGINE_OK;
    if (encoder->request.task == TASK_FILL) {
        const size_t cap = item_count(item, encoder->info.mask_token) * encoder->top;
        item->candidates = alloc_zeros(cap, sizeof *item->candidates);
        if (cap > 0)
            status = engine_fill(encoder->session, &input, encoder->top, options, item->candidates,
                                 cap, &item->n_candidates, NULL);
    } else {
        input.text = text->text, input.text_len = text->text_len;
        input.pair = text->pair, input.pair_len = text->pair_len;
        item->entities = alloc_zeros(item->n_tokens, sizeof *item->entities);
        status = engine_entities(encoder->session, &input, options, item->entities, item->n_tokens,
                                 &item->n_entities, NULL);
    }
    return status == ENGINE_OK || encoder_fail_in_engine(encoder, item);
}

/* The engine takes tokens, which are cut already. */
size_t encoder_encode(struct text_encoder *encoder, struct item *items, size_t n)
{
    const size_t width = encoder->width;
    size_t n_made = n, n_rows = 0;
    engine_encode_options options = encoder->options;
    options.max_tokens = 0; /* as many as the session takes */
    if (n == 0 || task_is_tokens(encoder->request.task))
        return n;
    alloc_for("%s", item_name(items));
    if (encoder->labels)
        return score_labels(encoder, items, n);
    for (size_t i = 0; i < n && width == 0; i++)
        if (!make_list(encoder, &items[i], &options))
            return i;
    if (width == 0)
        return n;
    encoder->inputs = alloc_resize(encoder->inputs, n, sizeof *encoder->inputs);
    for (size_t i = 0; i < n; i++) {
        encoder->inputs[i] = (engine_input){
            .tokens = items[i].tokens, .mask = items[i].mask, .n_tokens = items[i].n_tokens};
        n_rows += encoder->is_pooled ? 1 : items[i].n_tokens;
    }
    encoder->rows = alloc_resize(encoder->rows, n_rows, width * sizeof *encoder->rows);
    if (engine_encode(encoder->session, encoder->inputs, n, &options, encoder->rows, n_rows * width,
                      NULL, NULL) != ENGINE_OK) {
        n_made = encoder_first_wrong(encoder, n);
        encoder_fail_in_engine(encoder, &items[n_made]);
    }
    const float *next = encoder->rows;
    for (size_t i = 0; i < n_made; i++) {
        items[i].rows = next;
        if (encoder->shape.pooling == ENGINE_POOLING_COLBERT)
            drop_tokens_without_vectors(encoder, &items[i]);
        next += (encoder->is_pooled ? 1 : items[i].n_tokens) * width;
    }
    return n_made;
}
