/* inspect.c - encode-inspect: prints the contents of a weight file. */
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/inspect/inspect_options.h"

int main(int argc, char *argv[])
{
    struct inspect_options options;
    program_begin("encode-inspect", argv);
    inspect_options_read(&options, argc, argv);
    input_remember(options.path);
    inspect_file(options.path, options.is_json, options.verify);
    return program_end(PROGRAM_DONE);
}
