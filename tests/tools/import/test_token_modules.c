/* encode-import on what answers for each token: a ColBERT, as PyLate or its authors write it;
 * sparse_linear.pt and colbert_linear.pt beside a model, as bge-m3 has them; the modules of SPLADE.
 * The answers themselves were compared with torch and with sentence-transformers 6.2 by hand. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"
#include "tests/tools/torch/tiny_torch.h"
#include "tools/import/files/tensor_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Imports the directory into a file, which encode reads with these arguments. */
static const char *encode_imported(const char *arguments)
{
    shell_expect(0, "$IMPORT %s -o search.weights", import_directory);
    return shell_expect(0, "$ENCODE -m search.weights %s", arguments)->out;
}

static void make_pylate(void)
{
    import_make();
    import_write("modules.json",
                 "[{'path': '', 'type': 'sentence_transformers.models.Transformer'}, {'path': "
                 "'1_Dense', 'type': 'pylate.models.Dense.Dense'}]");
    import_write("1_Dense/config.json", "{'in_features': 8, 'out_features': 6, 'bias': false, "
                                        "'activation_function': 'torch.nn.Identity'}");
    tiny_write_tensors(import_directory, "1_Dense/model.safetensors", "linear.weight 6 8");
    import_write("config_sentence_transformers.json",
                 "{'query_prefix': 'ride', 'document_prefix': 'bike', 'document_length': 7, "
                 "'do_query_expansion': false, 'skiplist_words': ['dog', 'zebra', 'i']}");
}

TEST(pylate)
{
    make_pylate();
    import_is("token_vectors=6 token_vector_bias=no token_vector_first=yes max_text_tokens=7 "
              "pooling=none query_tokens=0 query_filler=-1"); /* do_query_expansion is false */
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "9 5 1");
    const char *out = encode_imported("-p model -f json 'cat dog i zebra'");
    assert_contains(out, "\"text\": \"bikecat dog i zebra\"");
    assert_contains(out, "{\"text\": \"bike\", ");
    assert_contains(out, "{\"text\": \"cat\", "); /* the marker is a token of its own */
    out = encode_imported("-p colbert --prompt query -f json 'cat dog'");
    assert_contains(out, "\"text\": \"ridecat dog\"");
    assert_contains(encode_imported("--rank dog cat"), "MaxSim of vectors of tokens");
}

TEST(pylate_defaults_and_refusals)
{
    static const struct import_case cases[] = {
        {"1_Dense/config.json", "{'in_features': 7, 'out_features': 6}", "'in_features' is 7"},
        {"1_Dense/config.json",
         "{'in_features': 8, 'out_features': 6, 'activation_function': 'torch.nn.ReLU'}",
         "'activation_function' is 'torch.nn.ReLU'; expected Identity"},
        {"1_Dense/config.json", "{'in_features': 8, 'out_features': 6, 'use_residual': true}",
         "linear.bias"},
        {"1_Dense/config.json",
         "{'in_features': 8, 'out_features': 6, 'bias': false, 'use_residual': true}",
         "has no tensor 'residual.weight'"},
        {"1_Dense/config.json", "{'in_features': 8, 'out_features': 6}", "linear.bias"},
        {"1_Dense/config.json", "{'in_features': 8, 'out_features': 5, 'bias': false}",
         "has the shape [6, 8]; expected [5, 8]"},
        {"config_sentence_transformers.json", "{}", "'query_prefix' '[Q] ' is not a token"},
        {"config_sentence_transformers.json", "{'query_prefix': '', 'document_prefix': 'train'}",
         "'document_prefix' 'train' is not a token"},
        {"config_sentence_transformers.json",
         "{'query_prefix': '', 'document_prefix': '', 'skiplist_words': [3]}",
         "'skiplist_words' holds a number"},
        {"config_sentence_transformers.json",
         "{'query_prefix': '', 'document_prefix': '', 'skiplist_words': {}}", "skiplist_words"},
        {"config_sentence_transformers.json",
         "{'query_prefix': '', 'document_prefix': '', 'query_length': 6, "
         "'attend_to_expansion_tokens': true}",
         "= query_tokens=6 query_filler_seen=yes"},
    };
    IMPORT_EACH(make_pylate, cases);
    make_pylate();
    import_write("config_sentence_transformers.json",
                 "{'query_prefix': '', 'document_prefix': '', 'query_length': 8}");
    import_is("query_tokens=8 query_filler=4 query_filler_seen=no");
    /* No punctuation is in the vocabulary: each is unknown. */
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "1");
}

