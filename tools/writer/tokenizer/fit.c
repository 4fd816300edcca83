/* fit.c - a vocabulary from text, as Keras' Tokenizer.fit_on_texts makes it: each line is a text;
 * it is put into lower case, each character of the filter list becomes a blank, and what stands
 * between blanks is a word. Ids: 0 is padding and has no text, 1 the token for unknown words (if
 * there is one), then the words, the most frequent first, those that are equally frequent in the
 * order in which they first came.
 */
#include "model/unicode/letter_case.h"
#include "model/unicode/utf8.h"
#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/line_reader.h"
#include "tools/common/options.h"
#include "tools/writer/tokenizer/token_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t text_lower(const char *text, size_t len, bool lower, char *out)
{
    size_t out_len = 0;
    for (size_t at = 0; at < len;) {
        const struct letter letter = letter_read(text, len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++)
            out_len += utf8_encode(letter.codes[i], out + out_len);
        at += letter.len;
    }
    return out_len;
}

/* How often a word stands there; its id says where it first came. */
struct count {
    size_t id, n;
};

struct counts {
    struct word_list words; /* in the order in which they first came */
    struct count *counts;   /* [words.n], room for words.cap */
};

static void count_word(struct counts *counts, const char *word, size_t len)
{
    size_t id = word_list_find(&counts->words, word, len);
    if (id == WORD_NONE) {
        const size_t cap = counts->words.cap;
        id = counts->words.n;
        word_list_append(&counts->words, word, len);
        if (counts->words.cap > cap)
            counts->counts =
                alloc_resize(counts->counts, counts->words.cap, sizeof *counts->counts);
        counts->counts[id] = (struct count){.id = id};
    }
    counts->counts[id].n++;
}

static void count_line(struct counts *counts, bool lower, const char *line, size_t line_len)
{
    char *text = alloc_resize(NULL, 3 * line_len + 1, 1);
    size_t len = text_lower(line, line_len, lower, text);
    for (size_t at = 0, begin = 0; at <= len; at++) {
        if (at < len && text[at] != ' ' &&
            memchr(KERAS_FILTERS, text[at], sizeof KERAS_FILTERS - 1) == NULL)
            continue;
        if (at > begin)
            count_word(counts, text + begin, at - begin);
        begin = at + 1;
    }
    alloc_free(text);
}

static void count_lines(struct counts *counts, bool lower, const char *path,
                        struct line_reader *reader)
{
    char *line;
    size_t len;
    for (;;)
        switch (line_reader_next(reader, true, &line, &len)) {
        case LINE_READ: count_line(counts, lower, line, len); break;
        case LINE_END:
            if (counts->words.n == 0)
                program_die("'%s': there is no word in it", path);
            return;
        case LINE_TOO_LONG:
            program_die("'%s': line %zu is longer than 64 MiB", path, reader->n_lines + 1);
        default: program_die("cannot read '%s': %s", path, strerror(reader->error));
        }
}

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static void take_words(struct tokenizer_draft *draft, const char *path, struct counts *counts,
                       const struct fit_options *options)
{
    struct word_list *words = &draft->words;
    size_t most = options->num_words > 0 ? options->num_words : SIZE_MAX, n_taken = 0;
    word_list_append(words, NULL, 0);
    if (options->oov[0] != '\0') {
        draft->unknown = words->n;
        word_list_append(words, options->oov, strlen(options->oov));
    }
    qsort(counts->counts, counts->words.n, sizeof *counts->counts, by_count);
    for (size_t i = 0; i < counts->words.n && n_taken < most; i++) {
        const char *word = counts->words.texts[counts->counts[i].id];
        size_t len = counts->words.lens[counts->counts[i].id];
        if (counts->counts[i].n < options->min_count)
            break;
        if (word_list_find(words, word, len) == WORD_NONE) {
            word_list_append(words, word, len);
            n_taken++;
        }
    }
    if (n_taken == 0 && options->min_count > 1)
        program_die("'%s': --min-count %zu leaves no word of it", path, options->min_count);
    if (n_taken == 0)
        program_die("'%s': there is no word in it but that of --oov", path);
}

void token_source_fit(struct tokenizer_draft *draft, const char *path,
                      const struct fit_options *options)
{
    bool is_stdin = strcmp(path, "-") == 0;
    input_remember(path);
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        program_die("cannot read '%s': %s", path, strerror(errno));
    struct counts counts = {0};
    struct line_reader reader;
    line_reader_begin(&reader, fd);
    count_lines(&counts, draft->lower, path, &reader);
    take_words(draft, path, &counts, options);
    line_reader_free(&reader);
    if (!is_stdin)
        close(fd);
}
