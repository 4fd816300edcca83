/* adapter.c - merges changes of low rank (LoRA) into matrices: W + s·B·A, computed while W is read.
 *
 *     peft      adapter_config.json and adapter_model.safetensors, s = lora_alpha / r, or
 *               lora_alpha / √r. Source: peft/tuners/lora in huggingface/peft
 *     Jina v3   one change for each task in the model's own file, beside the matrix
 *               (NAME.parametrizations.weight.original). Source: jinaai/xlm-roberta-flash-
 *               implementation, modeling_lora.py */
#include "tools/import/checkpoint/checkpoint.h"

#include "tools/common/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Makes A and B, [r, cols] and [rows, r], the change of a matrix. Of a table of embeddings Jina's
 * code has them the other way round, and there is one of each for every task. */
static void attach(struct stored_tensor *tensor, const struct tensor_set *set,
                   struct stored_tensor *a, struct stored_tensor *b, size_t task, double alpha,
                   bool by_root)
{
    const size_t first = a->n_dims > 2 ? 1 : 0;
    const uint64_t *of_a = a->shape + first, *of_b = b->shape + first;
    bool is_swapped = of_a[1] == of_b[0] && of_a[0] == tensor->shape[0] && first == 1;
    uint64_t rank = is_swapped ? of_b[0] : of_a[0];
    const uint64_t *up = is_swapped ? of_a : of_b, *down = is_swapped ? of_b : of_a;
    char shape[SHAPE_TEXT];
    if (tensor->n_dims != 2 || a->n_dims != first + 2 || b->n_dims != first + 2 || a->type == 0 ||
        b->type == 0 || rank < 1 || up[0] != tensor->shape[0] || up[1] != rank || down[0] != rank ||
        down[1] != tensor->shape[1] || (first == 1 && (task >= a->shape[0] || task >= b->shape[0])))
        tensor_die(set, a, " and its B are not a change of '%s' %s; expected [r, in] and [out, r]",
                   tensor->name, tensor_shape_text(tensor, shape));
    struct low_rank *change = alloc_zeros(1, sizeof *change);
    a->used = b->used = true;
    *change = (struct low_rank){.set = set,
                                .up = is_swapped ? *a : *b,
                                .down = is_swapped ? *b : *a,
                                .rank = (size_t)rank,
                                .index = task,
                                .scale = alpha / (by_root ? sqrt((double)rank) : (double)rank)};
    tensor->change = change;
}

/* ---- peft ---- */

/* The matrix that a name in an adapter means: peft writes the names of the class that was trained,
 * whose prefix the model's file may have or lack. */
static struct stored_tensor *find_base(const struct tensor_set *set, const char *const *prefixes,
                                       const char *name)
{
    struct stored_tensor *found = tensor_set_find(set, name);
    for (size_t i = 0; found == NULL && prefixes[i] != NULL; i++) {
        char longer[512];
        size_t len = strlen(prefixes[i]);
        snprintf(longer, sizeof longer, "%s%s", prefixes[i], name);
        found = strncmp(name, prefixes[i], len) == 0 ? tensor_set_find(set, name + len) : NULL;
        found = found != NULL ? found : tensor_set_find(set, longer);
    }
    return found;
}

static void read_adapter_config(struct folder *folder, double *alpha, size_t *rank, bool *by_root)
{
    const struct json_only *only = ONLY(
        {"peft_type", "\"LORA\"", true, NULL}, IS("bias", "\"none\""),
        IS("fan_in_fan_out use_dora lora_bias use_qalora", "false"),
        {"modules_to_save", "null", false, "merge it by merge_and_unload() of peft"},
        {"rank_pattern alpha_pattern", "{}", false, "merge it by merge_and_unload() of peft"},
        IS("layer_replication trainable_token_indices target_parameters alora_invocation_tokens "
           "megatron_config arrow_config",
           "null"));
    static const char unread[] =
        "base_model_name_or_path target_modules exclude_modules task_type inference_mode "
        "revision auto_mapping lora_dropout layers_to_transform layers_pattern peft_version "
        "loftq_config eva_config corda_config lora_ga_config megatron_core runtime_config "
        "qalora_group_size ensure_weight_tying";
    struct json_file file;
    json_file_read(&file, folder, "", "adapter_config.json", true, false);
    *alpha = json_number(&file, "lora_alpha", 8);
    *rank = json_count(&file, NULL, "r", 1, 0); /* 0: it does not say */
    *by_root = json_flag(&file, NULL, "use_rslora", false);
    const char *name = json_string_value(json_member(&file, NULL, "init_lora_weights"));
    if (name != NULL && !name_is_listed("gaussian orthogonal", name))
        file_die(file.name,
                 "'init_lora_weights' is '%.60s', by which peft changes the model itself; expected "
                 "true, false, gaussian or orthogonal",
                 name);
    json_only_check(&file, only);
    known_keys_check(&file, KEYS_MODULE, unread, folder);
}