/* A MultiVectorEncoder of sentence-transformers 6. */
#define TOKENS   "'module_input_name': 'token_embeddings', 'module_output_name': 'token_embeddings'"
#define IDENTITY ", 'activation_function': 'torch.nn.modules.linear.Identity', "

static void make_dense(const char *folder, const char *config, const char *tensors)
{
    char path[SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/config.json", folder);
    import_write(path, config);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    tiny_write_tensors(import_directory, path, tensors);
}

static void make_multi_vector(void)
{
    static const char MASK[] = "{'skiplist_words': ['dog', 'zebra'], 'skiplist_tasks': "
                               "['document'], 'keep_only_token_ids': null}";
    import_make();
    import_write("modules.json",
                 "[{'path': '', 'type': 'sentence_transformers.base.modules.Transformer'}, "
                 "{'path': '1_Dense', 'type': 'sentence_transformers.base.modules.Dense'}, "
                 "{'path': '2_Dense', 'type': 'sentence_transformers.base.modules.Dense'}, "
                 "{'path': '4', 'type': 'sentence_transformers.x.MultiVectorMask'}, {'path': "
                 "'3', 'type': 'sentence_transformers.base.modules.Normalize'}]");
    make_dense("1_Dense",
               "{'in_features': 8, 'out_features': 5, 'use_residual': true" IDENTITY TOKENS "}",
               "linear.weight 5 8, linear.bias 5, residual.weight 5 8");
    make_dense(
        "2_Dense",
        "{'in_features': 5, 'out_features': 5, 'bias': false, 'use_residual': true" IDENTITY TOKENS
        "}",
        "linear.weight 5 5");
    import_write("3/config.json", "{" TOKENS "}");
    import_write("4/config.json", MASK);
    import_write("config_sentence_transformers.json",
                 "{'model_type': 'MultiVectorEncoder', 'default_prompt_name': null, 'prompts': "
                 "{'query': 'ride ', 'document': ''}}");
}

/* Adds a tensor [rows, cols] of a Dense module to numbers. */
static void add_numbers(double *to, size_t set, const char *name, size_t rows, size_t cols)
{
    const struct tensor_set *tensors = &import_checkpoint.dense[set];
    struct tensor_rows chunk;
    tensor_rows_open(&chunk, rows, cols, true);
    tensor_rows_read(&chunk, tensors, tensor_set_find(tensors, name), 0, rows);
    for (size_t i = 0; i < rows * cols; i++)
        to[i] += chunk.values[i];
    tensor_rows_free(&chunk);
}

static const float *planned_values(const char *name)
{
    const struct plan *plan = &import_checkpoint.plan;
    for (size_t i = 0; i < plan->n; i++)
        if (strcmp(plan->tensors[i].name, name) == 0)
            return plan->tensors[i].values;
    fail_msg("the plan has no %s", name);
    return NULL;
}

/* (W2 + 1)·((W1 + R)·x + b1), of one layer with W and b. */
TEST(dense_modules_on_tokens_are_one_layer)
{
    double first[5][TINY_WIDTH] = {{0}}, second[5][5] = {{0}}, bias[5] = {0};
    make_multi_vector();
    import_is("token_vectors=5 token_vector_bias=yes pooling=none");
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "9");
    add_numbers(first[0], 0, "linear.weight", 5, TINY_WIDTH);
    add_numbers(first[0], 0, "residual.weight", 5, TINY_WIDTH);
    add_numbers(bias, 0, "linear.bias", 5, 1);
    add_numbers(second[0], 1, "linear.weight", 5, 5);
    const float *weight = planned_values("token.vector.weight"),
                *sum = planned_values("token.vector.bias");
    for (size_t i = 0; i < 5; i++) {
        double expected = bias[i];
        for (size_t k = 0; k < 5; k++)
            expected += second[i][k] * bias[k];
        assert_true(fabs(sum[i] - expected) <= 1e-6 * (1 + fabs(expected)));
        for (size_t j = 0; j < TINY_WIDTH; j++) {
            expected = first[i][j];
            for (size_t k = 0; k < 5; k++)
                expected += second[i][k] * first[k][j];
            assert_true(fabs(weight[i * TINY_WIDTH + j] - expected) <= 1e-6 * (1 + fabs(expected)));
        }
    }
    const char *out = encode_imported("-p colbert --prompt query -f json 'cat dog'");
    assert_contains(out, "\"text\": \"ride cat dog\"");
    assert_contains(out, "{\"text\": \"dog\", ");
    assert_null(strstr(encode_imported("-p colbert -f json 'cat dog'"), "{\"text\": \"dog\", "));
}

