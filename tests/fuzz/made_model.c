/* made_model.c - see made_model.h. */
#include "tests/fuzz/made_model.h"

#define main new_main
#include "tools/new.c"
#undef main

#include <fcntl.h>
#include <unistd.h>

static const double MOST_MADE = 1 << 14;
enum { MOST_LAYERS = 16 };

/* As main of encode-new, but for where the model goes to and how large it may be. */
static bool make(struct new_options *options, const char *path)
{
    struct tokenizer_draft draft = DRAFT_EMPTY;
    options->output = path;
    options->tokenizer = options->fit = NULL;
    int code = make_tokenizer(options, &draft);
    if (code == PROGRAM_DONE)
        code = settle_config(&options->shape.config, draft.words.n);
    if (code == PROGRAM_DONE)
        code = set_templates(&draft, options);
    const struct model_config *config = &options->shape.config;
    bool is_made = code == PROGRAM_DONE && random_model_size(config) <= MOST_MADE &&
                   config->layers <= MOST_LAYERS && write_model(options, &draft) == PROGRAM_DONE;
    draft_free(&draft);
    return is_made;
}

int made_model(int argc, char **argv)
{
    static const char *const folders[] = {"/dev/shm", "/tmp"};
    char folder[64], path[96];
    struct new_options options;
    int code, fd = -1;
    if (!new_options_read(&options, argc, argv, &code))
        return -1;
    snprintf(folder, sizeof folder, "%s/encode-fuzz-XXXXXX",
             folders[access(folders[0], W_OK) != 0]);
    if (mkdtemp(folder) != NULL) {
        snprintf(path, sizeof path, "%s/made.weights", folder);
        if (make(&options, path))
            fd = open(path, O_RDONLY | O_CLOEXEC);
        unlink(path);
        rmdir(folder);
    }
    new_options_free(&options);
    return fd;
}
