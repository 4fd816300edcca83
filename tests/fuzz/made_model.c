/* made_model.c - see made_model.h. */
#include "tests/fuzz/made_model.h"

#include "tests/tools/import/refusals.h"

#define main new_main
#include "tools/study/new.c"
#undef main

#include <fcntl.h>
#include <unistd.h>

static const double MOST_MADE = 1 << 14;
enum { MOST_LAYERS = 16 };

/* Does what main of encode-new does, with another path and a limit of the model's size. */
static bool make(struct new_options *options, const char *path)
{
    struct tokenizer_draft draft = DRAFT_EMPTY;
    options->output = path;
    options->tokenizer = options->fit = NULL;
    make_tokenizer(options, &draft);
    complete_config(&options->shape.config, draft.words.n);
    set_template(&draft, options, options->template_single, false);
    set_template(&draft, options, options->template_pair, true);
    const struct model_config *config = &options->shape.config;
    if (random_model_size(config) > MOST_MADE || config->layers > MOST_LAYERS)
        return false;
    write_model(options, &draft);
    return true;
}

int made_model(int argc, char **argv)
{
    static const char *const folders[] = {"/dev/shm", "/tmp"};
    static struct new_options options;
    static bool is_made;
    char folder[64], path[96];
    int fd = -1;
    PROGRAM_RUN(new_options_read(&options, argc, argv));
    snprintf(folder, sizeof folder, "%s/encode-fuzz-XXXXXX",
             folders[access(folders[0], W_OK) != 0]);
    if (program_code < 0 && mkdtemp(folder) != NULL) {
        snprintf(path, sizeof path, "%s/made.weights", folder);
        is_made = false;
        import_begin();
        PROGRAM_RUN(is_made = make(&options, path));
        import_pause();
        import_free();
        if (is_made)
            fd = open(path, O_RDONLY | O_CLOEXEC);
        unlink(path);
        rmdir(folder);
    }
    return fd;
}
