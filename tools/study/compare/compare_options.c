/* compare_options.c - the command line of encode-compare as a table. */
#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/study/compare/compare.h"

#define SWITCH(member)               SWITCH_AT(struct compare_options, member)
#define TEXT(member)                 TEXT_AT(struct compare_options, member)
#define COUNT(member, least, most)   COUNT_AT(struct compare_options, member, least, most)
#define CHOICE(member, first, names) CHOICE_AT(struct compare_options, member, first, names)

enum {
    OF_SCORES = 1u << COMPARE_SIMILARITY | 1u << COMPARE_PAIRS,
    OF_VECTORS = OF_SCORES | 1u << COMPARE_EXPLAIN,
    OF_MASK = 1u << COMPARE_MASK,
    PAD_TO_MOST = 1 << 20 /* as long as a model's longest sequence may be */
};

static void set_format(void *options, const struct option_use *use)
{
    struct compare_options *compare = options;
    compare->format = use->text[0] == 'j' ? ROWS_JSON : use->text[0] == 'c' ? ROWS_CSV : ROWS_TABLE;
}

static const struct option_row TEXT_ROWS[] = {
    {"input", 0, "KIND",
     "read stdin as text, or as jsonl: each line is \"text\",\n"
     "[\"text\", \"pair\"], {\"text\": …, \"pair\": …} or\n"
     "{\"ids\": […], \"types\": […], \"mask\": […]}",
     CHOICE(request.input, INPUT_TEXT, "text jsonl"), .commands = OF_VECTORS | OF_MASK},
    {"prompt", 0, "NAME", "prepend the file's prompt NAME to texts; -p model: its default",
     TEXT(request.encode.prompt), .commands = OF_VECTORS},
    {"prompt-text", 0, "TEXT", "prepend this to each text", TEXT(request.encode.prompt_text),
     .commands = OF_VECTORS},
    {"no-prompt", 0, NULL, "prepend no prompt to texts",
     FLAG_AT(struct compare_options, request.no_prompt), .commands = OF_VECTORS},
    {"no-special", 0, NULL, "add no special tokens to texts", SWITCH(request.encode.no_special)},
    {"max-tokens", 0, "N", "allow N tokens per text; default the model's limit",
     COUNT(request.encode.max_tokens, 1, INT32_MAX)},
    {"on-long", 0, "KIND", "if a text is longer: truncate or error; default what the model says",
     CHOICE(request.encode.on_long, ENGINE_ON_LONG_TRUNCATE, "truncate error")},
    {"pad-to", 0, "N", "pad texts to N tokens; default the length of the longest",
     COUNT(request.padding.n, 1, PAD_TO_MOST), .commands = OF_MASK},
    {"pad-side", 0, "SIDE", "put padding on the left, or right (default)",
     CHOICE(request.padding.is_left, true, "left right=0"), .commands = OF_MASK},
    {"pad-id", 0, "N", "id of padding; in ids of --input jsonl, N at the ends is padding too",
     SET_BY(request_set_pad_id), GIVEN_AT(struct compare_options, request.padding.is_named),
     .commands = OF_MASK},
};

static const struct option_row RESULT_ROWS[] = {
    {"pooling", 'p', "KIND", "a vector of: " ENGINE_TEXT_POOLINGS ", sparse, model (default)",
     NAMED_AT(struct compare_options, request.encode.pooling, ENGINE_TEXT_POOLINGS " sparse model",
              engine_pooling_named),
     GIVEN_AT(struct compare_options, request.has_pooling), .commands = OF_VECTORS},
    {"dimensions", 0, "N", "cut vectors to N columns; scale them to length 1 again if they had it",
     COUNT(request.encode.dimensions, 1, INT32_MAX), .commands = OF_VECTORS},
    {"format", 'f', "KIND", "print text (default), json, or csv (similarity, pairs)",
     CHOICE(format, ROWS_TABLE, "text json csv"), .set = set_format},
    {"output", 'o', "FILE", "write to FILE, which is replaced at the end; -: stdout",
     OUTPUT_AT(struct compare_options, output_path)},
};

#define REQUEST_GROUP(title, rows)                                                                 \
    OPTION_GROUP(title, rows), .base = offsetof(struct compare_options, request)

static const struct option_group GROUPS[] = {
    {REQUEST_GROUP("Model", REQUEST_MODEL_ROWS)},
    POSITION_GROUP(POSITION_ROWS, struct compare_options, request.positions),
    POSITION_GROUP(EMBEDDING_SCALE_ROWS, struct compare_options, request.positions),
    {REQUEST_GROUP(NULL, REQUEST_SESSION_ROWS)},
    {OPTION_GROUP("Texts", TEXT_ROWS)},
    {OPTION_GROUP("Result", RESULT_ROWS)},
};

