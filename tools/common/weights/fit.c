/* fit.c - a vocabulary from text, as Keras' Tokenizer.fit_on_texts makes it: each line is a
 * text; it is put into lower case, each character of the filter list becomes a blank, and what
 * stands between blanks is a word. Ids: 0 is padding and has no text, 1 the token for unknown
 * words (if there is one), then the words, the most frequent first, those that are equally
 * frequent in the order in which they first came.
 *
 * Lower case is Python's str.lower: character by character, U+0130 becomes "i" and U+0307, and a
 * capital sigma ends a word as U+03C2: a cased letter stands before it and none behind it,
 * case-ignorable characters not counted (Unicode 3.13, Final_Sigma). Cased and case-ignorable
 * are told by general category here, which is what matters for letters and marks. The library's
 * own tokenizer is exact.
 */
#include "tools/common/weights/token_source.h"

#include "tools/common/line_reader.h"
#include "tools/common/options.h"
#include "tools/common/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

enum { CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2, CAPITAL_I_DOT = 0x130, DOT_ABOVE = 0x307 };

enum kind { OTHER, CASED, IGNORABLE };

static enum kind kind_of(uint32_t character)
{
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return CASED;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return IGNORABLE;
    default:
        return character == '\'' || character == '.' || character == ':' || character == 0xB7 ||
                       character == 0x2018 || character == 0x2019 || character == 0x2024 ||
                       character == 0x2027
                   ? IGNORABLE
                   : OTHER;
    }
}

static bool cased_follows(const char *text, size_t len)
{
    enum kind kind = IGNORABLE;
    while (len > 0 && kind == IGNORABLE) {
        uint32_t character;
        size_t n = utf8_next(text, len, &character);
        kind = kind_of(character);
        text += n;
        len -= n;
    }
    return kind == CASED;
}

/* The text in lower case, if asked, each invalid part replaced by U+FFFD. Returns the length;
 * out has room for 3 · len bytes: no character grows more. */
static size_t normalize(const char *text, size_t len, bool lower, char *out)
{
    bool after_cased = false;
    size_t out_len = 0;
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        if (!lower) {
            out_len += utf8_put(character, out + out_len);
            continue;
        }
        uint32_t small = (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
        if (character == CAPITAL_SIGMA && after_cased && !cased_follows(text + at, len - at))
            small = FINAL_SIGMA;
        if (character == CAPITAL_I_DOT)
            small = 'i';
        out_len += utf8_put(small, out + out_len);
        if (character == CAPITAL_I_DOT)
            out_len += utf8_put(DOT_ABOVE, out + out_len);
        enum kind kind = kind_of(character);
        if (kind != IGNORABLE)
            after_cased = kind == CASED;
    }
    return out_len;
}

struct counts {
    struct word_list words; /* in the order in which they first came */
    size_t *counts;         /* [cap] */
    size_t cap;
    char *text; /* [text_cap] the line that is being read, normalized */
    size_t text_cap;
};

static bool count_word(struct counts *counts, const char *word, size_t len)
{
    size_t id = word_list_find(&counts->words, word, len);
    if (id == WORD_NONE) {
        id = counts->words.n;
        if (id == counts->cap) {
            size_t cap = 2 * counts->cap + 1024;
            size_t *grown = realloc(counts->counts, cap * sizeof *grown);
            if (grown == NULL)
                return false;
            counts->counts = grown;
            counts->cap = cap;
        }
        if (!word_list_append(&counts->words, word, len))
            return false;
        counts->counts[id] = 0;
    }
    counts->counts[id]++;
    return true;
}

static bool count_words(struct counts *counts, const char *text, size_t len, const char *filters)
{
    for (size_t at = 0, begin = 0; at <= len; at++) {
        bool ends =
            at == len || text[at] == ' ' || (text[at] != '\0' && strchr(filters, text[at]) != NULL);
        if (!ends)
            continue;
        if (at > begin && !count_word(counts, text + begin, at - begin))
            return false;
        begin = at + 1;
    }
    return true;
}

static bool count_line(struct counts *counts, const struct token_source *source, const char *line,
                       size_t len)
{
    if (3 * len > counts->text_cap) {
        char *grown = realloc(counts->text, 3 * len);
        if (grown == NULL)
            return false;
        counts->text = grown;
        counts->text_cap = 3 * len;
    }
    len = normalize(line, len, source->lower, counts->text);
    return count_words(counts, counts->text, len, source->filters.data);
}

static int count_lines(struct counts *counts, const struct token_source *source, const char *path,
                       struct line_reader *reader)
{
    char *line;
    size_t len;
    for (;;)
        switch (line_reader_next(reader, true, &line, &len)) {
        case LINE_READ:
            if (!count_line(counts, source, line, len))
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

static int take_words(struct token_source *source, const char *path, const struct counts *counts,
                      const struct fit_options *options)
{
    size_t n = counts->words.n, n_taken = 0, oov_len = strlen(options->oov);
    struct ranked *ranked = malloc((n + 1) * sizeof *ranked);
    bool fits = ranked != NULL && word_list_append(&source->words, NULL, 0);
    if (fits && oov_len > 0) {
        source->unknown = source->words.n;
        fits = word_list_append(&source->words, options->oov, oov_len);
    }
    for (size_t id = 0; fits && id < n; id++)
        ranked[id] = (struct ranked){.id = id, .count = counts->counts[id]};
    if (fits)
        qsort(ranked, n, sizeof *ranked, by_count);
    for (size_t i = 0; fits && i < n && ranked[i].count >= options->min_count; i++) {
        const char *word = counts->words.texts[ranked[i].id];
        size_t len = counts->words.lens[ranked[i].id];
        if (options->num_words > 0 && n_taken == options->num_words)
            break;
        if (word_list_find(&source->words, word, len) != WORD_NONE)
            continue;
        fits = word_list_append(&source->words, word, len);
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

int token_source_fit(struct token_source *source, const char *path,
                     const struct fit_options *options)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return program_fail("cannot read '%s': %s", path, strerror(errno));
    struct counts counts = {0};
    struct line_reader reader;
    line_reader_begin(&reader, fd);
    int code = count_lines(&counts, source, path, &reader);
    if (code == PROGRAM_DONE && counts.words.n == 0)
        code = program_fail("'%s': there is no word in it", path);
    if (code == PROGRAM_DONE)
        code = take_words(source, path, &counts, options);
    line_reader_free(&reader);
    word_list_free(&counts.words);
    free(counts.counts);
    free(counts.text);
    if (!is_stdin)
        close(fd);
    return code;
}
