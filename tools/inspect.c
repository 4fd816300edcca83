/* inspect.c - encode-inspect: what a weight file holds, through the public interface alone.
 */
#include "tools/common/options.h"
#include "tools/inspect/inspect_file.h"
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

int main(int argc, char *argv[])
{
    struct request request;
    int code = PROGRAM_DONE;
    program_begin("encode-inspect", argv);
    if (read_request(argc, argv, &request, &code)) {
        code = request.has_positions
                   ? positions_inspect(&request.positions)
                   : inspect_file(request.path, request.format == POSITIONS_JSON, request.verify);
        code = program_end(code);
    }
    position_options_free(&request.positions.options);
    return code;
}
