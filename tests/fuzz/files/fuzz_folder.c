/* Any bytes as a command line of encode-import and the directory that it reads: after an empty
 * line, each file begins with a line "=A", whose letter says which it is. All of the program runs.
 * What it makes must be a weight file that opens and verifies. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/import/refusals.h"

#define main import_main
#include "tools/import.c"
#undef main

#include <fcntl.h>
#include <unistd.h>

static const char *const NAMES[] = {
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "added_tokens.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
    "2_Dense/config.json",
    "2_Dense/model.safetensors",
    "model.safetensors",
    "model.safetensors.index.json",
    "model-1.safetensors",
    "pytorch_model.bin",
    "sparse_linear.pt",
    "colbert_linear.pt",
    "artifact.metadata",
    "1_Dense/config.json",
    "1_Dense/model.safetensors",
};
enum { N_NAMES = sizeof NAMES / sizeof *NAMES, PATH_BYTES = 96 };

static char folder[64];

/* Files that are not read now are kept outside the directory: a link brings one back, the same file
 * as before, so that what the program remembers of its inputs does not grow. */
static void make_folder(void)
{
    static const char *const below[] = {"d", "d/1_Pooling", "d/1_Dense", "d/2_Dense"};
    char path[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s/encode-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    must(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, below[i]);
        must(mkdir(path, 0700) == 0);
    }
}

static void remove_folder(void)
{
    char command[PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    must(system(command) == 0);
}

static bool is_there[N_NAMES];

static void put_file(size_t which, const char *bytes, size_t n)
{
    char kept[PATH_BYTES], path[PATH_BYTES];
    snprintf(kept, sizeof kept, "%s/%zu", folder, which);
    snprintf(path, sizeof path, "%s/d/%s", folder, NAMES[which]);
    int fd = open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
    must(is_there[which] || link(kept, path) == 0);
    is_there[which] = true;
}

/* The files of an input: "=A\nBYTES\n=B\nBYTES". */
static void put_files(const char *input, size_t len)
{
    const char *at = input, *end = input + len;
    while (end - at >= 3 && at[0] == '=' && at[2] == '\n') {
        const size_t which = (size_t)(unsigned char)(at[1] - 'A') % N_NAMES;
        const char *begin = at + 3;
        const char *next = memmem(begin, (size_t)(end - begin), "\n=", 2);
        while (next != NULL && (end - next < 4 || next[3] != '\n'))
            next = memmem(next + 1, (size_t)(end - next - 1), "\n=", 2);
        put_file(which, begin, (size_t)((next != NULL ? next : end) - begin));
        at = next != NULL ? next + 1 : end;
    }
}

static void take_files_away(void)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < N_NAMES; i++) {
        snprintf(path, sizeof path, "%s/d/%s", folder, NAMES[i]);
        must(!is_there[i] || unlink(path) == 0);
        is_there[i] = false;
    }
}

static struct import_options options;
static size_t n_made; /* weight files */

static void run(const char *output)
{
    char directory[PATH_BYTES];
    snprintf(directory, sizeof directory, "%s/d", folder);
    options.directory = directory;
    options.output = output;
    options.vectors.path = options.vectors.only_words_of = options.tokenizer = NULL;
    import_source(&options);
    engine_model *model;
    engine_error error;
    if (options.is_dry_run)
        return;
    must(engine_model_open(output, NULL, &model, &error) == ENGINE_OK);
    must(engine_model_verify(model, &error) == ENGINE_OK);
    engine_model_close(model);
    n_made++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_right;
    struct command_line line;
    char output[PATH_BYTES];
    if (folder[0] == '\0') {
        make_folder();
        atexit(remove_folder);
    }
    snprintf(output, sizeof output, "%s/out", folder);
    command_line_begin(&line, "encode-import", data, size);
    put_files(line.input, line.input_len);
    char *argv[ARGUMENTS_MOST + 5] = {line.argv[0], (char[]){"dir"}, (char[]){"-o"},
                                      (char[]){"none"}};
    memcpy(argv + 4, line.argv + 1, (size_t)line.argc * sizeof *argv);
    PROGRAM_RUN(import_options_read(&options, line.argc + 3, argv));
    if (program_code < 0)
        READ_OR_REFUSE(&is_right, run(output));
    import_pause();
    weight_output_drop();
    import_free();
    take_files_away();
    unlink(output);
    command_line_end(&line);
    return 0;
}
