/* plot.c - the program encode-plot: positions, attention and words in pictures and numbers. See
 * encode-plot(1).
 *
 *     plot_options      the command line
 *     pictures          a model or a scheme  →  a figure: tables with names
 *     render            figure  →  characters, a table of numbers, or a picture
 */
#include "tools/common/options.h"
#include "tools/study/plot/pictures/pictures.h"
#include "tools/study/plot/render.h"

static void (*const PICTURES[])(struct plot_source *, struct figure *) = {
    [PLOT_POSITION] = picture_position, [PLOT_ATTENTION] = picture_attention,
    [PLOT_WORDS] = picture_words,       [PLOT_LAYERS] = picture_layers,
    [PLOT_ORDER] = picture_order,       [PLOT_SIMILARITY] = picture_similarity,
    [PLOT_STEPS] = picture_steps,
};
_Static_assert(sizeof PICTURES / sizeof *PICTURES == N_PLOT_COMMANDS,
               "a picture has no function in this table");

int main(int argc, char **argv)
{
    struct plot_options options;
    struct plot_source source;
    program_begin("encode-plot", argv);
#ifdef FOR_LEAK_CHECKER
    alloc_in_arena(true);
#endif
    const size_t command = options_command(&PLOT_TABLE, argc, argv);
    struct figure figure = {.command = PLOT_TABLE.commands[command].name};
    set_passive_waiting(argv, 0); /* which may run the program again */
    plot_options_read(&options, (enum plot_command)command, argc - 1, argv + 1);
    source_open(&source, &options);
    PICTURES[command](&source, &figure);
    int code = render(&figure, &options);
    source_close(&source);
    return code;
}
