/* checkpoint.c - reads the files of a directory in the order in which they explain each other; see
 * checkpoint.h.
 */
#include "tools/import/checkpoint/checkpoint.h"

#include <stdio.h>
#include <string.h>

static bool read_config(struct checkpoint *checkpoint, struct problem *problem)
{
    char name[PLACE_BYTES + 16];
    snprintf(name, sizeof name, "%sconfig.json", checkpoint->st.transformer);
    return json_file_read(&checkpoint->config_file, &checkpoint->folder, name, true, false,
                          problem) &&
           checkpoint_config_read(&checkpoint->config_file, &checkpoint->config, problem);
}

/* ---- The tokenizer ---- */

bool checkpoint_has_tokenizer(const struct folder *folder, const char *place)
{
    static const char *const names[] = {
        "tokenizer.json",  "vocab.txt",
        "vocab.json",      "merges.txt",
        "spiece.model",    "sentencepiece.bpe.model",
        "tokenizer.model", "tokenizer_config.json",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[PLACE_BYTES + 32];
        snprintf(name, sizeof name, "%s%s", place, names[i]);
        if (folder_has(folder, name))
            return true;
    }
    return false;
}

/* What was read below `place` is remembered in the whole folder under its name from there. */
static bool note_all(struct folder *folder, const char *place, const struct folder *inner,
                     struct problem *problem)
{
    for (size_t i = 0; i < inner->n; i++) {
        char name[FOLDER_PATH];
        if (snprintf(name, sizeof name, "%s%s", place, inner->names[i]) >= FOLDER_PATH)
            return problem_say(problem, "%s: the path is too long", inner->names[i]);
        if (!folder_note(folder, name, problem))
            return false;
    }
    return true;
}

bool checkpoint_read_tokenizer(struct folder *folder, const char *place,
                               struct import_tokenizer *tokenizer, struct problem *problem)
{
    struct folder inner = {.path = folder->path};
    char path[FOLDER_PATH];
    if (place[0] == '\0')
        return import_tokenizer_read(tokenizer, folder, problem);
    if (!folder_join(folder, place, path, problem) || !folder_open(&inner, path, problem))
        return false;
    bool ok = import_tokenizer_read(tokenizer, &inner, problem);
    if (ok && !note_all(folder, place, &inner, problem)) {
        import_tokenizer_free(tokenizer);
        ok = false;
    }
    folder_close(&inner);
    return ok;
}

/* The lower case that sentence-transformers applies first is that of a tokenizer that has it
 * anyway. */
static bool check_lower(const struct checkpoint *checkpoint, struct problem *problem)
{
    if (checkpoint->st.lower && !checkpoint->tokenizer.lowercases)
        return problem_say(problem, "sentence_bert_config.json: 'do_lower_case' is true, but the "
                                    "tokenizer keeps capitals; expected both alike");
    return true;
}

static bool read_tokenizer(struct checkpoint *checkpoint, struct problem *problem)
{
    const char *place = checkpoint->st.transformer;
    if (!checkpoint_has_tokenizer(&checkpoint->folder, place))
        return true;
    checkpoint->has_tokenizer =
        checkpoint_read_tokenizer(&checkpoint->folder, place, &checkpoint->tokenizer, problem);
    if (!checkpoint->has_tokenizer || !check_lower(checkpoint, problem))
        return false;
    if ((uint64_t)checkpoint->config.model.vocabulary < checkpoint->tokenizer.n)
        return problem_say(problem,
                           "the tokenizer has ids up to %zu; expected fewer than the %lld rows of "
                           "'vocab_size' in %s",
                           checkpoint->tokenizer.n - 1,
                           (long long)checkpoint->config.model.vocabulary,
                           checkpoint->config_file.name);
    return true;
}

/* sentence-transformers' own limit first, then the tokenizer's (1e30 there means none), then the
 * table of positions, which none can exceed. */
static void settle_length(struct checkpoint *checkpoint)
{
    int64_t positions = checkpoint->config.model.max_tokens;
    int64_t most = checkpoint->st.max_seq_length;
    if (most == 0 && checkpoint->has_tokenizer)
        most = checkpoint->tokenizer.max_length;
    checkpoint->config.model.max_text_tokens = most > 0 && most < positions ? most : positions;
    checkpoint->truncate = checkpoint->st.is_present || checkpoint->st.max_seq_length > 0 ||
                           checkpoint->config.is_cross_encoder;
}

/* ---- What stands behind the encoder ---- */

static bool settle_modules(struct checkpoint *checkpoint, struct problem *problem)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct model_config *model = &checkpoint->config.model;
    if (st->has_pooling)
        model->pooling = st->pooling;
    model->normalize = st->normalize;
    model->projections = (int64_t)st->n_dense;
    if (st->n_dense > 0) {
        model->projection_activation = st->activation;
        model->projection_bias = st->has_bias;
    }
    if (st->width > 0 && st->width != model->width)
        return problem_say(
            problem,
            "%sconfig.json: 'word_embedding_dimension' is %lld; expected %lld, the model's width",
            st->pooling_place, (long long)st->width, (long long)model->width);
    if (st->n_dense > 0 && st->dense[0].in != model->width)
        return problem_say(problem,
                           "%sconfig.json: 'in_features' is %lld; expected %lld, the model's width",
                           st->dense[0].place, (long long)st->dense[0].in, (long long)model->width);
    return true;
}

static bool plan_tensors(struct checkpoint *checkpoint, const struct plan_options *options,
                         struct problem *problem)
{
    const struct sentence_transformers *st = &checkpoint->st;
    if (!tensor_set_read(&checkpoint->tensors, &checkpoint->folder, st->transformer, problem) ||
        !plan_make(&checkpoint->plan, options, &checkpoint->tensors, &checkpoint->config, problem))
        return false;
    for (size_t i = 0; i < st->n_dense; i++)
        if (!tensor_set_read(&checkpoint->dense[i], &checkpoint->folder, st->dense[i].place,
                             problem) ||
            !plan_projection(&checkpoint->plan, options, &checkpoint->dense[i], i, &st->dense[i],
                             st->has_bias, problem))
            return false;
    return true;
}

static bool check_model(struct checkpoint *checkpoint, struct problem *problem)
{
    const char *wrong = config_check(&checkpoint->config.model);
    return wrong == NULL || problem_say(problem, "%s: the weight file cannot hold this model: %s",
                                        checkpoint->config_file.name, wrong);
}

bool checkpoint_read(struct checkpoint *checkpoint, const char *path,
                     const struct plan_options *options, struct problem *problem)
{
    *checkpoint = (struct checkpoint){.has_tokenizer = false};
    bool ok = folder_open(&checkpoint->folder, path, problem) &&
              sentence_transformers_read(&checkpoint->st, &checkpoint->folder, problem) &&
              read_config(checkpoint, problem) && settle_modules(checkpoint, problem) &&
              read_tokenizer(checkpoint, problem) && plan_tensors(checkpoint, options, problem) &&
              check_model(checkpoint, problem);
    if (ok)
        settle_length(checkpoint);
    else
        checkpoint_free(checkpoint);
    return ok;
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    plan_free(&checkpoint->plan);
    for (size_t i = 0; i < MAX_PROJECTIONS; i++)
        tensor_set_free(&checkpoint->dense[i]);
    tensor_set_free(&checkpoint->tensors);
    if (checkpoint->has_tokenizer)
        import_tokenizer_free(&checkpoint->tokenizer);
    checkpoint->has_tokenizer = false;
    sentence_transformers_free(&checkpoint->st);
    json_file_free(&checkpoint->config_file);
    folder_close(&checkpoint->folder);
}
