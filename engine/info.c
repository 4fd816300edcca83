/* info.c - properties of a model and the library: the public functions that only read. */
#include "engine/file/crc32c.h"
#include "engine/file/weight_file.h"
#include "engine/model.h"
#include "engine/search/comparing.h"
#include "engine/status.h"
#include "model/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

static const enum section_tag SETTINGS_SECTIONS[] = {
    [ENGINE_SETTINGS_CONFIG] = SECTION_CONF,
    [ENGINE_SETTINGS_TOKENIZER] = SECTION_TOKN,
    [ENGINE_SETTINGS_METADATA] = SECTION_META,
};

engine_status engine_model_verify(const engine_model *model, engine_error *error)
{
    if (model == NULL)
        return misused(error, "engine_model_verify: model is NULL");
    return weight_file_verify(&model->file, error);
}

static uint64_t count_parameters(const struct weight_file *file)
{
    uint64_t n = 0;
    for (size_t i = 0; i < file->n_tensors; i++) {
        struct tensor tensor;
        weight_file_tensor(file, i, &tensor);
        n += tensor.shape[0] * tensor.shape[1] * tensor.shape[2] * tensor.shape[3];
    }
    return n;
}

/* Returns a value, NUL-terminated, borrowed; NULL if the key is absent. */
static const char *value_of(const engine_model *model, engine_settings settings, const char *key)
{
    struct setting setting;
    const struct section *section = &model->file.sections[SETTINGS_SECTIONS[settings]];
    for (size_t at = 0; weight_file_setting(section, &at, &setting);)
        if (strcmp(setting.key, key) == 0)
            return setting.value;
    return NULL;
}

engine_status engine_model_info(const engine_model *model, engine_info *info, engine_error *error)
{
    engine_info given;
    if (model == NULL || info == NULL)
        return misused(error, "engine_model_info: model or info is NULL");
    engine_status status = read_struct("ENGINE_INFO", info, &given, sizeof given, error);
    if (status != ENGINE_OK)
        return status;
    const struct model_config *config = &model->encoder.config;
    const char *name = value_of(model, ENGINE_SETTINGS_METADATA, "name");
    const char *kind = value_of(model, ENGINE_SETTINGS_TOKENIZER, "kind");
    engine_pooling own = own_pooling(config);
    *info = (engine_info){
        .struct_bytes = sizeof *info,
        .name = name != NULL ? name : "",
        .n_layers = config->layers,
        .width = config->width,
        .n_heads = config->heads,
        .feed_forward = config->feed_forward,
        .n_vocabulary = config->vocabulary,
        .n_types = config->token_types,
        .max_tokens = config->max_tokens,
        .tokenizer = kind != NULL ? kind : "", /* always replaced, as every file has a kind */
        .position = config_name(config, "position"),
        .norm = config_name(config, "norm"),
        .norm_place = config_name(config, "norm_place"),
        .activation = config_name(config, "activation"),
        .gate = config_name(config, "gate"),
        .mask = config_name(config, "mask"),
        .pooling =
            own == ENGINE_POOLING_MODEL ? config_name(config, "pooling") : engine_pooling_name(own),
        .normalize = (int)config->normalize,
        .n_parameters = count_parameters(&model->file),
        .file_bytes = model->file.len,
        .isa = model->encoder.kernels->isa,
        .output_width = own == ENGINE_POOLING_SPARSE    ? config->vocabulary
                        : own == ENGINE_POOLING_COLBERT ? config->token_vectors
                                                        : model->encoder.output_width,
        .head = (engine_head)config->head,
        .n_labels = config->labels,
        .scores = config_name(config, "scores"),
        .mask_token = model->tokenizer.mask_token,
        .max_text_tokens = config->max_text_tokens,
        .has_model = model->has_encoder,
        .path = model->path != NULL ? model->path : "",
        .token_vectors = config->token_vectors,
        .sparse = config_name(config, "sparse"),
        .kernels = strcmp(model->encoder.kernels->isa, "portable") == 0 ? "portable" : "fma",
        .checksum =
            crc32c(0, model->file.section_table, model->file.n_sections * SECTION_ENTRY_BYTES),
        .ranks_pairs = ranks_pairs(model),
    };
    return succeed(error);
}

const char *engine_model_metadata(const engine_model *model, const char *key)
{
    return model != NULL && key != NULL ? value_of(model, ENGINE_SETTINGS_METADATA, key) : NULL;
}

