/* import_options.c - the command line of encode-import. */
#include "tools/import/import_options.h"

#include "tools/common/options.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>

static const char HELP[] =
    "Usage: encode-import DIR -o FILE [OPTION ...]\n"
    "       encode-import --vectors FILE -o FILE [OPTION ...]\n"
    "       encode-import --tokenizer-only SOURCE -o FILE\n"
    "Makes a weight file of a HuggingFace or sentence-transformers directory of a BERT, "
    "DistilBERT\n"
    "or ELECTRA model: config.json, model.safetensors (or its shards), tokenizer.json or "
    "vocab.txt;\n"
    "of a classifier of an embedding alone (encode-import(1) says what is in its directory);\n"
    "or of word vectors: GloVe, word2vec or fastText as text.\n"
    "\n"
    "  -o, --output FILE        the weight file to write\n"
    "      --weights T          matrices as f32, f16, bf16 or int8 (default: as they are in DIR)\n"
    "      --name TEXT          the name that the programs show (default: that of the source)\n"
    "      --tokenizer-only S   a file with the tokenizer of S and no model; S is a "
    "tokenizer.json, a\n"
    "                           vocab.txt, or a directory\n"
    "      --dry-run            check everything, show what would be written, write nothing\n"
    "\n"
    "Word vectors (a model without layers, whose mean of a text is that of its words)\n"
    "      --vectors FILE       lines of a word and its numbers, '-' for stdin\n"
    "      --limit N            the first N words\n"
    "      --only-words-of F    the words of these texts ('-' for stdin), ids as Keras gives them\n"
    "      --lower yes|no       put texts into lower case (default: yes if no word has a capital;\n"
    "                           with --only-words-of yes, as Keras does)\n"
    "      --split punctuation|blanks\n"
    "                           where words end: at blanks and punctuation (default), or at\n"
    "                           blanks alone, for texts that are split into tokens already\n"
    "      --max-tokens N       the longest text (default 4096)\n"
    "      --position SCHEME    none (default), sinusoidal, index, binary, fourier, exponential\n"
    "      --position-base B    sinusoidal, exponential: instead of 10000\n"
    "      --frequencies F,...  fourier: cycles per token (default: the harmonics)\n"
    "      --embedding-scale W  factor on words (default 1; sqrt: the root of the width)\n"
    "      --position-scale W   factor on positions (default 1)\n"
    "\n"
    "  -h, --help               this text\n"
    "      --version            the version\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 misused.\n";

enum {
    OPTION_WEIGHTS = 256,
    OPTION_NAME,
    OPTION_TOKENIZER,
    OPTION_DRY_RUN,
    OPTION_VERSION,
    OPTION_VECTORS,
    OPTION_LIMIT,
    OPTION_ONLY_WORDS_OF,
    OPTION_LOWER,
    OPTION_SPLIT,
    OPTION_MAX_TOKENS,
    OPTION_POSITION /* and the next N_POSITION_OPTIONS */
};

static const struct option OPTIONS[] = {
    {"output", required_argument, NULL, 'o'},
    {"weights", required_argument, NULL, OPTION_WEIGHTS},
    {"name", required_argument, NULL, OPTION_NAME},
    {"tokenizer-only", required_argument, NULL, OPTION_TOKENIZER},
    {"vectors", required_argument, NULL, OPTION_VECTORS},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"only-words-of", required_argument, NULL, OPTION_ONLY_WORDS_OF},
    {"lower", required_argument, NULL, OPTION_LOWER},
    {"split", required_argument, NULL, OPTION_SPLIT},
    {"max-tokens", required_argument, NULL, OPTION_MAX_TOKENS},
    POSITION_LONG_OPTIONS(OPTION_POSITION),
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

/* ---- Word vectors ---- */

static int set_lower(struct vectors_options *vectors, const char *text)
{
    bool yes = false;
    if (!option_yes_no("--lower", text, &yes))
        return program_usage();
    vectors->lower = yes ? "yes" : "no";
    return PROGRAM_DONE;
}

static int set_split(struct vectors_options *vectors, const char *text)
{
    static const char *const names[] = {"punctuation", "blanks"};
    size_t index = 0;
    if (!option_choice("--split", text, names, 2, &index))
        return program_usage();
    vectors->has_split = true;
    vectors->splits_at_blanks = index == 1;
    return PROGRAM_DONE;
}

static int set_max_tokens(struct vectors_options *vectors, const char *text)
{
    size_t most = 0;
    if (!option_count("--max-tokens", text, 1, MOST_TOKENS, &most))
        return program_usage();
    vectors->model.max_tokens = (int64_t)most;
    return PROGRAM_DONE;
}

