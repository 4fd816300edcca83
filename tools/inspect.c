/* inspect.c - encode-inspect: what a weight file holds, and what can be measured of positions. */
#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/inspect/inspect_options.h"

int main(int argc, char *argv[])
{
    struct inspect_options options;
    program_begin("encode-inspect", argv);
    inspect_options_read(&options, argc, argv);
    if (options.path != NULL)
        input_remember(options.path);
    if (options.has_positions)
        positions_inspect(&options.positions);
    else
        inspect_file(options.path, options.format == POSITIONS_JSON, options.verify);
    return program_end(PROGRAM_DONE);
}