engine_status engine_model_setting(const engine_model *model, engine_settings settings,
                                   size_t index, const char **key, const char **value,
                                   size_t *value_len)
{
    if (model == NULL || key == NULL || value == NULL ||
        (unsigned)settings > ENGINE_SETTINGS_METADATA)
        return ENGINE_ERROR_ARGUMENT;
    const struct section *section = &model->file.sections[SETTINGS_SECTIONS[settings]];
    struct setting setting;
    for (size_t i = 0, at = 0; weight_file_setting(section, &at, &setting); i++) {
        if (i != index)
            continue;
        *key = setting.key;
        *value = setting.value;
        if (value_len != NULL)
            *value_len = setting.value_len;
        return ENGINE_OK;
    }
    return ENGINE_ERROR_ARGUMENT;
}

engine_status engine_model_section(const engine_model *model, size_t index,
                                   engine_section_info *section)
{
    if (model == NULL || section == NULL || index >= model->file.n_sections)
        return ENGINE_ERROR_ARGUMENT;
    weight_file_section(&model->file, index, section);
    return ENGINE_OK;
}

engine_status engine_model_tensor(const engine_model *model, size_t index, engine_tensor_info *info)
{
    static const char *const TYPES[] = {
        [TENSOR_F32] = "f32",    [TENSOR_F16] = "f16",       [TENSOR_BF16] = "bf16",
        [TENSOR_INT8] = "int8",  [TENSOR_INT8A8] = "int8a8", [TENSOR_INT8A7] = "int8a7",
        [TENSOR_INT8K] = "int8k"};
    static const char *const LAYOUTS[] = {[LAYOUT_ROWS] = "rows", [LAYOUT_PANELS] = "panels"};
    if (model == NULL || info == NULL || index >= model->file.n_tensors)
        return ENGINE_ERROR_ARGUMENT;
    struct tensor tensor;
    weight_file_tensor(&model->file, index, &tensor);
    *info = (engine_tensor_info){
        .name = tensor.name,
        .type = TYPES[tensor.type],
        .layout = LAYOUTS[tensor.layout],
        .n_dims = tensor.n_dims,
        .offset = tensor.offset,
        .n_bytes = tensor.len,
    };
    memcpy(info->shape, tensor.shape, sizeof info->shape);
    return ENGINE_OK;
}

engine_status engine_token_text(const engine_model *model, int32_t id, const char **text,
                                size_t *len)
{
    if (model == NULL || text == NULL || len == NULL)
        return ENGINE_ERROR_ARGUMENT;
    *text = vocabulary_text(&model->tokenizer.vocabulary, id, len);
    return *text != NULL ? ENGINE_OK : ENGINE_ERROR_ARGUMENT;
}

/* ---- The library itself ---- */

const char *engine_version(void)
{
    return ENGINE_VERSION;
}

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#define BUILD_INFO(isa) "libengine " ENGINE_VERSION ", " COMPILER ", kernels " isa

const char *engine_build_info(void)
{
    static const char *const BUILDS[] = {BUILD_INFO("portable"),
                                         BUILD_INFO("avx2"),
                                         BUILD_INFO("avxvnni"),
                                         BUILD_INFO("avx512"),
                                         BUILD_INFO("avx512vnni"),
                                         BUILD_INFO("avx512vnni, avx512bf16"),
                                         BUILD_INFO("avx512vnni, avx512bf16, amx"),
                                         BUILD_INFO("neon"),
                                         BUILD_INFO("neondot"),
                                         BUILD_INFO("neoni8mm")};
    const struct kernels *kernels = kernels_select(getenv("ENGINE_ISA"), true);
    for (size_t i = 1; kernels != NULL && i < sizeof BUILDS / sizeof *BUILDS; i++)
        if (strcmp(kernels->isa, strrchr(BUILDS[i], ' ') + 1) == 0)
            return BUILDS[i];
    return BUILDS[0];
}

const char *engine_status_name(engine_status status)
{
#define NAME(error) [ENGINE_ERROR_##error] = "ENGINE_ERROR_" #error
    static const char *const NAMES[] = {
        [0] = "ENGINE_OK", NAME(ARGUMENT),   NAME(MEMORY),      NAME(IO),          NAME(FORMAT),
        NAME(VERSION),     NAME(BUFFER),     NAME(LENGTH),      NAME(UNSUPPORTED), NAME(TEXT),
        NAME(BUSY),        NAME(NOT_FINITE), NAME(INTERRUPTED), NAME(INTERNAL)};
    bool is_known = (unsigned)status < sizeof NAMES / sizeof *NAMES && NAMES[status] != NULL;
    return is_known ? NAMES[status] : "unknown status";
}