TEST(multi_vector_refusals)
{
    static const struct import_case cases[] = {
        {"4/config.json", "{}", "'skiplist_words' is absent"},
        {"4/config.json", "{'skiplist_words': [], 'skiplist_tasks': ['query']}", "skiplist_tasks"},
        {"4/config.json", "{'skiplist_words': [], 'keep_only_token_ids': [3]}",
         "keep_only_token_ids"},
        {"3/config.json", "{}", "module_input_name"},
        {"2_Dense/config.json", "{'in_features': 8, 'out_features': 5, " TOKENS "}",
         "'in_features' is 8; expected 5"},
#define EXPANSION(text) "{'query_expansion': {" text "}}"
        {"sentence_bert_config.json", EXPANSION("'length': 9"), "'strategy' 'none'"},
        {"sentence_bert_config.json", EXPANSION("'strategy': 'min', 'length': 9"),
         "the 'strategy' 'min'; expected fixed"},
        {"sentence_bert_config.json", EXPANSION("'strategy': 'fixed'"), "'length' is missing"},
        {"sentence_bert_config.json", EXPANSION("'strategy': 'fixed', 'length': 9, 'width': 1"),
         "'query_expansion' has 'width'"},
        {"sentence_bert_config.json", EXPANSION("'strategy': 'fixed', 'length': 9, 'token': 'x'"),
         "filled up with the token 'x'"},
        {"sentence_bert_config.json", EXPANSION("'strategy': 'fixed', 'length': 99"),
         "'query_tokens' is more than 'max_tokens'"},
    };
    IMPORT_EACH(make_multi_vector, cases);
}

/* Queries of a fixed length, with a token that texts may have, too. */
TEST(queries_of_a_fixed_length)
{
    make_multi_vector();
    import_write("sentence_bert_config.json",
                 EXPANSION("'strategy': 'fixed', 'length': 7, 'attend': true, 'token': 'cat'"));
    import_is("query_tokens=7 query_filler=10 query_filler_seen=yes");
    import_write("sentence_bert_config.json",
                 "{'document_length': 5, 'query_expansion': {'strategy': 'fixed', 'length': 7}}");
    import_is("query_filler=4 max_text_tokens=5 query_filler_seen=no");
    const char *out = encode_imported("--tokens -f ids --prompt query 'cat dog'");
    assert_contains(out, "2 6 10 9 3 4 4\n");
    out =
        encode_imported("--tokens -f ids --on-long truncate --prompt query 'cat dog cat dog dog'");
    assert_contains(out, "2 6 10 9 10 9 3\n");
    assert_contains(encode_imported("--tokens -f ids 'cat dog'"), "2 10 9 3\n");
    import_write("tokenizer_config.json", "{'padding_side': 'left'}");
    import_refused("fillers on the left", "'padding_side' is left");
    import_write("sentence_bert_config.json", "{'query_length': 6}");
    import_is("query_tokens=6 query_filler=-1");
}

/* Another library's Dense comes after a pooling, or before a Normalize and a MultiVectorMask. */
TEST(dense_of_others)
{
    make_pylate();
    import_write("modules.json",
                 "[{'path': '', 'type': 'sentence_transformers.models.Transformer'}, {'path': "
                 "'1_Dense', 'type': 'sentence_transformers.models.Dense'}]");
    import_refused("Dense", "has Dense modules on tokens without Normalize and MultiVectorMask");
    import_write(
        "modules.json",
        "[{'path': '', 'type': 'sentence_transformers.models.Transformer'}, {'path': '1_Dense', "
        "'type': 'pylate.models.Dense'}, {'path': '2', 'type': 'pylate.models.Dense'}]");
    import_refused("two of them", "2/config.json");
}

