/* Any bytes as a command line of encode-new and, after an empty line, a text. The model that it
 * makes must open and verify; then it is asked for everything. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/made_model.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In memory of exactly the file's length, so that a sanitizer sees a read past its end. */
static void *read_whole_file(int fd, size_t *len)
{
    struct stat status;
    void *bytes = NULL;
    must(fstat(fd, &status) == 0);
    *len = (size_t)status.st_size;
    must(posix_memalign(&bytes, 64, *len) == 0 && pread(fd, bytes, *len, 0) == (ssize_t)*len);
    return bytes;
}

static void use_file(int fd, const char *text, size_t text_len, unsigned choice)
{
    engine_model *model;
    size_t len;
    void *bytes = read_whole_file(fd, &len);
    must(engine_model_open_memory(bytes, len, NULL, &model, NULL) == ENGINE_OK);
    must(engine_model_verify(model, NULL) == ENGINE_OK);
    model_use(model, text, text_len, choice);
    engine_model_close(model);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct command_line line;
    if (size < 2)
        return 0;
    command_line_begin(&line, "encode-new", data + 2, size - 2);
    char *argv[ARGUMENTS_MOST + 4] = {line.argv[0], (char[]){"-o"}, (char[]){"none"}};
    memcpy(argv + 3, line.argv + 1, (size_t)line.argc * sizeof *argv);
    int fd = made_model(line.argc + 2, argv);
    if (fd >= 0) {
        use_file(fd, line.input, line.input_len, data[0] | (unsigned)data[1] << 8);
        close(fd);
    }
    command_line_end(&line);
    return 0;
}