static const char *check(const void *options)
{
    const struct compare_options *compare = options;
    const size_t n = compare->request.n_texts, pad_to = compare->request.padding.n;
    if (compare->format == ROWS_CSV && !(OF_SCORES >> compare->command & 1))
        return "-f csv is for similarity and pairs; words, mask and explain print text or json";
    if (compare->command == COMPARE_WORDS && n != 2 && n != 0)
        return "words takes two texts, or none to read two lines of stdin";
    if (compare->command == COMPARE_EXPLAIN && n != 2 && n != 0)
        return "explain takes two texts, or none to read two lines of stdin";
    if (compare->command == COMPARE_SIMILARITY && n == 1)
        return "similarity takes at least two texts";
    if (compare->command == COMPARE_PAIRS && n % 2)
        return "pairs takes two texts for each pair: the last one has none beside it";
    if (compare->command == COMPARE_PAIRS && n == 0 && compare->request.input == INPUT_TEXT)
        return "pairs reads pairs of JSON lines (--input jsonl), or two TEXTs for each";
    if (pad_to && compare->request.encode.max_tokens > pad_to)
        return "--max-tokens is more than --pad-to, which texts may not be longer than";
    return NULL;
}

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("input=jsonl", "TEXT", NULL),
    OPTION_EXCLUDES("prompt", "prompt-text", NULL),
    OPTION_EXCLUDES("no-prompt", "prompt prompt-text", NULL),
    OPTION_EXCLUDES("dimensions", "pooling=sparse", NULL),
    {.check = check},
    POSITION_RULE(struct compare_options, request.positions),
    {0},
};

static const struct option_command COMPARE_COMMANDS[N_COMPARE_COMMANDS] = {
    [COMPARE_WORDS] = {"words", "[OPTION ...] [A B]\n",
                       "Compares the vectors of the words that A and B share: what word order and "
                       "positions\n"
                       "change.\n",
                       "the vectors of the words that two texts share"},
    [COMPARE_SIMILARITY] = {"similarity", "[OPTION ...] [TEXT ...]\n",
                            "Compares every two texts: by cosine, or as the model's file says.\n",
                            "every two texts"},
    [COMPARE_PAIRS] = {"pairs", "[OPTION ...] [A B ...]\n",
                       "Compares the two texts of each pair, a number per line.\n",
                       "the two texts of each pair"},
    [COMPARE_MASK] = {"mask", "[OPTION ...] [TEXT ...]\n",
                      "Prints padding mask and look-ahead mask as matrices, and what they do.\n",
                      "which tokens a token sees"},
    [COMPARE_EXPLAIN] = {"explain", "[OPTION ...] [A B]\n",
                         "Shows which words of A and B make their similarity: it is a sum of "
                         "shares of pairs of\n"
                         "words.\n",
                         "which words make two texts alike"},
};

const struct option_table COMPARE_TABLE = {
    OPTION_TABLE(COMPARE_COMMANDS, N_COMPARE_COMMANDS, GROUPS, 25),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-compare.",
    .what = "command",
    .help = {"Usage: encode-compare COMMAND [OPTION ...] [TEXT ...]\n"
             "Compares texts by what a model makes of them.\n"
             "\n",
             "\n"
             "  encode-compare words \"I ride bike\" \"bike ride I\"    what word order changes\n"
             "  encode-compare words --position none \"I ride bike\" \"bike ride I\"\n"
             "  encode-compare similarity \"a dog barks\" \"a cat meows\" \"rain\"\n"
             "\n"
             "Without TEXT the texts are lines of stdin (pairs: JSON lines, --input jsonl).\n"
             "encode-compare COMMAND --help lists the options of each. Manual: man "
             "encode-compare.\n"},
};

void compare_options_read(struct compare_options *options, enum compare_command command, int argc,
                          char **argv)
{
    static const enum task TASKS[] = {[COMPARE_WORDS] = TASK_COMPARE,
                                      [COMPARE_SIMILARITY] = TASK_SIMILARITY,
                                      [COMPARE_PAIRS] = TASK_SIMILARITY,
                                      [COMPARE_MASK] = TASK_SHOW_MASK,
                                      [COMPARE_EXPLAIN] = TASK_SIMILARITY};
    struct option_reading reading;
    *options = (struct compare_options){
        .command = command, .request = REQUEST_OPTIONS(), .format = ROWS_TABLE};
    options->request.encode.pooling = ENGINE_POOLING_NONE;
    options->request.task = TASKS[command];
    options_read(&reading, &COMPARE_TABLE, command, options, argc, argv);
    options->request.texts = reading.arguments;
    options->request.n_texts = reading.n_arguments;
    options_check(&reading);
}
