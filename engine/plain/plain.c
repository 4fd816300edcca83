/* plain.c - encode-plain: a text to one vector for each token, in double precision and plain loops.
 *
 *     encode-plain [-m FILE] [--trace] [--ids] TEXT ...
 *
 * Read on in words.c (plain_tokens: text to ids), encoder.c (plain_encode: ids to vectors),
 * attention.c, steps.c; weights.c reads the file, decode.c its types of numbers, config.c its
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

/* Reads token ids, numbers between blanks; NULL if there is anything else. */
static struct plain_token *read_ids(const char *text, size_t *n)
{
    struct plain_token *tokens = plain_new(strlen(text), sizeof *tokens);
    int id, len;
    for (*n = 0; sscanf(text, "%d%n", &id, &len) == 1; text += len)
        tokens[(*n)++].id = id;
    if (text[strspn(text, " \t\n")] == '\0')
        return tokens;
    free(tokens);
    *n = 0;
    return NULL;
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

/* The tokens as they are printed, and how many columns the widest takes. */
static struct cell {
    char word[CELL], span[CELL];
} * cells;
static size_t n_cells;
static int word_columns, id_columns, span_columns;

/* A word of the vocabulary; that of the unknown token is followed by the text's, in parentheses. */
static void write_cells(const struct plain_weights *weights, const struct plain_token *tokens,
                        size_t n, const char *text)
{
    const char *unknown = plain_setting(&weights->tokn, "unknown", "-1");
    word_columns = (int)strlen("token");
    id_columns = (int)strlen("id");
    span_columns = (int)strlen("span");
    for (n_cells = 0; n_cells < n; n_cells++) {
        const struct plain_token *token = &tokens[n_cells];
        struct cell *cell = &cells[n_cells];
        size_t len;
        const char *known = plain_word_text(weights, token->id, &len);
        const int n_bytes = (int)(token->end - token->begin);
        snprintf(cell->word, CELL, "%.*s", (int)len, known);
        if (n_bytes > 0 && token->id == (int32_t)strtol(unknown, NULL, 10))
            snprintf(cell->word, CELL, "%.*s (%.*s)", (int)len, known, n_bytes,
                     text + token->begin);
        for (char *c = cell->word; *c != '\0'; c++)
            *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c; /* no terminal obeys one */
        const int span =
            snprintf(cell->span, CELL, n_bytes > 0 ? "%zu-%zu" : "-", token->begin, token->end);
        word_columns = (int)fmax(word_columns, columns_of(cell->word));
        id_columns = (int)fmax(id_columns, snprintf(NULL, 0, "%d", (int)token->id));
        span_columns = (int)fmax(span_columns, span);
    }
}

static void print_word(size_t token)
{
    printf("%s%*s", cells[token].word, word_columns - columns_of(cells[token].word), "");
}

/* A line for each token: its number, text, id, bytes, first values, and length as a vector. */
static void print_table(const struct plain_token *tokens, const struct plain_output *output)
{
    const size_t n = output->n_tokens, width = output->width;
    const size_t n_shown = width < FIRST_VALUES ? width : FIRST_VALUES;
    const int numbers = snprintf(NULL, 0, "%zu", n);
    char title[CELL];
    snprintf(title, sizeof title, "first %zu of %zu values", n_shown, width);
    printf("%*s  %-*s  %*s  %*s  %-*s %*s\n", numbers, "#", word_columns, "token", id_columns, "id",
           span_columns, "span", (int)n_shown * (1 + NUMBER), title, NUMBER, "norm");
    for (size_t i = 0; i < n; i++) {
        const double *row = output->tokens + i * width;
        printf("%*zu  ", numbers, i);
        print_word(i);
        printf("  %*d  %*s", id_columns, (int)tokens[i].id, span_columns, cells[i].span);
        for (size_t k = 0; k < n_shown; k++)
            printf(" %*.4f", NUMBER, row[k]);
        printf("%s%*.4f\n", n_shown < width ? " … " : "   ", NUMBER,
               sqrt(plain_dot(row, row, width)));
    }
}

/* The first step: the id of each token, and the bytes of the text that it was made from. */
static void print_ids(const struct plain_token *tokens, size_t n)
{
    printf("\ntext: ids and bytes  [%zu]\n", n);
    for (size_t i = 0; i < n; i++) {
        print_word(i);
        printf("  %*d  %*s\n", id_columns, (int)tokens[i].id, span_columns, cells[i].span);
    }
}

/* A step's result, of a wide row a part: a row for each token, or of one token alone. */
static void print_step(const char *what, const double *rows, size_t n_rows, size_t width)
{
    printf("\n%s  [%zu, %zu]\n", what, n_rows, width);
    for (size_t r = 0; r < n_rows; r++) {
        if (n_rows == n_cells)
            print_word(r);
        for (size_t i = 0; i < width && i < SHOWN; i++)
            printf(" %8.4f", rows[r * width + i]);
        puts(width > SHOWN ? " …" : "");
    }
}

/* Returns false with the reason in error. */
static bool encode_text(const struct plain_weights *weights, const char *text, bool is_ids,
                        plain_step *trace, char error[256])
{
    size_t n = 0;
    struct plain_output output = {0};
    struct plain_token *tokens = is_ids ? read_ids(text, &n) : plain_tokens(weights, text, &n);
    int32_t *ids = plain_new(n, sizeof *ids);
    cells = plain_new(n, sizeof *cells);
    if (!tokens)
        plain_complain(error, is_ids ? "--ids takes numbers between blanks"
                                     : "its tokenizer is not BERT's: give --ids, of encode "
                                       "--tokens -f ids");
    for (size_t i = 0; i < n; i++)
        ids[i] = tokens[i].id;
    write_cells(weights, tokens, n, text);
    if (tokens && trace)
        print_ids(tokens, n);
    if (tokens &&
        plain_encode(weights, &(struct plain_input){.n = n, .ids = ids},
                     &(struct plain_options){.int8_rows = true, .trace = trace}, &output, error))
        print_table(tokens, &output);
    plain_output_free(&output);
    free(tokens);
    free(ids);
    free(cells);
    return error[0] == '\0';
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
    bool is_done = plain_weights_read(&weights, path);
    if (!is_done)
        plain_complain(error, "%s; try -m FILE", weights.error);
    for (int i = at; i < argc && is_done; i++) {
        fputs(i > at ? "\n" : "", stdout);
        is_done = encode_text(&weights, argv[i], is_ids, is_traced ? print_step : NULL, error);
    }
    if (!is_done)
        fprintf(stderr, "encode-plain: %s: %s\n", path, error);
    plain_weights_free(&weights);
    return is_done ? 0 : 1;
}
