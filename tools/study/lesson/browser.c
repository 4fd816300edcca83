/* browser.c - the plain engine in a browser: what the lesson's page calls.
 *
 * Compiled to WebAssembly (data.sh). Texts are UTF-8 and end with 0. Results go to page_step and
 * page_token, which are functions of the page, as are those of utf8proc that words.c calls. */
#include "engine/plain/answers.h"
#include "engine/plain/encoder.h"
#include "engine/plain/words.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

plain_step page_step;
void page_token(int32_t id, const char *text, size_t len, size_t begin, size_t end);

static char error[256];

EXPORT(error_text) const char *error_text(void)
{
    return error;
}

/* Opens the n bytes of a weight file, which it keeps; NULL with a text in error_text(). */
EXPORT(open) struct plain_weights *open_weights(uint8_t *file, size_t n)
{
    struct plain_weights *weights = calloc(1, sizeof *weights);
    if (!weights)
        abort();
    if (plain_weights_parse(weights, file, n))
        return weights;
    memcpy(error, weights->error, sizeof error);
    plain_weights_free(weights);
    free(weights);
    return NULL;
}

EXPORT(close) void close_weights(struct plain_weights *weights)
{
    plain_weights_free(weights);
    free(weights);
}

/* A setting of CONF, or NULL. */
EXPORT(setting) const char *setting(const struct plain_weights *weights, const char *key)
{
    return plain_setting(&weights->conf, key, NULL);
}

/* Passes a tensor's numbers to page_step. */
EXPORT(tensor) bool tensor(const struct plain_weights *weights, const char *name)
{
    const struct plain_tensor *found = plain_tensor(weights, name);
    if (found)
        page_step(name, found->values, found->rows, found->cols);
    return found != NULL;
}

/* Passes the tokens of a text to page_token, unless the text or the tokenizer is refused. */
EXPORT(tokenize) bool tokenize(const struct plain_weights *weights, const char *text)
{
    size_t n, len;
    struct plain_token *tokens = plain_tokens(weights, text, &n, error);
    for (size_t i = 0; i < n; i++) {
        const char *word = plain_word_text(weights, tokens[i].id, &len);
        page_token(tokens[i].id, word, len, tokens[i].begin, tokens[i].end);
    }
    free(tokens);
    return error[0] == '\0';
}

/* Rows 0 to n-1 of a scheme, or of the file if it is "". */
EXPORT(positions)
bool positions(const struct plain_weights *weights, size_t n, size_t width, const char *position,
               double base, double scale)
{
    struct plain_options options = {*position ? position : NULL, .position_base = base,
                                    .position_scale = &scale};
    double *rows = calloc(n * width + 1, sizeof *rows);
    bool is_done = rows && plain_positions(weights, &options, n, rows, error);
    if (is_done)
        page_step("positions", rows, n, width);
    free(rows);
    return is_done;
}

/* Encodes ids. Every step goes to page_step, at the end all states, weights of attention, the last
 * rows, their mean, and the text's vector. "" and factors of -1: as the file says. */
EXPORT(encode)
bool encode(const struct plain_weights *weights, const int32_t *ids, size_t n, const char *position,
            const char *mask, double base, double w1, double w2)
{
    struct plain_options options = {*position ? position : NULL, *mask ? mask : NULL, true, base};
    struct plain_output output;
    size_t width = 0;
    double *vector = NULL;
    options.embedding_scale = w1 < 0 ? NULL : &w1;
    options.position_scale = w2 < 0 ? NULL : &w2;
    options.trace = page_step;
    if (plain_encode(weights, &(struct plain_input){n, ids}, &options, &output, error))
        vector = plain_vector_of_text(weights, &output, &width, error);
    if (vector) {
        page_step("hidden", output.hidden, (output.n_layers + 1) * n, output.width);
        page_step("attention", output.attention, output.n_layers * output.n_heads * n, n);
        page_step("last", output.tokens, n, output.width);
        page_step("vector", vector, 1, width);
        plain_pool("mean", output.tokens, n, output.width, 0, output.hidden);
        page_step("mean", output.hidden, 1, output.width);
    }
    plain_output_free(&output);
    free(vector);
    return vector != NULL;
}
