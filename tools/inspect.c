/* inspect.c - encode-inspect: what a weight file holds, through the public interface alone.
 */
#include "tools/inspect/inspect.h"

#include "tools/common/options.h"
#include "tools/inspect/positions.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char HELP[] =
    "Usage: encode-inspect [OPTION ...] FILE\n"
    "       encode-inspect --positions [OPTION ...] [SCHEME|FILE]\n"
    "Shows the sections, settings, tokenizer, metadata and tensors of a weight file; or measures\n"
    "the positions that a scheme, or the model of a file, adds to embeddings.\n"
    "\n"
    "  -f, --format F           text (default) or json; --positions: also csv, the matrix\n"
    "      --verify             read all data and compare every checksum\n"
    "\n"
    "Positions\n"
    "      --positions          range, length of each row, distances of rows k apart, equal rows\n"
    "      --position SCHEME    none, sinusoidal (default without FILE), learned, index, binary,\n"
    "                           fourier, exponential; SCHEME alone says the same\n"
    "      --position-base B    of sinusoidal and exponential (default the file's, or 10000)\n"
    "      --frequencies F,F,.. of fourier, cycles per token (default the file's, or harmonics)\n"
    "      --position-scale W2  factor on all (default the file's, or 1)\n"
    "      --width D            columns, without FILE (default 128)\n"
    "  -n, --rows N             positions 0 to N - 1 (default 128; of FILE its longest text, at\n"
    "                           most 1024); index: of a text of N tokens\n"
    "  -k, --apart K            distances for k = 1 to K (default 5)\n"
    "      --row P              also the norm of row P\n"
    "      --pair P,Q           also the distance of rows P and Q\n"
    "\n"
    "  -h, --help               this text\n"
    "      --version            the version\n"
    "\n"
    "Exit codes: 0 done, 1 the file cannot be read or is damaged, 2 misused.\n";

enum {
    OPTION_VERIFY = 256,
    OPTION_POSITIONS,
    OPTION_WIDTH,
    OPTION_ROW,
    OPTION_PAIR,
    OPTION_VERSION,
    OPTION_POSITION /* and the others of POSITION_LONG_OPTIONS */
};