/* As stanford-futuredata/ColBERT writes it: the layer among the model's tensors. */
TEST(class_hf_colbert)
{
    import_make();
    import_config("'architectures': ['HF_ColBERT']");
    tiny_write_bert(import_directory, "linear.weight 6 8");
    import_refused("no marker", "the 'query_token_id' '[unused0]' is not a token");
    import_write("artifact.metadata",
                 "{\"query_token_id\": \"ride\", \"doc_token_id\": \"bike\", \"doc_maxlen\": 8, "
                 "\"query_maxlen\": 9, \"mask_punctuation\": false}");
    import_is("token_vectors=6 token_vector_bias=no max_text_tokens=8 query_tokens=9 "
              "query_filler_seen=no pooling=none");
    assert_string_equal(draft_get(&import_checkpoint.tokenizer.draft, "skip_vectors"), "");
    const char *out = encode_imported("-p model -f csv 'cat'");
    assert_contains(out, "\r\n0,1,bike,7,"); /* a token, though no blank follows it */
    assert_contains(out, "\r\n0,2,cat,10,");
    tiny_write_bert(import_directory, "");
    import_refused("no layer", "no tensor 'linear.weight'");
}

/* A torch file of the tensors, whose storage is 0, 1, 2 … 23. */
static void write_file(const char *name, const struct tiny_tensor *tensors, size_t n)
{
    static struct tiny_bytes pickle, file;
    tiny_pickle_begin(&pickle);
    for (size_t i = 0; i < n; i++)
        tiny_pickle_tensor(&pickle, &tensors[i]);
    tiny_pickle_end(&pickle);
    tiny_torch(&file, &pickle);
    support_write_in(import_directory, name, (const char *)file.bytes, file.len);
}

#define MATRIX(rows, cols)                                                                         \
    {                                                                                              \
        "weight", "FloatStorage", "0", 24, 0, {rows, cols}, {cols, 1}, 2                           \
    }
#define BIAS(rows)                                                                                 \
    {                                                                                              \
        "bias", "FloatStorage", "0", 24, 20, {rows}, {1}, 1                                        \
    }

static const struct tiny_tensor WEIGHTS[] = {MATRIX(1, TINY_WIDTH), BIAS(1)};
static const struct tiny_tensor VECTORS[] = {MATRIX(2, TINY_WIDTH), BIAS(2)};

static void planned_is(const char *name, size_t rows, size_t cols, float first)
{
    const struct plan *plan = &import_checkpoint.plan;
    for (size_t i = 0; i < plan->n; i++) {
        const struct planned_tensor *tensor = &plan->tensors[i];
        struct tensor_rows chunk;
        if (strcmp(tensor->name, name) != 0)
            continue;
        assert_true(tensor->rows == rows && tensor->cols == cols);
        tensor_rows_open(&chunk, rows, cols, true);
        tensor_rows_read(&chunk, tensor->set, tensor->parts[0], 0, rows);
        for (size_t k = 0; k < rows * cols; k++)
            assert_true(chunk.values[k] == first + (float)k);
        tensor_rows_free(&chunk);
        return;
    }
    fail_msg("%s is not planned", name);
}

TEST(both)
{
    import_make();
    write_file("sparse_linear.pt", WEIGHTS, 2);
    write_file("colbert_linear.pt", VECTORS, 2);
    import_is("sparse=linear token_vectors=2 token_vector_first=no");
    planned_is("token.weight.weight", 1, TINY_WIDTH, 0);
    planned_is("token.weight.bias", 1, 1, 20);
    planned_is("token.vector.weight", 2, TINY_WIDTH, 0);
    planned_is("token.vector.bias", 2, 1, 20);
    const struct shell_result *result = shell_expect(
        0, "$IMPORT %s -o m.weights && $INSPECT m.weights | tr -s ' '", import_directory);
    assert_contains(result->out, "skip_weights");
    assert_contains(result->out, "sparse_linear.pt");
}

TEST(one)
{
    import_make();
    write_file("colbert_linear.pt", VECTORS, 2);
    import_is("sparse=none token_vectors=2");
}

