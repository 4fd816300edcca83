/* token_modules.c - bge-m3's layers, and the tensors of all token modules; see checkpoint.h. */
#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

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

/* Names the special tokens, which have no weight. */
static void skip_specials(struct tokenizer_draft *draft)
{
    static const char *const names[] = {"<s>",   "</s>",  "<pad>", "<unk>",
                                        "[CLS]", "[SEP]", "[PAD]", "[UNK]"};
    struct blank_list list = {.n = 0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t id = word_list_find(&draft->words, names[i], strlen(names[i]));
        if (id != WORD_NONE)
            list_add(&list, "%zu", id);
    }
    list_set(&list, draft, "skip_weights");
}

void token_modules_plan(struct checkpoint *checkpoint, struct stored_types types)
{
    const struct sentence_transformers *st = &checkpoint->st;
    struct token_modules *modules = &checkpoint->token_modules;
    struct folder *folder = &checkpoint->folder;
    struct plan *plan = &checkpoint->plan;
    struct model_config *model = &checkpoint->config.model;
    if (folder_has(folder, st->transformer, WEIGHTS_FILE)) {
        tensor_set_read_file(&modules->weights, folder, st->transformer, WEIGHTS_FILE);
        plan_linear(plan, (struct stored_types){TENSOR_F32, 0}, &modules->weights, "token.weight",
                    "", 0, 1, model->width, true);
        model->sparse = SPARSE_LINEAR;
        skip_specials(&checkpoint->tokenizer.draft);
    }
    if (folder_has(folder, st->transformer, VECTORS_FILE)) {
        tensor_set_read_file(&modules->vectors, folder, st->transformer, VECTORS_FILE);
        model->token_vectors = rows_of(&modules->vectors);
        model->token_vector_first = false;
        plan_linear(plan, types, &modules->vectors, "token.vector", "", 0, model->token_vectors,
                    model->width, true);
    }
    if (st->has_token_dense) {
        tensor_set_read(&modules->dense, folder, st->token_dense.place);
        plan_linear(plan, types, &modules->dense, "token.vector", "linear", 0, st->token_dense.out,
                    st->token_dense.in, model->token_vector_bias);
    }
}
