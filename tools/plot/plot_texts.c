/* plot_texts.c - how many texts a picture takes, and those of one that takes one or two from the
 * lines of stdin where the command line has none and stdin is no terminal; see plot_options.h.
 * Empty lines are left out: nothing of them can be drawn. */
#include "tools/common/options.h"
#include "tools/common/texts/reader.h"
#include "tools/plot/plot_options.h"
#include "tools/plot/text.h"

#include <string.h>
#include <unistd.h>

static const char ONE_TEXT[] = "one text is needed, as an argument or as a line of stdin";

static const struct {
    size_t least, most, most_of_stdin;
    const char *message;
} TEXTS[N_PLOT_COMMANDS] = {
    [PLOT_POSITION] = {0, 0, 0, "position takes no text"},
    [PLOT_ATTENTION] = {1, 1, 1, ONE_TEXT},
    [PLOT_WORDS] = {1, 2, 2, "words takes one or two texts"},
    [PLOT_LAYERS] = {1, 1, 1, ONE_TEXT},
    [PLOT_ORDER] = {1, 1, 1, ONE_TEXT},
    [PLOT_SIMILARITY] = {0, SIZE_MAX, 0, NULL}, /* reads stdin itself: any number of lines */
    [PLOT_STEPS] = {1, SIZE_MAX, 0, "steps takes texts as arguments"},
};

const char *plot_check_texts(const void *options)
{
    const struct plot_options *plot = options;
    size_t n = plot->request.n_texts;
    if (n == 0 && TEXTS[plot->command].most_of_stdin > 0 && !isatty(STDIN_FILENO))
        return NULL; /* plot_texts_read */
    bool is_good = n >= TEXTS[plot->command].least && n <= TEXTS[plot->command].most;
    return is_good ? NULL : TEXTS[plot->command].message;
}

static void add_line(struct plot_options *options, const struct record *record, size_t most)
{
    size_t len = record->input.text_len, n = options->request.n_texts;
    if (len == 0)
        return;
    if (n == most)
        program_die_misused("%s takes %s, and stdin has more lines; head -n %zu leaves %s",
                            PLOT_COMMANDS[options->command].name,
                            most == 1 ? "one text" : "one or two texts", most,
                            most == 1 ? "the first" : "the first two");
    if (memchr(record->input.text, '\0', len))
        program_die("line %zu of stdin has a NUL byte: it is no text", record->line);
    options->stdin_texts[n] = alloc_zeros(len + 1, 1);
    memcpy(options->stdin_texts[n], record->input.text, len);
    options->request.n_texts++;
}

void plot_texts_read(struct plot_options *options)
{
    size_t most = TEXTS[options->command].most_of_stdin;
    struct reader reader;
    struct record record;
    enum reader_state state;
    if (most == 0 || options->request.n_texts > 0)
        return;
    options->request.texts = options->stdin_texts;
    reader_open(&reader, NULL, 0, false);
    while ((state = reader_next(&reader, true, &record)) == READER_RECORD) {
        add_line(options, &record, most);
        record_free(&record);
    }
    if (state == READER_FAILED)
        program_die("%s", reader.message);
    if (options->request.n_texts == 0)
        program_die_misused("one text is needed: the command line has none, and stdin is empty");
    reader_free(&reader);
}
