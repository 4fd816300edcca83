/* Any bytes as a command line of encode and its stdin: the first chooses the model. All of the
 * program runs, but for what would be written to files and for work without end: -o, --report, -m
 * and --threads are read, then passed over, and rows of padding and of best words stay few. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/made_model.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/program_ends.h"

#define main encode_main
#include "tools/encode.c"
#undef main

#include <string.h>

enum { MOST_PADDING = 64, N_MODELS = 6, ROOM = 10 };

#define SHAPE                                                                                      \
    "--layers\n1\n--width\n8\n--feed-forward\n12\n--max-tokens\n16\n--token-types\n2\n"            \
    "--words\n[UNK] [CLS] [SEP] [PAD] I ride a bike the dog bites man [MASK]\n"

static const char *const MODELS[N_MODELS] = {
    SHAPE,
    SHAPE "--template-single\n[CLS]:0 A:0 [SEP]:0\n--template-pair\n[CLS]:0 A:0 [SEP]:0 B:1 "
          "[SEP]:1\n--position\nlearned\n--pooling\npooler\n--head\npooler\n--head-dense\ntanh\n",
    SHAPE "--labels\nneg,pos\n--type\nint8\n--keras\n",
    SHAPE "--head\nsequence\n--labels\n1\n--scores\nsigmoid\n--pooling\nnone\n",
    SHAPE "--head\ntoken\n--labels\n3\n--scores\nsoftmax\n--truncate\nyes\n--lower\nyes\n",
    SHAPE "--head\nmask\n--head-tied\nyes\n--add-token\n[MASK]\n--position\nfourier\n",
};

/* The path of the model, which is made when it is first asked for. */
static const char *model_path(size_t index)
{
    static char paths[N_MODELS][DESCRIPTOR_PATH];
    struct command_line line;
    if (paths[index][0] != '\0')
        return paths[index];
    char text[1024] = "-o\nnone\n";
    strncat(text, MODELS[index], sizeof text - ROOM);
    command_line_begin(&line, "encode-new", (const uint8_t *)text, strlen(text));
    int fd = made_model(line.argc, line.argv);
    command_line_end(&line);
    must(fd >= 0);
    descriptor_path(fd, paths[index]);
    return paths[index];
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

static struct encode_options options;
static struct text_encoder encoder;

static void run(struct command_line *line, const char *path)
{
    struct request_options *request = &options.request;
    encode_options_read(&options, line->argc, line->argv);
    options.output_path = options.report_path = NULL;
    request->model_path = path;
    request->session.n_threads = 1;
    request->padding.n = at_most(request->padding.n, MOST_PADDING);
    request->top = at_most(request->top, MOST_PADDING);
    encoder_open(&encoder, request);
    int code = run_job(&options, &encoder);
    must(code == PROGRAM_DONE || code == PROGRAM_FAILED || code == PROGRAM_MISUSED);
}

/* Makes stdin a file of these bytes, which the next call replaces. */
static void set_input(const struct command_line *line)
{
    int fd = unnamed_file(line->input, line->input_len);
    must(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct command_line line;
    if (size == 0)
        return 0;
    const char *path = model_path(data[0] % N_MODELS);
    command_line_begin(&line, "encode", data + 1, size - 1);
    set_input(&line);
    PROGRAM_RUN(run(&line, path));
    encoder_close(&encoder);
    json_decref(options.settings);
    options.settings = NULL;
    command_line_end(&line);
    return 0;
}