/* Every tensor of the adapter must change one of the model's. */
static void merge_peft(struct checkpoint *checkpoint, const char *path)
{
    static const char start[] = "base_model.model.", end[] = ".lora_A.weight";
    struct tensor_set *set = &checkpoint->adapter_tensors;
    double alpha;
    size_t rank, n = 0;
    bool by_root;
    folder_open(&checkpoint->adapter, path);
    read_adapter_config(&checkpoint->adapter, &alpha, &rank, &by_root);
    if (folder_has(&checkpoint->adapter, "", "adapter_model.safetensors"))
        tensor_set_read_file(set, &checkpoint->adapter, "", "adapter_model.safetensors");
    else
        tensor_set_read_file(set, &checkpoint->adapter, "", "adapter_model.bin");
    for (size_t i = 0; i < set->n; i++) {
        struct stored_tensor *a = &set->tensors[i];
        size_t skipped = strncmp(a->name, start, sizeof start - 1) == 0 ? sizeof start - 1 : 0;
        char name[512], b_name[512];
        if (!name_ends_in(a->name, end))
            continue;
        int len = (int)(strlen(a->name) - skipped - strlen(end));
        snprintf(name, sizeof name, "%.*s.weight", len, a->name + skipped);
        snprintf(b_name, sizeof b_name, "%.*s.lora_B.weight", len + (int)skipped, a->name);
        struct stored_tensor *b = tensor_set_find(set, b_name);
        struct stored_tensor *base =
            find_base(&checkpoint->tensors, checkpoint->config.architecture->body->prefixes, name);
        if (b == NULL || base == NULL)
            tensor_die(set, a, " has no %s '%.200s'; expected one in %s",
                       b == NULL ? "B" : "matrix", b == NULL ? b_name : name,
                       b == NULL ? "the adapter" : "the model");
        if (a->n_dims != 2 || (rank > 0 && a->shape[0] != rank))
            tensor_die(set, a, " has not the rank %zu of adapter_config.json; expected [r, in]",
                       rank);
        if (base->change != NULL)
            tensor_die(set, a, " changes '%s', which another tensor of the adapter changes, too",
                       base->name);
        n++;
        attach(base, set, a, b, 0, alpha, by_root);
    }
    if (n == 0)
        program_die("'%s' changes nothing: it has no lora_A and lora_B of matrices", path);
    tensor_set_check_used(set, "an adapter that can be merged (lora_A and lora_B of matrices)");
}

/* ---- Jina v3 ---- */

/* The index of the task; SIZE_MAX: none. */
static size_t find_task(const struct json_file *config, const char *name)
{
    const json_t *tasks = json_typed(config, "lora_adaptations", JSON_ARRAY, "an array of names");
    char known[400] = "none";
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const char *task = json_string_value(json_array_get(tasks, i));
        size_t used = strlen(known);
        if (task != NULL && name != NULL && strcmp(task, name) == 0)
            return i;
        snprintf(known + used, sizeof known - used, ", %.60s", task != NULL ? task : "?");
    }
    if (name == NULL || strcmp(name, "none") != 0)
        program_die("the model has an adapter for each task; expected --adapter with one of %s",
                    known);
    return SIZE_MAX;
}

/* Gives matrices their usual names, and changes by the task. */
static void merge_task(struct checkpoint *checkpoint, const char *name)
{
    static const char end[] = ".parametrizations.weight.original";
    static const char *const changes[] = {".parametrizations.weight.0.lora_A",
                                          ".parametrizations.weight.0.lora_B"};
    struct tensor_set *set = &checkpoint->tensors;
    size_t task = find_task(&checkpoint->config_file, name);
    double alpha = json_number(&checkpoint->config_file, "lora_alpha", 1);
    for (size_t i = 0; i < set->n; i++) {
        struct stored_tensor *tensor = &set->tensors[i], *of[2];
        if (!name_ends_in(tensor->name, end))
            continue;
        const int len = (int)(strlen(tensor->name) - strlen(end));
        for (size_t k = 0; k < 2; k++) {
            char key[512];
            snprintf(key, sizeof key, "%.*s%s", len, tensor->name, changes[k]);
            of[k] = tensor_set_find(set, key);
            if (of[k] == NULL)
                tensor_die(set, tensor, " has no '%.200s'; expected one", key);
            of[k]->used = true;
        }
        if (task != SIZE_MAX)
            attach(tensor, set, of[0], of[1], task, alpha, false);
    }
    tensor_set_rename(set, end, ".weight");
}

void adapter_merge(struct checkpoint *checkpoint, const char *adapter)
{
    const struct tensor_set *set = &checkpoint->tensors;
    size_t i = 0;
    while (i < set->n && !name_ends_in(set->tensors[i].name, ".lora_A"))
        i++;
    if (i < set->n && json_object_get(checkpoint->config_file.root, "lora_adaptations") != NULL)
        merge_task(checkpoint, adapter);
    else if (adapter != NULL)
        merge_peft(checkpoint, adapter);
}