static int set_position(struct vectors_options *vectors, enum position_option option,
                        const char *text)
{
    if (option == POSITION_OPTION_SCHEME &&
        (strcmp(text, "learned") == 0 || strcmp(text, "model") == 0))
        return program_misuse("--position %s: word vectors have no positions of their own", text);
    return position_options_set(&vectors->positions, option, text) ? PROGRAM_DONE : program_usage();
}

static int set_vectors_option(struct vectors_options *vectors, int option, const char *text)
{
    vectors->is_asked = true;
    if (option >= OPTION_POSITION && option < OPTION_POSITION + N_POSITION_OPTIONS)
        return set_position(vectors, (enum position_option)(option - OPTION_POSITION), text);
    switch (option) {
    case OPTION_VECTORS: vectors->path = text; return PROGRAM_DONE;
    case OPTION_ONLY_WORDS_OF: vectors->only_words_of = text; return PROGRAM_DONE;
    case OPTION_LIMIT:
        return option_count("--limit", text, 1, INT32_MAX, &vectors->limit) ? PROGRAM_DONE
                                                                            : program_usage();
    case OPTION_LOWER: return set_lower(vectors, text);
    case OPTION_SPLIT: return set_split(vectors, text);
    case OPTION_MAX_TOKENS: return set_max_tokens(vectors, text);
    default: return program_usage(); /* getopt has said what was wrong */
    }
}

static int settle_vectors(const struct import_options *options)
{
    const struct vectors_options *vectors = &options->vectors;
    if (vectors->path == NULL)
        return vectors->is_asked
                   ? program_misuse("--limit, --only-words-of, --lower, --split, --max-tokens and "
                                    "those of positions go with --vectors")
                   : PROGRAM_DONE;
    if (options->directory != NULL || options->tokenizer != NULL)
        return program_misuse("--vectors takes one file and no model: leave out %s",
                              options->directory != NULL ? options->directory : "--tokenizer-only");
    const char *conflict = position_options_conflict(&vectors->positions,
                                                     position_name(vectors->positions.position != 0
                                                                       ? vectors->positions.position
                                                                       : ENGINE_POSITION_NONE));
    if (conflict != NULL)
        return program_misuse("%s", conflict);
    if (vectors->only_words_of != NULL && vectors->has_split)
        return program_misuse("--only-words-of splits texts as Keras does: leave out --split");
    if (vectors->only_words_of != NULL && strcmp(vectors->path, "-") == 0 &&
        strcmp(vectors->only_words_of, "-") == 0)
        return program_misuse("--vectors - and --only-words-of -: stdin holds one of them");
    return PROGRAM_DONE;
}

/* ---- All of it ---- */

/* DIR --tokenizer-only FILE without -o names the output by that option. */
static int settle(struct import_options *options)
{
    if (options->tokenizer != NULL && options->directory != NULL && options->output == NULL) {
        options->output = options->tokenizer;
        options->tokenizer = options->directory;
        options->directory = NULL;
    }
    int code = settle_vectors(options);
    if (code != PROGRAM_DONE)
        return code;
    if (options->tokenizer != NULL && options->directory != NULL)
        return program_misuse("--tokenizer-only takes no model: leave out %s", options->directory);
    if (options->tokenizer == NULL && options->directory == NULL && options->vectors.path == NULL)
        return program_misuse("a directory with config.json and model.safetensors is needed");
    if (options->output == NULL && !options->is_dry_run)
        return program_misuse("-o FILE is needed");
    return PROGRAM_DONE;
}

int import_options_read(int argc, char *argv[], struct import_options *options, bool *ends)
{
    int option, code = PROGRAM_DONE;
    *options = (struct import_options){.directory = NULL};
    vectors_defaults(&options->vectors);
    *ends = false;
    while (code == PROGRAM_DONE && (option = getopt_long(argc, argv, "o:h", OPTIONS, NULL)) != -1)
        switch (option) {
        case 'o': options->output = optarg; break;
        case OPTION_WEIGHTS: code = set_weights(optarg, &options->plan.type); break;
        case OPTION_NAME: options->name = optarg; break;
        case OPTION_TOKENIZER: options->tokenizer = optarg; break;
        case OPTION_DRY_RUN: options->is_dry_run = true; break;
        case 'h': *ends = true; return program_help(HELP);
        case OPTION_VERSION: *ends = true; return program_version();
        default: code = set_vectors_option(&options->vectors, option, optarg);
        }
    if (code != PROGRAM_DONE)
        return code;
    if (argc - optind > 1)
        return program_misuse("one directory is imported, not %d", argc - optind);
    if (optind < argc)
        options->directory = argv[optind];
    return settle(options);
}