static const struct option OPTIONS[] = {
    {"format", required_argument, NULL, 'f'},
    {"verify", no_argument, NULL, OPTION_VERIFY},
    {"positions", no_argument, NULL, OPTION_POSITIONS},
    {"width", required_argument, NULL, OPTION_WIDTH},
    {"rows", required_argument, NULL, 'n'},
    {"apart", required_argument, NULL, 'k'},
    {"row", required_argument, NULL, OPTION_ROW},
    {"pair", required_argument, NULL, OPTION_PAIR},
    POSITION_LONG_OPTIONS(OPTION_POSITION),
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

const char *const INSPECT_SETTINGS[3] = {"config", "tokenizer", "metadata"};

struct request {
    const char *path;
    enum positions_format format;
    bool verify;
    bool has_positions; /* --positions */
    bool has_details;   /* options that go with it */
    struct positions_request positions;
};

enum { MOST_ROWS = 1 << 24 };

/* "70,72" */
static bool read_pair(const char *text, struct position_picks *picks)
{
    char first[16];
    size_t len = strcspn(text, ",");
    picks->has_pair = true;
    if (text[len] == '\0' || len >= sizeof first) {
        program_note("--pair takes two positions, P,Q, not '%s'", text);
        return false;
    }
    memcpy(first, text, len);
    first[len] = '\0';
    return option_count("--pair", first, 0, MOST_ROWS, &picks->pair[0]) &&
           option_count("--pair", text + len + 1, 0, MOST_ROWS, &picks->pair[1]);
}

/* One option; false: the program ends with *code. */
static bool read_option(struct request *request, int option, int *code)
{
    static const char *const formats[] = {"text", "json", "csv"};
    struct positions_request *positions = &request->positions;
    size_t format = 0;
    bool is_good = true;
    request->has_details = request->has_details || option == 'n' || option == 'k' ||
                           option == OPTION_WIDTH || option == OPTION_ROW ||
                           option == OPTION_PAIR || option >= OPTION_POSITION;
    switch (option) {
    case 'f':
        is_good = option_choice("--format", optarg, formats, 3, &format);
        request->format = (enum positions_format)format;
        break;
    case 'n': is_good = option_count("-n", optarg, 1, MOST_ROWS, &positions->n); break;
    case 'k': is_good = option_count("-k", optarg, 1, MOST_ROWS, &positions->n_apart); break;
    case OPTION_WIDTH:
        is_good = option_count("--width", optarg, 1, MOST_ROWS, &positions->width);
        break;
    case OPTION_ROW:
        positions->picks.has_row = true;
        is_good = option_count("--row", optarg, 0, MOST_ROWS, &positions->picks.row);
        break;
    case OPTION_PAIR: is_good = read_pair(optarg, &positions->picks); break;
    case OPTION_VERIFY: request->verify = true; break;
    case OPTION_POSITIONS: request->has_positions = true; break;
    case 'o': *code = program_misuse("there is no -o: what is shown goes to stdout"); return false;
    case 'h': *code = program_help(HELP); return false;
    case OPTION_VERSION: *code = program_version(); return false;
    default:
        is_good = option >= OPTION_POSITION &&
                  position_options_set(&positions->options,
                                       (enum position_option)(option - OPTION_POSITION), optarg);
    }
    if (!is_good)
        *code = program_usage();
    return is_good;
}

/* What contradicts itself; NULL: nothing. */
static const char *find_conflict(const struct request *request)
{
    const struct positions_request *positions = &request->positions;
    if (!request->has_positions)
        return request->has_details
                   ? "--position, --width, -n, -k, --row and --pair go with --positions"
               : request->format == POSITIONS_CSV ? "-f csv goes with --positions"
                                                  : NULL;
    if (request->verify)
        return "--verify reads a whole file; it goes without --positions";
    if (request->format == POSITIONS_CSV && (positions->picks.has_row || positions->picks.has_pair))
        return "--row and --pair measure; -f csv is the matrix itself";
    if (positions->options.has_embedding_scale)
        return "--embedding-scale weighs embeddings; --positions shows positions alone";
    if (positions->path != NULL && positions->width > 0)
        return "--width is for schemes; a file has its own";
    return NULL;
}

/* What --positions is asked of: a file, or a scheme, whose name may stand in its place. */
static bool settle_positions(struct request *request, int *code)
{
    struct positions_request *positions = &request->positions;
    engine_position named;
    positions->format = request->format;
    positions->path = request->path;
    if (request->path != NULL && position_named(request->path, &named) &&
        named != ENGINE_POSITION_MODEL) {
        if (positions->options.position != ENGINE_POSITION_MODEL &&
            positions->options.position != named)
            *code = program_misuse("--position %s and %s are two schemes",
                                   position_name(positions->options.position), request->path);
        positions->options.position = named;
        positions->path = NULL;
    } else if (request->path != NULL && strchr(request->path, '/') == NULL &&
               access(request->path, F_OK) != 0)
        *code = program_fail("'%s' is neither a scheme (none, sinusoidal, index, binary, fourier, "
                             "exponential) nor a file",
                             request->path);
    if (positions->path == NULL && positions->options.position == ENGINE_POSITION_MODEL)
        positions->options.position = ENGINE_POSITION_SINUSOIDAL;
    if (positions->path == NULL && positions->options.position == ENGINE_POSITION_LEARNED)
        *code = program_misuse("learned positions are in a file: name it");
    return *code == PROGRAM_DONE;
}

/* False: the program ends with *code. */
static bool read_request(int argc, char *argv[], struct request *request, int *code)
{
    int option;
    *request = (struct request){0};
    while ((option = getopt_long(argc, argv, "f:o:n:k:h", OPTIONS, NULL)) != -1)
        if (!read_option(request, option, code))
            return false;
    if (argc - optind > 1 || (optind == argc && !request->has_positions)) {
        *code = program_misuse(optind == argc ? "a weight file is needed" : "one file at a time");
        return false;
    }
    request->path = argv[optind]; /* NULL behind the last */
    if (request->path != NULL && strcmp(request->path, "-") == 0) {
        *code =
            program_misuse("a weight file is mapped into memory, so it cannot be read from stdin");
        return false;
    }
    if (request->has_positions && !settle_positions(request, code))
        return false;
    const char *conflict = find_conflict(request);
    if (conflict != NULL)
        *code = program_misuse("%s", conflict);
    return conflict == NULL;
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

static int inspect(const struct request *request, const engine_model *model)
{
    engine_error error = {ENGINE_OK, ""};
    struct inspection inspection = {
        .path = request->path,
        .model = model,
        .info = {.struct_bytes = sizeof(engine_info)},
        .version = read_version(request->path),
    };
    if (engine_model_info(model, &inspection.info) != ENGINE_OK)
        return program_fail("'%s': cannot be described", request->path);
    count_texts(&inspection);
    add_up_tensors(&inspection);
    if (request->verify)
        inspection.checksums =
            engine_model_verify(model, &error) == ENGINE_OK ? CHECKSUMS_AGREE : CHECKSUMS_DIFFER;
    if (request->format == POSITIONS_TEXT)
        inspect_print_text(&inspection);
    else if (!inspect_print_json(&inspection))
        return program_fail("out of memory");
    if (inspection.checksums == CHECKSUMS_DIFFER)
        return program_fail("'%s': %s", request->path, error.message);
    return PROGRAM_DONE;
}

static int inspect_file(const struct request *request)
{
    engine_model *model;
    engine_error error;
    if (engine_model_open(request->path, NULL, &model, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    int code = inspect(request, model);
    engine_model_close(model);
    return code;
}

int main(int argc, char *argv[])
{
    struct request request;
    int code = PROGRAM_DONE;
    program_begin("encode-inspect", argv);
    if (read_request(argc, argv, &request, &code)) {
        code =
            request.has_positions ? positions_inspect(&request.positions) : inspect_file(&request);
        code = program_end(code);
    }
    position_options_free(&request.positions.options);
    return code;
}
