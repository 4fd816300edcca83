/* Any bytes as a command line of one of the programs, which the first byte chooses: its table of
 * options and its rules. encode-inspect then runs, too: what it prints of a tiny model, or of the
 * positions of a scheme, as far as these are few. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/made_model.h"
#include "tests/fuzz/model_use.h"
#include "tools/bench/bench_options.h"
#include "tools/common/options.h"
#include "tools/encode/encode_options.h"
#include "tools/import/import_options.h"
#include "tools/inspect/inspect_file.h"
#include "tools/inspect/inspect_options.h"
#include "tools/new/new_options.h"
#include "tools/plot/plot_table.h"
#include "tools/search/search_options.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INSPECT, ENCODE, NEW, IMPORT, BENCH, SEARCH, PLOT, N_KINDS = PLOT + N_PLOT_COMMANDS };
enum { MOST_NUMBERS = 1 << 12 };

static const char *model_path(void)
{
    static char path[DESCRIPTOR_PATH];
    static const char text[] = "-o\nnone\n--layers\n1\n--width\n8\n--max-tokens\n16\n--words\na b\n"
                               "--position\nlearned\n--labels\nneg,pos\n";
    struct command_line line;
    if (path[0] != '\0')
        return path;
    command_line_begin(&line, "encode-new", (const uint8_t *)text, sizeof text - 1);
    int fd = made_model(line.argc, line.argv);
    command_line_end(&line);
    must(fd >= 0);
    descriptor_path(fd, path);
    return path;
}

static void inspect(struct inspect_options *options, const char *path)
{
    struct positions_request *positions = &options->positions;
    if (!options->has_positions)
        inspect_file(path, options->format == POSITIONS_JSON, options->verify);
    positions->path = positions->path != NULL ? path : NULL;
    if (options->has_positions && positions->width <= MOST_NUMBERS &&
        positions->n <= MOST_NUMBERS && positions->width * positions->n <= MOST_NUMBERS)
        positions_inspect(positions);
}

/* Whether the program would go on. */
static bool read_options(int kind, struct command_line *line, int *code)
{
    static struct plot_options plot;
    static struct bench_options bench;
    struct search_options search;
    struct encode_options encode;
    struct new_options new_model;
    struct import_options import;
    bool goes_on;
    switch (kind) {
    case ENCODE:
        goes_on = encode_options_read(&encode, line->argc, line->argv, code);
        if (goes_on)
            encode_options_free(&encode);
        return goes_on;
    case NEW:
        goes_on = new_options_read(&new_model, line->argc, line->argv, code);
        if (goes_on)
            new_options_free(&new_model);
        return goes_on;
    case IMPORT:
        goes_on = import_options_read(&import, line->argc, line->argv, code);
        import_options_free(&import);
        return goes_on;
    case BENCH: return bench_options_read(&bench, line->argc, line->argv, code);
    case SEARCH: return search_options_read(&search, line->argc, line->argv, code);
    default:
        goes_on = plot_options_read(&plot, (enum plot_command)(kind - PLOT), line->argc, line->argv,
                                    code);
        if (goes_on)
            position_options_free(&plot.request.positions);
        return goes_on;
    }
}

static bool read_inspect(struct command_line *line, const char *path, int *code)
{
    struct inspect_options options;
    bool goes_on = inspect_options_read(&options, line->argc, line->argv, code);
    if (goes_on)
        inspect(&options, path);
    inspect_options_free(&options);
    return goes_on;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct command_line line;
    int code = PROGRAM_DONE;
    if (size == 0)
        return 0;
    const int kind = data[0] % N_KINDS;
    const char *path = kind == INSPECT ? model_path() : NULL;
    command_line_begin(&line, "encode", data + 1, size - 1);
    bool goes_on =
        kind == INSPECT ? read_inspect(&line, path, &code) : read_options(kind, &line, &code);
    must(goes_on || code == PROGRAM_DONE || code == PROGRAM_FAILED || code == PROGRAM_MISUSED);
    command_line_end(&line);
    return 0;
}
