/* models.c - see serve.h. */
#include "tools/common/alloc.h"
#include "tools/hosts/serve/serve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct models *served;

/* Makes the name, before '=' or the file's without ".weights", and the sessions; those for tokens
 * need no memory for rows. */
static engine_status open_model(struct model *model, const char *asked, size_t n_threads,
                                engine_error *error)
{
    const char *equals = asked ? strchr(asked, '=') : NULL;
    const engine_session_options computing = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
    const engine_session_options reading =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .max_tokens = 1, .position = ENGINE_POSITION_NONE,
                               .progress = request_is_over);
    engine_status status =
        engine_model_open(equals ? equals + 1 : asked, NULL, &model->model, error);
    if (status != ENGINE_OK)
        return status;
    model->info = ENGINE_INFO();
    engine_model_info(model->model, &model->info, NULL);
    const char *name = equals ? asked : path_name(model->info.path);
    const size_t ending = path_ends_in(name, ".weights") ? strlen(".weights") : 0;
    model->name =
        alloc_text("%.*s", (int)(equals ? (size_t)(equals - asked) : strlen(name) - ending), name);
    model->opened = time(NULL);
    if (model->info.has_model)
        status = engine_session_new(model->model, &computing, &model->session, error);
    for (size_t i = 0; status == ENGINE_OK && i < HTTP_THREADS + READERS; i++)
        status = engine_session_new(model->model, &reading, &model->readers[i], error);
    return status;
}

static bool is_named(const struct model *model, const char *name)
{
    const size_t len = strlen(model->name);
    return strncmp(name, model->name, len) == 0 &&
           (name[len] == '\0' || strcmp(name + len, ":latest") == 0); /* as Ollama completes it */
}

bool models_open(const struct serve_options *options)
{
    struct models *models = alloc_zeros(1, sizeof *models);
    engine_error error = {0};
    bool is_good = true;
    models->n_users = 1;
    models->takes_any_name = options->takes_any_name;
    while (is_good && models->n < (options->n_models ? options->n_models : 1)) {
        struct model *model = &models->models[models->n];
        if (open_model(model, options->models[models->n++], options->n_threads, &error))
            is_good = program_refuse("%s", error.message);
        const bool is_new = is_good && models_find(models, model->name, WORK_OPEN) == model;
        if (is_good && (!is_new || strpbrk(model->name, "\"\\\n\r\t\x1b")))
            is_good = program_refuse("the name '%s' %s: give the model another one by -m NAME=FILE",
                                     model->name,
                                     is_new ? "has a quotation mark, a backslash or a control "
                                              "character"
                                            : "is that of two models");
    }
    pthread_mutex_lock(&lock);
    struct models *old = is_good ? served : models;
    served = is_good ? models : served;
    pthread_mutex_unlock(&lock);
    models_return(old);
    return is_good;
}

struct models *models_borrow(void)
{
    pthread_mutex_lock(&lock);
    struct models *models = served;
    models->n_users++;
    pthread_mutex_unlock(&lock);
    return models;
}

void models_return(struct models *models)
{
    pthread_mutex_lock(&lock);
    const bool is_last = models && --models->n_users == 0;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; is_last && i < models->n; i++) {
        struct model *model = &models->models[i];
        for (size_t j = 0; j < HTTP_THREADS + READERS; j++)
            engine_session_free(model->readers[j]);
        engine_session_free(model->session);
        engine_model_close(model->model);
        free(model->name);
    }
    if (is_last)
        free(models);
}

static bool is_made_for(const struct model *model, enum work work)
{
    const bool has_labels = model->info.head == ENGINE_HEAD_SEQUENCE;
    return work == WORK_SPARSE   ? model->info.has_sparse
           : work == WORK_LABELS ? has_labels
           : work == WORK_RANKS  ? model->info.ranks_pairs
                                 : !has_labels && model->info.has_model;
}

struct model *models_find(struct models *models, const char *name, enum work work)
{
    for (size_t i = 0; i < models->n; i++)
        if (name ? (models->takes_any_name && models->n == 1) || is_named(&models->models[i], name)
                 : is_made_for(&models->models[i], work))
            return &models->models[i];
    return name ? NULL : &models->models[0];
}

engine_session *model_reader(struct model *model)
{
    static atomic_size_t n_threads;
    static _Thread_local size_t thread; /* from 1 */
    if (thread == 0)
        thread = atomic_fetch_add(&n_threads, 1) + 1;
    return model->readers[(thread - 1) % (HTTP_THREADS + READERS)];
}
