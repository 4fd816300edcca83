/* plot.c - the program encode-plot: positions, attention and words in pictures and numbers. See
 * encode-plot(1).
 *
 *     plot_options      the command line
 *     picture_NAME      a model or a scheme  →  a figure: tables with names
 *     render, gnuplot   figure  →  characters, a table of numbers, or a picture
 */
#include "tools/common/options.h"
#include "tools/study/plot/pictures/pictures.h"
#include "tools/study/plot/plot_options.h"

#include <string.h>

static void (*const PICTURES[])(struct plot_source *, struct figure *) = {
    [PLOT_POSITION] = picture_position, [PLOT_ATTENTION] = picture_attention,
    [PLOT_WORDS] = picture_words,       [PLOT_LAYERS] = picture_layers,
    [PLOT_ORDER] = picture_order,       [PLOT_SIMILARITY] = picture_similarity,
    [PLOT_STEPS] = picture_steps,
};
_Static_assert(sizeof PICTURES / sizeof *PICTURES == N_PLOT_COMMANDS,
               "a picture has no function in this table");

static int run_picture(enum plot_command command, int argc, char **argv)
{
    struct plot_options options;
    struct plot_source source;
    struct figure figure = {.command = PLOT_COMMANDS[command].name};
    plot_options_read(&options, command, argc, argv);
    source_open(&source, &options);
    PICTURES[command](&source, &figure);
    int code = render(&figure, &options);
    source_close(&source);
    return code;
}

int main(int argc, char **argv)
{
    program_begin("encode-plot", argv);
#ifdef FOR_LEAK_CHECKER
    alloc_in_arena(true);
#endif
    const char *first = argc > 1 ? argv[1] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return plot_print_help();
    if (strcmp(first, "--version") == 0)
        return program_version();
    for (size_t i = 0; i < N_PLOT_COMMANDS; i++)
        if (strcmp(first, PLOT_COMMANDS[i].name) == 0) {
            set_passive_waiting(argv, 0);
            return run_picture((enum plot_command)i, argc - 1, argv + 1);
        }
    if (strcmp(first, "--help-table") == 0) /* which options_read prints */
        return run_picture(PLOT_POSITION, argc, argv);
    return options_refuse_command(PLOT_COMMANDS, N_PLOT_COMMANDS, "picture", first);
}
