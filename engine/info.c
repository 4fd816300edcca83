/* info.c - see info.h; and the public functions that only read: properties of a model and the
 * library. */
#include "engine/info.h"

#include "engine/file/weight_file.h"
#include "engine/status.h"
#include "model/config.h"
#include "model/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

/* ---- Choices ---- */

/* A value without its choice in engine.h does not compile. */
#define CHOICE_OF(constant, name)                                                                  \
    _Static_assert((int)ENGINE_##constant == (int)constant + FIRST_CHOICE, name);
POSITION_SCHEMES(CHOICE_OF, CHOICE_OF)
MASKS(CHOICE_OF, CHOICE_OF)

/* Some choices of poolings are not in the config: they name other answers, and later poolings come
 * after them. */
#define POOLING_OF(constant, name) [constant] = ENGINE_##constant,
static const engine_pooling POOLING_CHOICES[] = {POOLINGS(POOLING_OF, POOLING_OF)};

#define NAME_OF(constant, name) name,
static const char *const POSITION_NAMES[] = {"model", POSITION_SCHEMES(NAME_OF, NAME_OF)};
static const char *const MASK_NAMES[] = {"model", MASKS(NAME_OF, NAME_OF)};
#define NAME_AT(constant, name) [ENGINE_##constant] = name,
static const char *const POOLING_NAMES[] = {
    "model", POOLINGS(NAME_AT, NAME_AT)[ENGINE_POOLING_SPARSE] = "sparse",
    [ENGINE_POOLING_COLBERT] = "colbert", [ENGINE_POOLING_TEXT] = "text",
    [ENGINE_POOLING_LABELS] = "labels"};

static int choice_named(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n && name != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

/* Defines engine_KIND_name and engine_KIND_named. */
#define PUBLIC_NAMES(kind, NAMES)                                                                  \
    const char *engine_##kind##_name(engine_##kind value)                                          \
    {                                                                                              \
        return (size_t)value < sizeof NAMES / sizeof *NAMES ? NAMES[value] : NULL;                 \
    }                                                                                              \
    int engine_##kind##_named(const char *name)                                                    \
    {                                                                                              \
        return choice_named(NAMES, sizeof NAMES / sizeof *NAMES, name);                            \
    }
PUBLIC_NAMES(position, POSITION_NAMES)
PUBLIC_NAMES(mask, MASK_NAMES)
PUBLIC_NAMES(pooling, POOLING_NAMES)

int engine_position_has_base(engine_position position)
{
    return position != ENGINE_POSITION_MODEL && engine_position_name(position) != NULL &&
           position_has_base((enum position_scheme)(position - FIRST_CHOICE));
}

/* ---- The model ---- */

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
    for (const struct tensor *tensor = file->tensors; tensor < file->tensors + file->n_tensors;
         tensor++)
        n += tensor->shape[0] * tensor->shape[1] * tensor->shape[2] * tensor->shape[3];
    return n;
}

bool ranks_pairs(const engine_model *model)
{
    const struct model_config *config = &model->encoder.config;
    const char *is_told = engine_model_metadata(model, "cross_encoder");
    return config->head == HEAD_SEQUENCE &&
           (config->labels == 1 ||
            (config->labels == 2 && is_told != NULL && strcmp(is_told, "yes") == 0));
}

engine_pooling own_pooling(const struct model_config *config)
{
    if (config->pooling == POOLING_NONE && config->sparse != SPARSE_NONE)
        return ENGINE_POOLING_SPARSE;
    if (config->pooling == POOLING_NONE && config->token_vectors > 0)
        return ENGINE_POOLING_COLBERT;
    return POOLING_CHOICES[config->pooling];
}

enum pooling pooling_of(engine_pooling choice)
{
    size_t i = sizeof POOLING_CHOICES / sizeof *POOLING_CHOICES - 1;
    while (i > 0 && POOLING_CHOICES[i] != choice)
        i--;
    return (enum pooling)i;
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
    const char *name = engine_model_metadata(model, "name");
    const engine_pooling own = own_pooling(config);
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
        .tokenizer = (engine_tokenizer)model->tokenizer.kind,
        .position = (engine_position)(config->position + FIRST_CHOICE),
        .norm = config_value_name("norm", config->norm),
        .norm_place = config_value_name("norm_place", config->norm_place),
        .activation = config_value_name("activation", config->activation),
        .gate = config_value_name("gate", config->gate),
        .mask = (engine_mask)(config->mask + FIRST_CHOICE),
        .pooling = own,
        .normalize = (int)config->normalize,
        .n_parameters = count_parameters(&model->file),
        .file_bytes = model->file.len,
        .isa = model->encoder.kernels->isa,
        .output_width = own == ENGINE_POOLING_SPARSE    ? config->vocabulary
                        : own == ENGINE_POOLING_COLBERT ? config->token_vectors
                                                        : model->encoder.output_width,
        .head = (engine_head)config->head,
        .n_labels = config->labels,
        .scores = (engine_scores)config->scores,
        .mask_token = model->tokenizer.mask_token,
        .max_text_tokens = config->max_text_tokens,
        .has_model = model->has_encoder,
        .path = model->path != NULL ? model->path : "",
        .token_vectors = config->token_vectors,
        .has_sparse = config->sparse != SPARSE_NONE,
        .kernels = strcmp(model->encoder.kernels->isa, "portable") == 0 ? "portable" : "fma",
        .checksum = model->file.table_crc,
        .ranks_pairs = ranks_pairs(model),
        .precision = model->encoder.bf16 ? ENGINE_PRECISION_BF16 : ENGINE_PRECISION_EXACT,
        .is_emulated = model->encoder.bf16 && model->encoder.kernels->pairs->is_emulated,
    };
    return succeed(error);
}

bool next_metadata(const engine_model *model, size_t *at, const char *prefix, const char *name,
                   struct setting *setting)
{
    const size_t len = strlen(prefix);
    while (weight_file_setting(&model->file.sections[SECTION_META], at, setting))
        if (strncmp(setting->key, prefix, len) == 0 &&
            (name == NULL || strcmp(setting->key + len, name) == 0))
            return true;
    return false;
}

const char *engine_model_metadata(const engine_model *model, const char *key)
{
    struct setting setting;
    size_t at = 0;
    return model != NULL && key != NULL && next_metadata(model, &at, "", key, &setting)
               ? setting.value
               : NULL;
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
    *section = model->file.table[index];
    return ENGINE_OK;
}

engine_status engine_model_tensor(const engine_model *model, size_t index, engine_tensor_info *info)
{
    static const char *const LAYOUTS[] = {[LAYOUT_ROWS] = "rows", [LAYOUT_PANELS] = "panels"};
    if (model == NULL || info == NULL || index >= model->file.n_tensors)
        return ENGINE_ERROR_ARGUMENT;
    const struct tensor *tensor = &model->file.tensors[index];
    *info = (engine_tensor_info){
        .name = tensor->name,
        .type = TENSOR_TYPES[tensor->type],
        .layout = LAYOUTS[tensor->layout],
        .n_dims = tensor->n_dims,
        .offset = tensor->offset,
        .n_bytes = tensor->len,
    };
    memcpy(info->shape, tensor->shape, sizeof info->shape);
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
#if defined(_OPENMP)
#define THREADS ""
#else
#define THREADS ", one thread"
#endif
#define BUILD_INFO(isa) "libengine " ENGINE_VERSION ", " COMPILER THREADS ", kernels " isa

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