TEST(refused)
{
    static const struct tiny_tensor wider[] = {MATRIX(1, TINY_WIDTH + 1), BIAS(1)},
                                    more[] = {MATRIX(2, TINY_WIDTH), BIAS(2)},
                                    longer[] = {MATRIX(2, TINY_WIDTH), BIAS(3)},
                                    third[] = {MATRIX(2, TINY_WIDTH),
                                               BIAS(2),
                                               {"gain", "FloatStorage", "0", 24, 0, {1}, {1}, 1}};
    import_make();
    write_file("sparse_linear.pt", wider, 2);
    import_refused("another width", "'weight' has the shape [1, 9]; expected [1, 8]");
    write_file("sparse_linear.pt", more, 2);
    import_refused("two weights a token", "'weight' has the shape [2, 8]; expected [1, 8]");
    write_file("sparse_linear.pt", WEIGHTS, 2);
    write_file("colbert_linear.pt", VECTORS, 1);
    import_refused("no bias", "colbert_linear.pt has no tensor 'bias'");
    write_file("colbert_linear.pt", longer, 2);
    import_refused("another bias", "'bias' has the shape [3]; expected [2]");
    write_file("colbert_linear.pt", third, 3);
    import_refused("a third tensor", "'gain' is not part of a linear layer");
    write_file("colbert_linear.pt", third, 0);
    import_refused("no tensor", "colbert_linear.pt has no tensor 'weight'");
}

/* ---- SPLADE ---- */

static void write_splade(const char *config)
{
    import_write("modules.json",
                 "[{'path': '', 'type': 'sentence_transformers.x.MLMTransformer'}, {'path': '1_S', "
                 "'type': 'sentence_transformers.x.SpladePooling'}]");
    import_write("1_S/config.json", config);
}

/* The head of a masked language model, in addition to the body. */
static void write_masked(void)
{
    tiny_write_bert(import_directory, TINY_TRANSFORM ", cls.predictions.bias 16");
    import_config("'architectures': ['BertForMaskedLM']");
}

TEST(splade)
{
    import_make();
    write_splade("{'pooling_strategy': 'sum', 'activation_function': 'log1p_relu'}");
    import_refused("a body alone", "BertModel has no head of masked language models");
    write_masked();
    import_is("sparse=mask sparse_pooling=sum sparse_activation=log_log pooling=none");
    write_splade("{}");
    import_is("sparse_pooling=max sparse_activation=log");
    write_splade("{'pooling_strategy': 'mean'}");
    import_refused("another pooling", "max or sum");
    write_splade("{'activation_function': 'gelu'}");
    import_refused("another activation", "relu or log1p_relu");
}

/* ---- Routes for queries and documents ---- */

static const char ROUTER[] =
    "{'types': {'q': 'sentence_transformers.x.SparseStaticEmbedding', "
    "'d': 'sentence_transformers.x.MLMTransformer', 's': 'sentence_transformers.x.SpladePooling'}, "
    "'structure': {'query': ['q'], 'document': ['d', 's']}, 'parameters': {'default_route': "
    "'document', 'allow_empty_key': true, 'route_mappings': {}}}";
#define ROUTES(query, document, parameters)                                                        \
    "{'types': {'q': 'sentence_transformers.x.SparseStaticEmbedding', 'd': "                       \
    "'sentence_transformers.x.Transformer', 'o': 'sentence_transformers.x.SpladePooling'}, "       \
    "'structure': {" query document "}, 'parameters': {" parameters "}}"

/* As sentence-transformers 6 saves it: each module in a folder, each with its tokenizer. */
static void make_router(void)
{
    import_make();
    write_masked();
    import_write("tokenizer_config.json",
                 "{'model_max_length': 7, 'tokenizer_class': 'PreTrainedTokenizerFast'}");
    import_write(
        "tokenizer.json",
        "{'truncation': null, 'added_tokens': [{'id': 0, 'content': '[PAD]', 'special': true, "
        "'single_word': false, 'lstrip': false, 'rstrip': false, 'normalized': false}], "
        "'normalizer': null, 'pre_tokenizer': {'type': 'BertPreTokenizer'}, 'post_processor': "
        "null, 'decoder': null, 'model': {'type': 'WordPiece', 'unk_token': '[UNK]', "
        "'continuing_subword_prefix': '##', 'max_input_chars_per_word': 100, 'vocab': {'[PAD]': 0, "
        "'[UNK]': 1, '[CLS]': 2, '[SEP]': 3, '[MASK]': 4, 'i': 5, 'ride': 6, 'bike': 7, '##s': 8, "
        "'dog': 9, 'cat': 10}}}");
    shell_expect(0,
                 "cd %s && rm vocab.txt && mkdir d q s && mv config.json model.safetensors "
                 "tokenizer*.json d && cp d/tokenizer*.json q",
                 import_directory);
    import_write("modules.json",
                 "[{'path': '', 'type': 'sentence_transformers.base.modules.router.Router'}]");
    import_write("router_config.json", ROUTER);
    import_write("q/config.json", "{'frozen': true}");
    import_write("s/config.json", "{}");
    tiny_write_tensors(import_directory, "q/model.safetensors", "weight 16");
}

