/* inspect.c - encode-inspect: what a weight file holds, through the public interface alone.
 */
#include "tools/inspect/inspect.h"

#include "tools/common/options.h"
#include "tools/inspect/inspect_options.h"

#include <stdio.h>
#include <string.h>

const char *const INSPECT_SETTINGS[3] = {"config", "tokenizer", "metadata"};

/* The format's version stands in bytes 8 to 11; that it is one the library reads has been
 * checked. */
static uint32_t read_version(const char *path)
{
    unsigned char header[12] = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file != NULL ? fread(header, 1, sizeof header, file) : 0;
    if (file != NULL)
        fclose(file);
    return n < sizeof header ? 0
                             : header[8] | (uint32_t)header[9] << 8 | (uint32_t)header[10] << 16 |
                                   (uint32_t)header[11] << 24;
}

static void count_texts(struct inspection *inspection)
{
    for (size_t id = 0; id < inspection->info.n_vocabulary; id++) {
        const char *text;
        size_t len;
        inspection->n_texts +=
            engine_token_text(inspection->model, (int32_t)id, &text, &len) == ENGINE_OK;
    }
}

static void add_up_tensors(struct inspection *inspection)
{
    engine_tensor_info tensor;
    for (size_t i = 0; engine_model_tensor(inspection->model, i, &tensor) == ENGINE_OK; i++) {
        uint64_t n_parameters = 1;
        size_t t = 0;
        for (size_t d = 0; d < tensor.n_dims; d++)
            n_parameters *= tensor.shape[d];
        while (t < inspection->n_totals && strcmp(inspection->totals[t].type, tensor.type) != 0)
            t++;
        if (t == TENSOR_TYPES_MOST)
            continue;
        if (t == inspection->n_totals)
            inspection->totals[inspection->n_totals++] = (struct type_total){.type = tensor.type};
        inspection->totals[t].n_tensors++;
        inspection->totals[t].n_parameters += n_parameters;
        inspection->totals[t].n_bytes += tensor.n_bytes;
    }
}

const char *inspect_head_pooling(const struct inspection *inspection)
{
    const char *key, *value;
    for (size_t i = 0; engine_model_setting(inspection->model, ENGINE_SETTINGS_CONFIG, i, &key,
                                            &value, NULL) == ENGINE_OK;
         i++)
        if (strcmp(key, "head_pooling") == 0)
            return NULL;
    return inspection->info.head == ENGINE_HEAD_SEQUENCE ? "cls" : NULL;
}

static int inspect(const struct inspect_options *options, const engine_model *model)
{
    engine_error error = {ENGINE_OK, ""};
    struct inspection inspection = {
        .path = options->path,
        .model = model,
        .info = {.struct_bytes = sizeof(engine_info)},
        .version = read_version(options->path),
    };
    if (engine_model_info(model, &inspection.info) != ENGINE_OK)
        return program_fail("'%s': cannot be described", options->path);
    count_texts(&inspection);
    add_up_tensors(&inspection);
    if (options->verify)
        inspection.checksums =
            engine_model_verify(model, &error) == ENGINE_OK ? CHECKSUMS_AGREE : CHECKSUMS_DIFFER;
    if (options->format == POSITIONS_TEXT)
        inspect_print_text(&inspection);
    else if (!inspect_print_json(&inspection))
        return program_fail("out of memory");
    if (inspection.checksums == CHECKSUMS_DIFFER)
        return program_fail("'%s': %s", options->path, error.message);
    return PROGRAM_DONE;
}

static int inspect_file(const struct inspect_options *options)
{
    engine_model *model;
    engine_error error;
    if (engine_model_open(options->path, NULL, &model, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    int code = inspect(options, model);
    engine_model_close(model);
    return code;
}

int main(int argc, char *argv[])
{
    struct inspect_options options;
    int code;
    program_begin("encode-inspect", argv);
    if (inspect_options_read(&options, argc, argv, &code)) {
        code =
            options.has_positions ? positions_inspect(&options.positions) : inspect_file(&options);
        code = program_end(code);
    }
    inspect_options_free(&options);
    return code;
}
