/* plot_texts.c - the texts of a picture that takes one or two, from the lines of stdin where the
 * command line has none and stdin is no terminal; see plot_options.h. Empty lines are left out:
 * nothing of them can be drawn. */
#include "tools/common/options.h"
#include "tools/common/texts/reader.h"
#include "tools/plot/plot_table.h"

#include <stdlib.h>
#include <string.h>

size_t plot_texts_most(enum plot_command command)
{
    return command == PLOT_POSITION || command == PLOT_SIMILARITY ? 0
           : command == PLOT_WORDS                                ? 2
                                                                  : 1;
}

/* Adds a line to the texts; PROGRAM_DONE, or an exit code after a message. */
static int add_line(struct plot_options *options, const struct record *record, size_t most)
{
    const char *command = PLOT_COMMANDS[options->command].name;
    size_t len = record->input.text_len, n = options->request.n_texts;
    if (len == 0)
        return PROGRAM_DONE;
    if (n == most)
        return program_misuse("%s takes %s, and stdin has more lines; head -n %zu leaves %s",
                              command, most == 1 ? "one text" : "one or two texts", most,
                              most == 1 ? "the first" : "the first two");
    if (memchr(record->input.text, '\0', len))
        return program_fail("line %zu of stdin has a NUL byte: it is no text", record->line);
    char *text = malloc(len + 1);
    if (!text)
        return program_fail("not enough memory");
    memcpy(text, record->input.text, len);
    text[len] = '\0';
    options->stdin_texts[n] = text;
    options->request.n_texts++;
    return PROGRAM_DONE;
}

int plot_texts_read(struct plot_options *options)
{
    size_t most = plot_texts_most(options->command);
    struct reader reader;
    struct record record;
    enum reader_state state = READER_END;
    int code = PROGRAM_DONE;
    if (most == 0 || options->request.n_texts > 0)
        return PROGRAM_DONE;
    options->request.texts = options->stdin_texts;
    reader_from_stdin(&reader, false);
    while (code == PROGRAM_DONE && (state = reader_next(&reader, true, &record)) == READER_RECORD) {
        code = add_line(options, &record, most);
        record_free(&record);
    }
    if (code == PROGRAM_DONE && state == READER_FAILED)
        code = program_fail("%s", reader.message);
    else if (code == PROGRAM_DONE && options->request.n_texts == 0)
        code = program_misuse("one text is needed: the command line has none, and stdin is empty");
    reader_free(&reader);
    return code;
}

void plot_texts_free(struct plot_options *options)
{
    for (size_t i = 0; i < STDIN_TEXTS_MOST; i++)
        free(options->stdin_texts[i]);
}
