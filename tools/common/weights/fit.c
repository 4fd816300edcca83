/* fit.c - a vocabulary from text, as Keras' Tokenizer.fit_on_texts makes it: each line is a text;
 * it is put into lower case, each character of the filter list becomes a blank, and what stands
 * between blanks is a word. Ids: 0 is padding and has no text, 1 the token for unknown words (if
 * there is one), then the words, the most frequent first, those that are equally frequent in the
 * order in which they first came.
 */
#include "engine/file/text_lower.h"
#include "tools/common/line_reader.h"
#include "tools/common/options.h"
#include "tools/common/weights/token_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct counts {
    struct word_list words; /* in the order in which they first came */
    size_t *counts;         /* [cap] */
    size_t cap;
    char *text; /* [text_cap] the line that is being read, normalized */
    size_t text_cap;
};

/* Room for n elements of `element` bytes; false if there is no memory. */
static bool reserve(void *array, size_t *cap, size_t n, size_t element)
{
    void **data = array;
    if (n <= *cap)
        return true;
    void *grown = realloc(*data, 2 * n * element);
    if (grown == NULL)
        return false;
    *data = grown;
    *cap = 2 * n;
    return true;
}

static bool count_word(struct counts *counts, const char *word, size_t len)
{
    size_t id = word_list_find(&counts->words, word, len);
    if (id == WORD_NONE) {
        id = counts->words.n;
        if (!reserve(&counts->counts, &counts->cap, id + 1, sizeof *counts->counts) ||
            !word_list_append(&counts->words, word, len))
            return false;
        counts->counts[id] = 0;
    }
    counts->counts[id]++;
    return true;
}

static bool count_words(struct counts *counts, const char *text, size_t len)
{
    for (size_t at = 0, begin = 0; at <= len; at++) {
        if (at < len && text[at] != ' ' &&
            memchr(KERAS_FILTERS, text[at], sizeof KERAS_FILTERS - 1) == NULL)
            continue;
        if (at > begin && !count_word(counts, text + begin, at - begin))
            return false;
        begin = at + 1;
    }
    return true;
}

static int count_lines(struct counts *counts, bool lower, const char *path,
                       struct line_reader *reader)
{
    char *line;
    size_t len;
    for (;;)
        switch (line_reader_next(reader, true, &line, &len)) {
        case LINE_READ:
            if (!reserve(&counts->text, &counts->text_cap, 3 * len, 1) ||
                !count_words(counts, counts->text, text_lower(line, len, lower, counts->text)))
                return no_memory();
            break;
        case LINE_END: return PROGRAM_DONE;
        case LINE_TOO_LONG:
            return program_fail("'%s': line %zu is longer than 64 MiB", path, reader->n_lines + 1);
        default: return program_fail("cannot read '%s': %s", path, strerror(reader->error));
        }
}

struct ranked {
    size_t id, count;
};

static int by_count(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* The words by their ranks; NULL if there is no memory. */
static struct ranked *rank(const struct counts *counts)
{
    struct ranked *ranked = malloc((counts->words.n + 1) * sizeof *ranked);
    if (ranked == NULL)
        return NULL;
    for (size_t id = 0; id < counts->words.n; id++)
        ranked[id] = (struct ranked){.id = id, .count = counts->counts[id]};
    qsort(ranked, counts->words.n, sizeof *ranked, by_count);
    return ranked;
}

/* Padding and the token for unknown words. */
static bool take_specials(struct tokenizer_draft *draft, const char *oov)
{
    if (!word_list_append(&draft->words, NULL, 0))
        return false;
    if (oov[0] != '\0')
        draft->unknown = draft->words.n;
    return oov[0] == '\0' || word_list_append(&draft->words, oov, strlen(oov));
}

static int take_words(struct tokenizer_draft *draft, const char *path, const struct counts *counts,
                      const struct fit_options *options)
{
    size_t most = options->num_words > 0 ? options->num_words : SIZE_MAX, n_taken = 0;
    struct ranked *ranked = rank(counts);
    bool fits = ranked != NULL && take_specials(draft, options->oov);
    for (size_t i = 0; fits && i < counts->words.n && n_taken < most; i++) {
        const char *word = counts->words.texts[ranked[i].id];
        size_t len = counts->words.lens[ranked[i].id];
        if (ranked[i].count < options->min_count)
            break;
        if (word_list_find(&draft->words, word, len) != WORD_NONE)
            continue;
        fits = word_list_append(&draft->words, word, len);
        n_taken++;
    }
    free(ranked);
    if (!fits)
        return no_memory();
    if (n_taken > 0)
        return PROGRAM_DONE;
    if (options->min_count > 1)
        return program_fail("'%s': --min-count %zu leaves no word of it", path, options->min_count);
    return program_fail("'%s': there is no word in it but that of --oov", path);
}

int token_source_fit(struct tokenizer_draft *draft, const char *path,
                     const struct fit_options *options)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return program_fail("cannot read '%s': %s", path, strerror(errno));
    struct counts counts = {0};
    struct line_reader reader;
    line_reader_begin(&reader, fd);
    int code = count_lines(&counts, draft->lower, path, &reader);
    if (code == PROGRAM_DONE && counts.words.n == 0)
        code = program_fail("'%s': there is no word in it", path);
    if (code == PROGRAM_DONE)
        code = take_words(draft, path, &counts, options);
    line_reader_free(&reader);
    word_list_free(&counts.words);
    free(counts.counts);
    free(counts.text);
    if (!is_stdin)
        close(fd);
    return code;
}
