/* import_options.c - the command line of encode-import as a table; see import_options.h. */
#include "tools/import/import_options.h"

#include "model/config.h"
#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/writer/weight_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(member) TEXT_AT(struct import_options, member)
#define FLAG(member) FLAG_AT(struct import_options, member)

static void check_scheme(void *options, const struct option_use *use)
{
    engine_position scheme = ((struct import_options *)options)->vectors.positions.position;
    if (scheme == ENGINE_POSITION_LEARNED || scheme == ENGINE_POSITION_MODEL)
        program_die_misused("--position %s: word vectors have no positions of their own",
                            use->text);
}

static const struct option_row FILE_ROWS[] = {
    {"output", 'o', "FILE", "write this weight file", TEXT(output)},
    {"weights", 0, "T", "store matrices as f32, f16, bf16 or int8 (default: as in DIR)",
     TENSOR_TYPE_AT(struct import_options, type)},
    {"tables", 0, "T", "store embedding tables as T (default: as --weights says, with int8 f16)",
     TENSOR_TYPE_AT(struct import_options, table_type)},
    {"name", 0, "TEXT", "name that the programs show (default: that of the source)", TEXT(name)},
    {"tokenizer-only", 0, "S",
     "write the tokenizer of S and no model; S is a tokenizer.json, a\n"
     "vocab.txt, or a directory",
     TEXT(tokenizer), .most = 1},
    {"adapter", 0, "DIR|TASK",
     "merge this adapter (LoRA of peft), or the one of a task (Jina v3; none)", TEXT(adapter),
     .most = 1},
    {"as", 0, "transformers-4|transformers-5",
     "where their releases give other tokens or numbers, follow this one\n"
     "(default: refuse such a directory)",
     CHOICE_AT(struct import_options, as, AS_TRANSFORMERS_4, "transformers-4 transformers-5")},
    {"dry-run", 0, NULL, "check everything, show what would be written, write nothing",
     FLAG(is_dry_run)},
    {"sandbox", 0, "auto|off|require",
     "open only the source and the folder of FILE, no network: if the system\n"
     "can (auto, the default), never (off), or else fail (require)",
     CHOICE_AT(struct import_options, sandbox, SANDBOX_AUTO, "auto off require")},
};

static const struct option_row VECTORS_ROWS[] = {
    {"vectors", 0, "FILE", "read lines of a word and its numbers ('-': stdin)", TEXT(vectors.path),
     .most = 1},
    {"limit", 0, "N", "read only the first N words",
     COUNT_AT(struct import_options, vectors.limit, 1, INT32_MAX)},
    {"only-words-of", 0, "F", "keep only words of these texts ('-': stdin), with ids as in Keras",
     TEXT(vectors.only_words_of), .most = 1},
    {"lower", 0, "yes|no",
     "put texts into lower case (default: yes if no word has a capital;\n"
     "with --only-words-of yes, as Keras does)",
     YES_NO_AT(struct import_options, vectors.lower)},
    {"split", 0, "punctuation|blanks",
     "split texts at blanks and punctuation (default), or only at\n"
     "blanks, if texts are split into tokens already",
     CHOICE_AT(struct import_options, vectors.splits_at_blanks, false, "punctuation blanks")},
    {"max-tokens", 0, "N", "allow N tokens per text (default 4096)",
     COUNT_AT(struct import_options, vectors.max_tokens, 1, MOST_TOKENS)},
    {"position", 0, "SCHEME",
     "add positions of this scheme (default none; not learned):\n" ENGINE_POSITIONS,
     POSITION_AT(struct import_options, vectors.positions.position), .set = check_scheme},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("", FILE_ROWS)},
    {OPTION_GROUP(
        "Word vectors (a model without layers, whose mean of a text is that of its words)",
        VECTORS_ROWS)},
    POSITION_GROUP(POSITION_ROWS, struct import_options, vectors.positions),
    POSITION_GROUP(EMBEDDING_SCALE_ROWS, struct import_options, vectors.positions),
    OPTION_GENERAL,
};

/* ---- Rules ---- */

static const char *check_positions(const void *options)
{
    const struct position_options *positions =
        &((const struct import_options *)options)->vectors.positions;
    return position_options_conflict(positions, positions->position ? positions->position
                                                                    : ENGINE_POSITION_NONE);
}

