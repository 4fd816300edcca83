/* token_source.c - words, word lists and texts to fit a vocabulary on; see token_source.h. */
#include "tools/writer/tokenizer/token_source.h"

#include "model/unicode/letters.h"
#include "model/unicode/unicode.h"
#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/line_reader.h"
#include "tools/common/options.h"
#include "tools/common/print/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

/* ---- Words ---- */

/* Appends a text unless it is in the list. */
static void append_once(struct word_list *words, const char *text, size_t len)
{
    if (word_list_find(words, text, len) == WORD_NONE)
        word_list_append(words, text, len);
}

void token_source_add(struct tokenizer_draft *draft, const char *token)
{
    if (token[0] == '\0' || !utf8_is_valid(token, strlen(token)))
        program_die_misused("--add-token takes a token that is UTF-8 and not empty");
    append_once(&draft->words, token, strlen(token));
}

/* Finds the token for unknown words; if it is absent, appends it, with a note if is_noted. */
static void find_unknown(struct tokenizer_draft *draft, bool is_noted)
{
    static const char *const names[] = {"[UNK]", "<unk>"};
    for (size_t i = 0; i < 2 && draft->unknown == WORD_NONE; i++)
        draft->unknown = word_list_find(&draft->words, names[i], strlen(names[i]));
    if (draft->unknown != WORD_NONE)
        return;
    draft->unknown = draft->words.n;
    word_list_append(&draft->words, names[0], strlen(names[0]));
    if (is_noted)
        program_note("the list has no [UNK] and no <unk>; [UNK] is appended as id %zu",
                     draft->unknown);
}

void token_source_words(struct tokenizer_draft *draft, const char *words)
{
    static const char blanks[] = " \t\r\n\v\f";
    if (!utf8_is_valid(words, strlen(words)))
        program_die_misused("--words is not UTF-8");
    words += strspn(words, blanks);
    if (*words == '\0')
        program_die_misused("--words has no word");
    for (size_t len; *words != '\0'; words += len, words += strspn(words, blanks)) {
        len = strcspn(words, blanks);
        append_once(&draft->words, words, len);
    }
    find_unknown(draft, false);
}

/* ---- Lists ---- */

/* Whether a text has a character of Unicode's property White_Space, at which texts are split. */
static bool has_blank(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
        if ((character >= '\t' && character <= '\r') || character == 0x85 ||
            (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP))
            return true;
    }
    return false;
}

void token_source_list(struct tokenizer_draft *draft, const char *path, const char *data,
                       size_t len, bool splits_at_blanks)
{
    struct word_list *words = &draft->words;
    const char *line = data + utf8_mark_len(data, len), *end = data + len, *next;
    for (; line < end; line = next) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((line_end != NULL ? line_end : end) - line), number = words->n + 1;
        next = line + n + (line_end != NULL);
        n -= n > 0 && line[n - 1] == '\r';
        size_t other = word_list_find(words, line, n);
        if (!utf8_is_valid(line, n))
            program_die("'%s', line %zu: not UTF-8", path, number);
        if (splits_at_blanks && has_blank(line, n))
            program_die(
                "'%s', line %zu: this token has a blank in it, and texts are split at blanks", path,
                number);
        if (other != WORD_NONE)
            program_die("'%s', line %zu: the same token is in line %zu", path, number, other + 1);
        word_list_append(words, line, n);
    }
    if (words->n == 0)
        program_die("'%s': has no tokens", path);
    find_unknown(draft, true);
}

/* ---- Texts, as Keras' Tokenizer.fit_on_texts reads them ----
 *
 * Each line is a text: it is put into lower case, and words are what is between blanks and
 * characters of the filter list. Ids: 0 is padding and has no text, 1 the token for unknown words
 * (if there is one), then the words, the most frequent first, equally frequent ones in the order in
 * which they first occur. */

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

/* How often a word occurs; its id says where it occurs first. */
struct count {
    size_t id, n;
};

struct counts {
    struct word_list words; /* in the order in which they first occur */
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

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* Appends padding, the token for unknown words, and the counted words. */
static void append_counted(struct tokenizer_draft *draft, const char *path, struct counts *counts,
                           const struct fit_options *options)
{
    struct word_list *words = &draft->words;
    size_t most = options->num_words > 0 ? options->num_words : SIZE_MAX, n_words = 0;
    word_list_append(words, NULL, 0);
    if (options->oov[0] != '\0') {
        draft->unknown = words->n;
        word_list_append(words, options->oov, strlen(options->oov));
    }
    qsort(counts->counts, counts->words.n, sizeof *counts->counts, by_count);
    for (size_t i = 0; i < counts->words.n && n_words < most; i++) {
        const char *word = counts->words.texts[counts->counts[i].id];
        size_t len = counts->words.lens[counts->counts[i].id];
        if (counts->counts[i].n < options->min_count)
            break;
        if (word_list_find(words, word, len) == WORD_NONE) {
            word_list_append(words, word, len);
            n_words++;
        }
    }
    if (n_words == 0 && options->min_count > 1)
        program_die("'%s': --min-count %zu leaves no word of it", path, options->min_count);
    if (n_words == 0)
        program_die("'%s': there is no word in it but that of --oov", path);
}

void token_source_fit(struct tokenizer_draft *draft, const char *path,
                      const struct fit_options *options)
{
    struct counts counts = {0};
    struct line_reader reader;
    enum line_state state;
    char *line;
    size_t len;
    input_remember(path);
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        program_die("cannot read '%s': %s", path, strerror(errno));
    line_reader_begin(&reader, fd);
    while ((state = line_reader_next(&reader, true, &line, &len)) == LINE_READ)
        count_line(&counts, draft->lower, line, len);
    if (state == LINE_TOO_LONG)
        program_die("'%s': line %zu is longer than 64 MiB", path, reader.n_lines + 1);
    if (state != LINE_END)
        program_die("cannot read '%s': %s", path, strerror(reader.error));
    if (counts.words.n == 0)
        program_die("'%s': there is no word in it", path);
    append_counted(draft, path, &counts, options);
    line_reader_free(&reader);
    if (fd != STDIN_FILENO)
        close(fd);
}
