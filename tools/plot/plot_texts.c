/* plot_texts.c - the texts of a picture that takes one or two, from the lines of stdin where the
 * command line has none and stdin is no terminal; see plot_options.h. Empty lines are left out:
 * nothing of them can be drawn. */
#include "tools/common/options.h"
#include "tools/common/texts/reader.h"
#include "tools/plot/memory.h"
#include "tools/plot/plot_table.h"

#include <stdlib.h>
#include <string.h>

size_t plot_texts_most(enum plot_command command)
{
    return command == PLOT_WORDS                                                          ? 2
           : command == PLOT_ATTENTION || command == PLOT_LAYERS || command == PLOT_ORDER ? 1
                                                                                          : 0;
}

static void add_line(struct plot_options *options, const struct record *record, size_t most)
{
    size_t len = record->input.text_len, n = options->request.n_texts;
    if (len == 0)
        return;
    if (n == most)
        exit(program_misuse("%s takes %s, and stdin has more lines; head -n %zu leaves %s",
                            PLOT_COMMANDS[options->command].name,
                            most == 1 ? "one text" : "one or two texts", most,
                            most == 1 ? "the first" : "the first two"));
    if (memchr(record->input.text, '\0', len))
        exit(program_fail("line %zu of stdin has a NUL byte: it is no text", record->line));
    options->stdin_texts[n] = memory_zeros(len + 1, 1);
    memcpy(options->stdin_texts[n], record->input.text, len);
    options->request.n_texts++;
}

void plot_texts_read(struct plot_options *options)
{
    size_t most = plot_texts_most(options->command);
    struct reader reader;
    struct record record;
    enum reader_state state;
    if (most == 0 || options->request.n_texts > 0)
        return;
    options->request.texts = options->stdin_texts;
    reader_from_stdin(&reader, false);
    while ((state = reader_next(&reader, true, &record)) == READER_RECORD) {
        add_line(options, &record, most);
        record_free(&record);
    }
    if (state == READER_FAILED)
        exit(program_fail("%s", reader.message));
    if (options->request.n_texts == 0)
        exit(program_misuse("one text is needed: the command line has none, and stdin is empty"));
    reader_free(&reader);
}
