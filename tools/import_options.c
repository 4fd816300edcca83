/* import_options.c - the command line of encode-import. */
#include "tools/import_options.h"

#include "tools/options.h"

#include <getopt.h>
#include <stddef.h>

static const char HELP[] =
    "Usage: encode-import DIR -o FILE [OPTION ...]\n"
    "       encode-import --tokenizer-only SOURCE -o FILE\n"
    "Makes a weight file of a HuggingFace or sentence-transformers directory of a BERT, "
    "DistilBERT\n"
    "or ELECTRA model: config.json, model.safetensors (or its shards), tokenizer.json or "
    "vocab.txt.\n"
    "\n"
    "  -o, --output FILE        the weight file to write\n"
    "      --weights T          matrices as f32, f16, bf16 or int8 (default: as they are in DIR)\n"
    "      --name TEXT          the name that the programs show (default: that of DIR)\n"
    "      --tokenizer-only S   a file with the tokenizer of S and no model; S is a "
    "tokenizer.json, a\n"
    "                           vocab.txt, or a directory\n"
    "      --dry-run            check everything, show what would be written, write nothing\n"
    "  -h, --help               this text\n"
    "      --version            the version\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 misused.\n";

enum { OPTION_WEIGHTS = 256, OPTION_NAME, OPTION_TOKENIZER, OPTION_DRY_RUN, OPTION_VERSION };

static const struct option OPTIONS[] = {
    {"output", required_argument, NULL, 'o'},
    {"weights", required_argument, NULL, OPTION_WEIGHTS},
    {"name", required_argument, NULL, OPTION_NAME},
    {"tokenizer-only", required_argument, NULL, OPTION_TOKENIZER},
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static int set_weights(const char *text, enum tensor_type *type)
{
    static const char *const names[] = {"f32", "f16", "bf16", "int8"};
    static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_INT8};
    size_t index = 0;
    if (!option_choice("--weights", text, names, 4, &index))
        return program_usage();
    *type = types[index];
    return PROGRAM_DONE;
}

/* DIR --tokenizer-only FILE without -o names the output by that option. */
static int settle(struct import_options *options)
{
    if (options->tokenizer != NULL && options->directory != NULL && options->output == NULL) {
        options->output = options->tokenizer;
        options->tokenizer = options->directory;
        options->directory = NULL;
    }
    if (options->tokenizer != NULL && options->directory != NULL)
        return program_misuse("--tokenizer-only takes no model: leave out %s", options->directory);
    if (options->tokenizer == NULL && options->directory == NULL)
        return program_misuse("a directory with config.json and model.safetensors is needed");
    if (options->output == NULL && !options->is_dry_run)
        return program_misuse("-o FILE is needed");
    return PROGRAM_DONE;
}

int import_options_read(int argc, char *argv[], struct import_options *options, bool *ends)
{
    int option, code = PROGRAM_DONE;
    *options = (struct import_options){.directory = NULL};
    *ends = false;
    while (code == PROGRAM_DONE && (option = getopt_long(argc, argv, "o:h", OPTIONS, NULL)) != -1)
        switch (option) {
        case 'o':
            options->output = optarg;
            break;
        case OPTION_WEIGHTS:
            code = set_weights(optarg, &options->plan.type);
            break;
        case OPTION_NAME:
            options->name = optarg;
            break;
        case OPTION_TOKENIZER:
            options->tokenizer = optarg;
            break;
        case OPTION_DRY_RUN:
            options->is_dry_run = true;
            break;
        case 'h':
            *ends = true;
            return program_help(HELP);
        case OPTION_VERSION:
            *ends = true;
            return program_version();
        default:
            return program_usage(); /* getopt has said what was wrong */
        }
    if (code != PROGRAM_DONE)
        return code;
    if (argc - optind > 1)
        return program_misuse("one directory is imported, not %d", argc - optind);
    if (optind < argc)
        options->directory = argv[optind];
    return settle(options);
}
