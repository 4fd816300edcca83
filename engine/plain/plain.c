/* plain.c - encode-plain: a text to one vector for each token, in double precision and plain loops.
 *
 * Read on in words.c (plain_tokens: text to ids), encoder.c (plain_encode: ids to vectors),
 * attention.c, steps.c; weights.c reads the file, config.c its
 * settings. Vectors of texts, and answers of heads, are in answers.c, for the lesson and tests.
 */
#include "engine/plain/encoder.h"
#include "engine/plain/steps.h"
#include "engine/plain/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { FIRST_VALUES = 4, NUMBER = 8, SHOWN = 16, CELL = 128 };

static const char USAGE[] =
    "usage: encode-plain [-m FILE] [--trace] [--ids] TEXT ...\n"
    "  -m FILE   weight file (default: default.weights beside this program)\n"
    "  --trace   print the result of every step, with its shape and its tokens\n"
    "  --ids     TEXT is token ids, as in \"2 51 4315 4286 3\"\n";

/* Reads n token ids, to be freed; none, with the words in error, if there is anything else. */
static struct plain_token *read_ids(const char *text, size_t *n, char error[256])
{
    struct plain_token *tokens = plain_new(strlen(text), sizeof *tokens);
    *n = 0;
    if (text[strspn(text, "0123456789 \t\n")] != '\0')
        plain_complain(error, "--ids takes numbers between blanks");
    text += strspn(text, " \t\n");
    for (char *end; error[0] == '\0' && *text != '\0'; text = end + strspn(end, " \t\n")) {
        const long id = strtol(text, &end, 10);
        if (id > INT32_MAX)
            plain_complain(error, "id %.*s is too large", (int)(end - text), text);
        tokens[(*n)++].id = (int32_t)id;
    }
    return tokens;
}

static int columns_of(const char *text)
{
    int columns = 0, code;
    for (utf8proc_ssize_t n; *text != '\0'; text += n > 0 ? n : 1) {
        n = utf8proc_iterate((const uint8_t *)text, -1, &code);
        columns += n > 0 ? utf8proc_charwidth(code) : 1;
    }
    return columns;
}

/* The words of the tokens that are printed, and how many columns the widest takes. */
static char (*words)[CELL];
static size_t n_words;
static int word_columns;

/* A word of the vocabulary; that of the unknown token is followed by the text's, in parentheses. */
static void write_words(const struct plain_weights *weights, const struct plain_token *tokens,
                        size_t n, const char *text)
{
    const char *unknown = plain_setting(&weights->tokn, "unknown", "-1");
    word_columns = (int)strlen("token");
    for (n_words = 0; n_words < n; n_words++) {
        const struct plain_token *token = &tokens[n_words];
        char *word = words[n_words];
        size_t len;
        const char *known = plain_word_text(weights, token->id, &len);
        const int n_bytes = (int)(token->end - token->begin);
        if (n_bytes > 0 && token->id == (int32_t)strtol(unknown, NULL, 10))
            snprintf(word, CELL, "%.*s (%.*s)", (int)len, known, n_bytes, text + token->begin);
        else
            snprintf(word, CELL, "%.*s", (int)len, known);
        plain_make_printable(word);
        word_columns = (int)fmax(word_columns, columns_of(word));
    }
}

static void print_word(size_t i)
{
    printf("%s%*s", words[i], word_columns - columns_of(words[i]), "");
}

/* A line for each token: its number, word, id, and bytes of the text; of a vector the first values
 * and the length, too. */
static void print_tokens(const struct plain_token *tokens, const struct plain_output *output)
{
    const size_t width = output->width, n_shown = width < FIRST_VALUES ? width : FIRST_VALUES;
    char cell[CELL];
    printf("%4s  %-*s  %6s  %9s", "#", word_columns, "token", "id", "span");
    snprintf(cell, sizeof cell, "  first %zu of %zu values", n_shown, width);
    printf(width > 0 ? "%-*s %*s\n" : "\n", (int)n_shown * (1 + NUMBER), cell, NUMBER, "norm");
    for (size_t i = 0; i < n_words; i++) {
        const double *row = output->tokens + i * width;
        snprintf(cell, sizeof cell, tokens[i].end > tokens[i].begin ? "%zu-%zu" : "-",
                 tokens[i].begin, tokens[i].end);
        printf("%4zu  ", i);
        print_word(i);
        printf("  %6d  %9s", (int)tokens[i].id, cell);
        for (size_t k = 0; k < n_shown; k++)
            printf(" %*.4f", NUMBER, row[k]);
        if (width > 0)
            printf("%s%*.4f", n_shown < width ? " … " : "   ", NUMBER,
                   sqrt(plain_dot(row, row, width)));
        puts("");
    }
}

/* A step's result, of a wide row a part: a row for each token, or of one token alone. */
static void print_step(const char *what, const double *rows, size_t n_rows, size_t width)
{
    printf("\n%s  [%zu, %zu]\n", what, n_rows, width);
    for (size_t r = 0; r < n_rows; r++) {
        if (n_rows == n_words)
            print_word(r);
        for (size_t i = 0; i < width && i < SHOWN; i++)
            printf(" %8.4f", rows[r * width + i]);
        puts(width > SHOWN ? " …" : "");
    }
}

/* Prints the vectors of a text's tokens, or puts the reason into error. */
static void encode_text(const struct plain_weights *weights, const char *text, bool is_ids,
                        plain_step *trace, char error[256])
{
    size_t n;
    struct plain_output output = {0};
    struct plain_token *tokens =
        is_ids ? read_ids(text, &n, error) : plain_tokens(weights, text, &n, error);
    int32_t *ids = plain_new(n, sizeof *ids);
    words = plain_new(n, sizeof *words);
    for (size_t i = 0; i < n; i++)
        ids[i] = tokens[i].id;
    write_words(weights, tokens, n, text);
    if (error[0] == '\0' && trace) {
        puts("\ntext: ids and bytes");
        print_tokens(tokens, &output);
    }
    if (error[0] == '\0' &&
        plain_encode(weights, &(struct plain_input){.n = n, .ids = ids},
                     &(struct plain_options){.int8_rows = true, .trace = trace}, &output, error))
        print_tokens(tokens, &output);
    plain_output_free(&output);
    free(tokens);
    free(ids);
    free(words);
}

int main(int argc, char **argv)
{
    struct plain_weights weights;
    char path[4096]; /* make puts the default weights beside the program */
    bool is_ids = false, is_traced = false;
    char error[256] = "";
    int at = 1, n = (int)(strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 - argv[0] : 0);
    snprintf(path, sizeof path, "%.*sdefault.weights", n, argv[0]);
    for (; at < argc && argv[at][0] == '-'; at++)
        if (strcmp(argv[at], "-m") == 0 && at + 1 < argc)
            snprintf(path, sizeof path, "%s", argv[++at]);
        else if (strcmp(argv[at], "--ids") == 0)
            is_ids = true;
        else if (strcmp(argv[at], "--trace") == 0)
            is_traced = true;
        else
            break;
    if (at == argc || argv[at][0] == '-') {
        fputs(USAGE, stderr);
        return 2;
    }
    if (!plain_weights_read(&weights, path))
        plain_complain(error, "%s; try -m FILE", weights.error);
    for (int i = at; i < argc && error[0] == '\0'; i++) {
        fputs(i > at ? "\n" : "", stdout);
        encode_text(&weights, argv[i], is_ids, is_traced ? print_step : NULL, error);
    }
    if (error[0] != '\0')
        fprintf(stderr, "encode-plain: %s: %s\n", path, error);
    plain_weights_free(&weights);
    return error[0] != '\0';
}
