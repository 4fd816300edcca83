/* Any bytes as a command line of one of the programs, which the first byte chooses: its table of
 * options and its rules. encode-inspect then runs, too: it prints a tiny model. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/made_model.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/program_ends.h"
#include "tools/common/options.h"
#include "tools/encode/encode_options.h"
#include "tools/import/import_options.h"
#include "tools/inspect/inspect_options.h"
#include "tools/search/search_options.h"
#include "tools/study/bench/bench_options.h"
#include "tools/study/new/new_options.h"
#include "tools/study/plot/plot_options.h"

enum { INSPECT, ENCODE, NEW, IMPORT, BENCH, SEARCH, PLOT, N_KINDS = PLOT + N_PLOT_COMMANDS };

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

static void read_options(int kind, struct command_line *line, const char *path)
{
    static struct plot_options plot;
    static struct bench_options bench;
    static struct search_options search;
    static struct encode_options encode;
    static struct new_options new_model;
    static struct import_options import;
    static struct inspect_options options;
    switch (kind) {
    case INSPECT:
        inspect_options_read(&options, line->argc, line->argv);
        inspect_file(path, options.is_json, options.verify);
        break;
    case ENCODE:
        encode_options_read(&encode, line->argc, line->argv);
        json_decref(encode.settings);
        break;
    case NEW: new_options_read(&new_model, line->argc, line->argv); break;
    case IMPORT: import_options_read(&import, line->argc, line->argv); break;
    case BENCH: bench_options_read(&bench, line->argc, line->argv); break;
    case SEARCH: search_options_read(&search, line->argc, line->argv); break;
    default: plot_options_read(&plot, (enum plot_command)(kind - PLOT), line->argc, line->argv);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct command_line line;
    if (size == 0)
        return 0;
    const int kind = data[0] % N_KINDS;
    const char *path = kind == INSPECT ? model_path() : NULL;
    command_line_begin(&line, "encode", data + 1, size - 1);
    PROGRAM_RUN(read_options(kind, &line, path));
    must(program_code <= PROGRAM_MISUSED); /* or -1 */
    command_line_end(&line);
    return 0;
}