static const struct option_rule RULES[] = {
    OPTION_NEEDS("limit only-words-of lower split max-tokens position position-base frequencies "
                 "embedding-scale position-scale",
                 "vectors",
                 "--limit, --only-words-of, --lower, --split, --max-tokens and those of positions "
                 "require --vectors"),
    {.check = check_positions},
    OPTION_EXCLUDES("tokenizer-only", "weights tables vectors", NULL),
    OPTION_EXCLUDES("vectors", "as adapter", NULL),
    OPTION_EXCLUDES("tokenizer-only", "adapter", NULL),
    OPTION_EXCLUDES("only-words-of", "split",
                    "--only-words-of splits texts as Keras does: leave out --split"),
    OPTION_EXCLUDES("vectors=-", "only-words-of=-",
                    "--vectors - and --only-words-of -: stdin holds one of them"),
    {0},
};

static const struct option_command COMMAND = {
    .usage = "DIR -o FILE [OPTION ...]\n"
             "--vectors FILE -o FILE [OPTION ...]\n"
             "--tokenizer-only SOURCE -o FILE\n",
    .about =
        "Makes a weight file from a HuggingFace, sentence-transformers or model2vec directory\n"
        "(BERT and its relatives, RoBERTa, XLM-R, MPNet, ALBERT, DeBERTa, Nomic's BERT, Jina v2\n"
        "and v3, GTE, ModernBERT, EuroBERT, Gemma 3, EmbeddingGemma 2, Qwen, Llama, Mistral, T5,\n"
        "the text parts of CLIP and SigLIP, static embeddings, a classifier without layers), or\n"
        "from word vectors: GloVe, word2vec or fastText as text.\n"
        "encode-import(1) lists the classes and files; anything else is refused by its name.\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 27),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-import.",
};

/* Returns the snapshot that main is, of a model in the Hub's cache: .../models--ORG--NAME has
 * refs/main, its revision, and snapshots/REVISION. Another path is returned as it is. */
static const char *find_snapshot(const char *path)
{
    char revision[128] = "";
    char *ref = alloc_text("%s/refs/main", path ? path : "");
    FILE *file = path ? fopen(ref, "re") : NULL;
    free(ref);
    if (!file || fscanf(file, "%127s", revision) != 1)
        revision[0] = '\0';
    if (file)
        fclose(file);
    if (revision[0] == '\0' || strchr(revision, '/'))
        return path;
    path = alloc_text("%s/snapshots/%s", path, revision);
    program_note("reads the snapshot '%s'", path);
    return path;
}

void import_options_read(struct import_options *options, int argc, char **argv)
{
    enum { LONGEST_TEXT = 4096 }; /* texts of many words have their mean; more is more memory */
    struct option_reading reading;
    *options = (struct import_options){.vectors.max_tokens = LONGEST_TEXT};
    options_read(&reading, &TABLE, 0, options, argc, argv);
    if (reading.n_arguments > 1)
        program_die_misused("one directory is imported, not %zu", reading.n_arguments);
    const char *directory = reading.arguments[0]; /* or NULL */
    options->directory = find_snapshot(directory);
    if (options->directory != directory && !options->name)
        options->name = path_name(directory);
    /* DIR --tokenizer-only FILE without -o: the option names the output. */
    if (options->tokenizer != NULL && options->directory != NULL && options->output == NULL) {
        options->output = options->tokenizer;
        options->tokenizer = options->directory;
        options->directory = NULL;
    }
    options_check(&reading);
    /* Exactly one source is imported, into a file. */
    if (options->vectors.path != NULL && (options->directory != NULL || options->tokenizer != NULL))
        program_die_misused("--vectors takes one file and no model: leave out %s",
                            options->directory != NULL ? options->directory : "--tokenizer-only");
    if (options->tokenizer != NULL && options->directory != NULL)
        program_die_misused("--tokenizer-only takes no model: leave out %s", options->directory);
    if (options->tokenizer == NULL && options->directory == NULL && options->vectors.path == NULL)
        program_die_misused("a directory with config.json and model.safetensors is needed");
    if (options->output == NULL && !options->is_dry_run)
        program_die_misused("-o FILE is needed: the weight file to write, such as model.weights");
}
