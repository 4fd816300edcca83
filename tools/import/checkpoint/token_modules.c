/* token_modules.c - see token_modules.h. */
#include "tools/import/checkpoint/token_modules.h"

#include "tools/import/checkpoint/plan_make.h"

#include <string.h>

static const char WEIGHTS_FILE[] = "sparse_linear.pt", VECTORS_FILE[] = "colbert_linear.pt";

/* The rows of the matrix, of which there may be any number. */
static int64_t rows_of(const struct tensor_set *set)
{
    const struct stored_tensor *weight = tensor_set_find(set, "weight");
    bool is_right = weight != NULL && weight->n_dims == 2 && weight->shape[0] > 0 &&
                    weight->shape[0] <= INT32_MAX;
    return is_right ? (int64_t)weight->shape[0] : 1;
}

void token_modules_plan(struct token_modules *modules, struct folder *folder, const char *place,
                        struct stored_types types, struct plan *plan, struct model_config *model)
{
    static const struct linear_names weights = {"token.weight.weight", "token.weight.bias",
                                                "weight", "bias"};
    static const struct linear_names vectors = {"token.vector.weight", "token.vector.bias",
                                                "weight", "bias"};
    if (folder_has(folder, place, WEIGHTS_FILE)) {
        tensor_set_read_file(&modules->weights, folder, place, WEIGHTS_FILE);
        plan_linear(plan, (struct stored_types){TENSOR_F32, 0}, &modules->weights, &weights, 0, 1,
                    model->width, true);
        model->sparse = SPARSE_LINEAR;
    }
    if (folder_has(folder, place, VECTORS_FILE)) {
        tensor_set_read_file(&modules->vectors, folder, place, VECTORS_FILE);
        model->token_vectors = rows_of(&modules->vectors);
        model->token_vector_first = false;
        plan_linear(plan, types, &modules->vectors, &vectors, 0, model->token_vectors, model->width,
                    true);
    }
}

void token_modules_free(struct token_modules *modules)
{
    tensor_set_free(&modules->weights);
    tensor_set_free(&modules->vectors);
}

void token_modules_tokenizer(struct import_tokenizer *tokenizer, const struct model_config *model)
{
    static const char *const names[] = {"<s>",   "</s>",  "<pad>", "<unk>",
                                        "[CLS]", "[SEP]", "[PAD]", "[UNK]"};
    struct blank_list list;
    if (model->sparse != SPARSE_LINEAR)
        return;
    list_open(&list);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t id = word_list_find(&tokenizer->draft.words, names[i], strlen(names[i]));
        if (id != WORD_NONE)
            list_add(&list, "%zu", id);
    }
    list_set(&list, &tokenizer->draft, "skip_weights");
}
