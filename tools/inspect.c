/* inspect.c - encode-inspect: what a weight file holds, through the public interface alone.
 */
#include "tools/inspect.h"

#include "tools/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char HELP[] =
    "Usage: encode-inspect [OPTION ...] FILE\n"
    "Shows the sections, settings, tokenizer, metadata and tensors of a weight file.\n"
    "\n"
    "  -f, --format F   text or json (default text)\n"
    "      --verify     read all data and compare every checksum\n"
    "  -h, --help       this text\n"
    "      --version    the version\n"
    "\n"
    "Exit codes: 0 done, 1 the file cannot be read or is damaged, 2 misused.\n";

enum { OPTION_VERIFY = 256, OPTION_VERSION };

static const struct option OPTIONS[] = {
    {"format", required_argument, NULL, 'f'},
    {"verify", no_argument, NULL, OPTION_VERIFY},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

const char *const INSPECT_SETTINGS[3] = {"config", "tokenizer", "metadata"};

struct request {
    const char *path;
    bool is_json, verify;
};

/* False: the program ends with *code. */
static bool read_request(int argc, char *argv[], struct request *request, int *code)
{
    static const char *const formats[] = {"text", "json"};
    size_t format = 0;
    int option;
    *request = (struct request){0};
    while ((option = getopt_long(argc, argv, "f:o:h", OPTIONS, NULL)) != -1)
        switch (option) {
        case 'f':
            if (!option_choice("--format", optarg, formats, 2, &format)) {
                *code = program_usage();
                return false;
            }
            request->is_json = format == 1;
            break;
        case 'o':
            *code = program_misuse("there is no -o: what is shown goes to stdout");
            return false;
        case OPTION_VERIFY: request->verify = true; break;
        case 'h': *code = program_help(HELP); return false;
        case OPTION_VERSION: *code = program_version(); return false;
        default: *code = program_usage(); return false;
        }
    if (argc - optind != 1) {
        *code = program_misuse(optind == argc ? "a weight file is needed" : "one file at a time");
        return false;
    }
    request->path = argv[optind];
    if (strcmp(request->path, "-") != 0)
        return true;
    *code = program_misuse("a weight file is mapped into memory, so it cannot be read from stdin");
    return false;
}

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

static int inspect(const struct request *request, const engine_model *model)
{
    engine_error error = {ENGINE_OK, ""};
    struct inspection inspection = {
        .path = request->path, .model = model, .info = {.struct_bytes = sizeof(engine_info)},
        .version = read_version(request->path),
    };
    if (engine_model_info(model, &inspection.info) != ENGINE_OK)
        return program_fail("'%s': cannot be described", request->path);
    count_texts(&inspection);
    add_up_tensors(&inspection);
    if (request->verify)
        inspection.checksums = engine_model_verify(model, &error) == ENGINE_OK ? CHECKSUMS_AGREE
                                                                               : CHECKSUMS_DIFFER;
    if (!request->is_json)
        inspect_print_text(&inspection);
    else if (!inspect_print_json(&inspection))
        return program_fail("out of memory");
    if (inspection.checksums == CHECKSUMS_DIFFER)
        return program_fail("'%s': %s", request->path, error.message);
    return PROGRAM_DONE;
}

int main(int argc, char *argv[])
{
    struct request request;
    engine_model *model;
    engine_error error;
    int code = PROGRAM_DONE;
    program_begin("encode-inspect", argv);
    if (!read_request(argc, argv, &request, &code))
        return code;
    if (engine_model_open(request.path, NULL, &model, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    code = inspect(&request, model);
    engine_model_close(model);
    return program_end(code);
}