TEST(router)
{
    make_router();
    import_is("sparse=mask query_weights=yes");
    assert_true(planned_values("query.weight")[6] == 0.25f + 0.001f * 6);
    const char *out = encode_imported("-p model --prompt query -f json 'dog ride dog'");
    assert_contains(out, "{\"text\": \"dog\", \"id\": 9, \"weight\": 0.259}, "
                         "{\"text\": \"ride\", \"id\": 6, \"weight\": 0.256}]");
    assert_null(strstr(encode_imported("-p model -f json 'dog ride dog'"), "0.259"));
}

TEST(router_refusals)
{
    static const struct import_case cases[] = {
        {"modules.json",
         "[{'path': '', 'type': 'sentence_transformers.Router'}, {'path': 'n', 'type': "
         "'sentence_transformers.Normalize'}]",
         "modules after a Router"},
        {"router_config.json", "{}", "has not the two routes query and document"},
        {"router_config.json", ROUTES("'query': ['q'], 'image': ['d']", "", ""), "two routes"},
        {"router_config.json", ROUTES("'query': ['q'], ", "'document': ['d'], 'c': []", ""),
         "two routes"},
        {"router_config.json", ROUTES("'query': ['q'], ", "'document': ['d']", ""),
         "'default_route' is 'query'; expected document"},
        {"router_config.json",
         ROUTES("'query': ['q'], ", "'document': ['d']", "'default_route': 'query'"),
         "'default_route' is 'query'"},
        {"router_config.json",
         ROUTES("'query': ['q'], ", "'document': ['d']",
                "'default_route': 'document', 'route_mappings': {'x': 'query'}"),
         "'route_mappings' is not empty"},
        {"router_config.json", ROUTES("'document': ['d'], ", "'query': ['d']", ""),
         "the route query has 'sentence_transformers.x.Transformer'; expected one Sparse"},
        {"router_config.json", ROUTES("'document': ['d'], ", "'query': ['q', 'q']", ""),
         "SparseStaticEmbedding' and more; expected one"},
        {"router_config.json", ROUTES("'document': ['d'], ", "'query': []", ""), "'no module'"},
        {"router_config.json", ROUTES("'document': ['d'], ", "'query': ['q']", ""),
         "documents have no SpladePooling"},
        {"router_config.json", ROUTES("'document': ['d', 'x'], ", "'query': ['q']", ""),
         "module ''"},
        {"q/config.json", "{'path': 'idf.json'}", "'path' is \"idf.json\""},
        {"q/tokenizer_config.json",
         "{'model_max_length': 8, 'tokenizer_class': 'PreTrainedTokenizerFast'}",
         "'model_max_length' is 8, and texts of documents are cut to 7"},
        {"q/tokenizer_config.json", "{'tokenizer_class': 'PreTrainedTokenizerFast'}",
         "'model_max_length'"},
        {"q/tokenizer_config.json", "{'model_max_length': 7, 'tokenizer_class': 'T5Tokenizer'}",
         "'tokenizer_class' differs"},
        {"q/tokenizer.json", "{'normalizer': {'type': 'Lowercase'}}", "'normalizer' differs"},
    };
    IMPORT_EACH(make_router, cases);
    make_router();
    tiny_write_tensors(import_directory, "q/model.safetensors", "weight 17");
    import_refused("too many weights",
                   "q/model.safetensors: tensor 'weight' has the shape [17]; expected [16]");
    make_router();
    shell_expect(0, "rm %s/q/tokenizer.json", import_directory);
    import_refused("no tokenizer of queries", "q/tokenizer.json");
}

SET_UP()
{
    import_setup();
}
