/* router.c - see router.h. */
#include "tools/import/checkpoint/router.h"

#include <stdio.h>
#include <string.h>

static const char QUERY[] = "query", DOCUMENT[] = "document";
#define ADVICE                                                                                     \
    "save each route as a model of its own (SentenceTransformer(modules=router.sub_modules[ROUTE]" \
    ").save_pretrained), and import both"

/* Texts without a role take the default route, which must be that of documents. */
static void check_parameters(const struct json_file *file, const json_t *routes)
{
    json_t *parameters = json_typed(file, "parameters", JSON_OBJECT, "an object");
    const char *first = json_object_iter_key(json_object_iter((json_t *)routes));
    const bool takes_first = json_flag(file, parameters, "allow_empty_key", true);
    const char *usual =
        json_text(file, parameters, "default_route", takes_first ? first : DOCUMENT);
    const json_t *mappings = json_member(file, parameters, "route_mappings");
    if (strcmp(usual, DOCUMENT) != 0)
        file_die(file->name, "'default_route' is '%.60s'; expected document", usual);
    if (json_object_size(mappings) > 0)
        file_die(file->name,
                 "'route_mappings' is not empty; expected {}, with the routes query and "
                 "document");
}

/* Adds a module of a route to a list as modules.json has it. */
static void add_route_module(const struct json_file *file, const char *place, const json_t *id,
                             json_t *modules)
{
    const char *name = json_is_string(id) ? json_string_value(id) : json_kind(id);
    const json_t *types = json_member(file, NULL, "types");
    const char *type = json_text(file, types, name, "");
    char path[PLACE_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s%s", place, name) >= sizeof path)
        file_die(file->name, "a module's name is longer than %d bytes", PLACE_BYTES);
    json_array_append_new(modules, json_pack("{s:s, s:s}", "path", path, "type", type));
}

void router_read(struct folder *folder, const char *place, char query_place[PLACE_BYTES],
                 struct json_file *modules)
{
    static const char name[] = "router_config.json";
    struct json_file file;
    json_file_read(&file, folder, place, name, true, false);
    const json_t *routes = json_typed(&file, "structure", JSON_OBJECT, "an object");
    const json_t *documents = json_object_get(routes, DOCUMENT),
                 *queries = json_object_get(routes, QUERY);
    if (json_object_size(routes) != 2 || !json_is_array(documents) || !json_is_array(queries))
        file_die(file.name, "'structure' has not the two routes query and document; " ADVICE);
    check_parameters(&file, routes);
    *modules = file;
    modules->root = json_array();
    modules->seen = json_object();
    for (size_t i = 0; i < json_array_size(queries); i++)
        add_route_module(&file, place, json_array_get(queries, i), modules->root);
    const json_t *first = json_array_get(modules->root, 0);
    const char *type = json_text(&file, first, "type", "no module");
    if (json_array_size(queries) != 1 ||
        strcmp(json_last_name(type), "SparseStaticEmbedding") != 0 ||
        strncmp(type, "sentence_transformers.", 22) != 0)
        file_die(file.name,
                 "the route query has '%.100s'%s; expected one SparseStaticEmbedding: " ADVICE,
                 type, json_array_size(queries) > 1 ? " and more" : "");
    snprintf(query_place, PLACE_BYTES, "%s/", json_text(&file, first, "path", ""));
    json_array_clear(modules->root);
    for (size_t i = 0; i < json_array_size(documents); i++)
        add_route_module(&file, place, json_array_get(documents, i), modules->root);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
}

/* ---- Weights of queries ---- */

/* Refuses two files of JSON that differ in more than keys that change no token. */
static void check_alike(struct folder *folder, const char *of_queries, const char *of_documents,
                        const char *name, enum known_keys kind)
{
    struct json_file queries, documents;
    const char *key;
    json_t *value;
    json_file_read(&queries, folder, of_queries, name, true, false);
    json_file_read(&documents, folder, of_documents, name, true, false);
    for (int i = 0; i < 2; i++) {
        const json_t *one = i == 0 ? queries.root : documents.root;
        const json_t *other = i == 0 ? documents.root : queries.root;
        json_object_foreach((json_t *)one, key, value)
        {
            const bool is_step = strcmp(key, "model") == 0 || strcmp(key, "tokenizer_class") == 0;
            if ((is_step || !known_keys_are_harmless(kind, key)) &&
                !json_equal(value, json_object_get(other, key)))
                file_die(queries.name,
                         "'%.60s' differs from that of %s; expected the tokenizer of "
                         "documents",
                         key, documents.name);
        }
    }
}

static void check_query_tokenizer(struct folder *folder, const char *query_place, const char *place,
                                  size_t max_text_tokens)
{
    static const char name[] = "tokenizer_config.json";
    struct json_file file;
    check_alike(folder, query_place, place, "tokenizer.json", KEYS_TOKENIZER_JSON);
    check_alike(folder, query_place, place, name, KEYS_TOKENIZER);
    json_file_read(&file, folder, query_place, name, true, false);
    const double limit = json_number(&file, "model_max_length", 1e30);
    if (limit != (double)max_text_tokens)
        file_die(file.name,
                 "'model_max_length' is %g, and texts of documents are cut to %zu tokens; expected "
                 "the same",
                 limit, max_text_tokens);
}

void query_weights_plan(struct plan *plan, struct stored_types types, struct tensor_set *set,
                        struct folder *folder, const char *query_place, const char *place,
                        struct model_config *model)
{
    static const struct json_only weights[] = {
        {"path", "null", false, "put the weights into model.safetensors, as 6.2 saves them"},
        {.name = NULL}};
    struct json_file file;
    struct tensor_rows rows;
    char shape[SHAPE_TEXT];
    if (query_place[0] == '\0')
        return;
    if (model->sparse == SPARSE_NONE)
        program_die("router_config.json: queries have weights of token ids, but documents have no "
                    "SpladePooling; expected one");
    json_file_read(&file, folder, query_place, "config.json", true, false);
    json_flag(&file, NULL, "frozen", false);
    json_only_check(&file, weights);
    known_keys_check(&file, KEYS_MODULE, NULL, folder);
    check_query_tokenizer(folder, query_place, place, model->max_text_tokens);
    tensor_set_read(set, folder, query_place);
    struct stored_tensor *tensor = tensor_set_find(set, "weight");
    if (tensor == NULL || tensor->n_dims != 1 || tensor->shape[0] != model->vocabulary ||
        tensor->type == 0)
        program_die("%s has the 'weight' %s; expected floats [%zu], one for each token id",
                    set->files[0].header.name,
                    tensor != NULL ? tensor_shape_text(tensor, shape) : "nowhere",
                    model->vocabulary);
    tensor->used = true;
    tensor_set_check_used(set, "the weights of queries");
    tensor_rows_open(&rows, model->vocabulary, 1, true);
    tensor_rows_read(&rows, set, tensor, 0, model->vocabulary);
    plan_values(plan, types, "query.weight", rows.values, model->vocabulary, 0);
    model->query_weights = true;
}
