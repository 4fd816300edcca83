/* encode_options.c - the command line of encode as a table; see encode_options.h. What excludes what
 * is in encode_rules.c. */
#include "tools/encode/encode_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_reading.h"

#include <string.h>

#define FLAG(member)               FLAG_AT(struct encode_options, member)
#define TEXT(member)               TEXT_AT(struct encode_options, member)
#define COUNT(member, least, most) COUNT_AT(struct encode_options, member, least, most)
#define CHOICE(member, choices)    CHOICE_AT(struct encode_options, member, choices)
#define GIVEN(member)              GIVEN_AT(struct encode_options, member)

enum { PAD_TO_MOST = 1 << 20 }; /* as long as a model's longest sequence may be */

/* ---- Values that are more than one member ---- */

static bool set_task(void *options, const struct option_use *use)
{
    struct encode_options *encode = options;
    enum task *task = &encode->request.task, wanted = (enum task)use->row->value;
    if (*task != TASK_VECTORS && *task != wanted) {
        program_note("%s and %s are different results: ask for one of them", task_option(*task),
                     task_option(wanted));
        return false;
    }
    *task = wanted;
    if (wanted == TASK_RANK)
        encode->query = use->text;
    return true;
}

static bool set_output(void *options, const struct option_use *use)
{
    ((struct encode_options *)options)->output_path = strcmp(use->text, "-") ? use->text : NULL;
    return true;
}

static bool set_pad_id(void *options, const struct option_use *use)
{
    struct request_options *request = &((struct encode_options *)options)->request;
    bool is_negative = use->text[0] == '-';
    uint64_t most = (uint64_t)INT32_MAX + is_negative, magnitude;
    if (!option_number(is_negative ? "--pad-id -" : "--pad-id", use->text + is_negative, 0, most,
                       &magnitude))
        return false;
    request->pad_id = (int32_t)(is_negative ? -(int64_t)magnitude : (int64_t)magnitude);
    return true;
}

enum { ON_LONG_CHUNK = ENGINE_ON_LONG_ERROR + 1 };

/* For the engine, windows are texts that are not too long. */
static bool settle_chunks(void *options, const struct option_use *use)
{
    struct request_options *request = &((struct encode_options *)options)->request;
    request->is_chunked = strcmp(use->text, "chunk") == 0;
    if (request->is_chunked)
        request->on_long = ENGINE_ON_LONG_ERROR;
    return true;
}

/* ---- The options ---- */

static const struct option_choice INPUTS[] = {
    OPTION_NAMED("text", false), OPTION_NAMED("jsonl", true), {0}};
static const struct option_choice ON_LONG[] = {
    OPTION_NAMED("truncate", ENGINE_ON_LONG_TRUNCATE),
    OPTION_NAMED("error", ENGINE_ON_LONG_ERROR),
    OPTION_NAMED("chunk", ON_LONG_CHUNK),
    {0},
};
static const struct option_choice TRUNCATIONS[] = {
    OPTION_NAMED("longest-first", ENGINE_TRUNCATE_LONGEST_FIRST),
    OPTION_NAMED("only-first", ENGINE_TRUNCATE_ONLY_FIRST),
    OPTION_NAMED("only-second", ENGINE_TRUNCATE_ONLY_SECOND),
    {0},
};
static const struct option_choice SIDES[] = {
    OPTION_NAMED("left", true), OPTION_NAMED("right", false), {0}};
static const struct option_choice FORMATS[] = {
    OPTION_NAMED("text", FORMAT_TEXT), OPTION_NAMED("json", FORMAT_JSON),
    OPTION_NAMED("csv", FORMAT_CSV),   OPTION_NAMED("npy", FORMAT_NPY),
    OPTION_NAMED("ids", FORMAT_IDS),   {0},
};

static const struct option_row INPUT_ROWS[] = {
    {"input", 0, "KIND",
     "text, or jsonl: each line of stdin is \"text\",\n"
     "[\"text\", \"pair\"], {\"text\": …, \"pair\": …} or\n"
     "{\"ids\": […], \"types\": […], \"mask\": […]}",
     "See JSON LINES.", CHOICE(request.is_json_input, INPUTS)},
    {"pair", 0, "TEXT", "a second text that is encoded together with the one TEXT", NULL,
     TEXT(pair)},
    {"prompt", 0, "NAME",
     "put this prompt of the file before each text; default with\n"
     "-p model: the file's default prompt, if it has one",
     "So it is, without -p, with --similarity and --rank. Of a pair it stands before the first "
     "text. From there on it is part of the text: spans count in the text with its prompt, and "
     "results show it. Of a text that goes in windows it stands before each of them, and their "
     "part of the text is what comes behind it.",
     TEXT(request.prompt)},
    {"prompt-text", 0, "TEXT", "put this before each text", NULL, TEXT(request.prompt_text)},
    {"no-prompt", 0, NULL, "put nothing before texts", "Whatever the file says.",
     FLAG(request.no_prompt)},
    {"no-special", 0, NULL, "no special tokens around texts", NULL, FLAG(request.no_special)},
};

static const struct option_row LENGTH_ROWS[] = {
    {"max-tokens", 0, "N", "most tokens per text; default the model's",
     "Special tokens are counted; more than the model takes is an error. With --tokens the default "
     "is no limit.",
     COUNT(request.max_tokens, 1, INT32_MAX)},
    {"on-long", 0, "KIND",
     "truncate, error, or chunk: encode windows of a longer text;\n"
     "default the model's, else error",
     "The first text that is cut is named on standard error; if there are more, their count "
     "follows "
     "at the end."
     "\n\n"
     "With chunk every result is that of a window: as many tokens of the text as there is room "
     "for, "
     "with the special tokens around them. Of a pair the longer text goes in windows, or the one "
     "that --truncation names, and the other is in each of them whole. Results tell the window, "
     "how "
     "many there are, and the bytes of the text that it covers, and show that part of the text; "
     "spans of tokens and entities count in the whole text. With --entities windows begin and end "
     "between words, as far as there are any.",
     CHOICE(request.on_long, ON_LONG), .set = settle_chunks},
    {"stride", 0, "N", "tokens that neighbouring windows share (default 0)",
     "With --entities at least so many. It must be less than a window has room for.",
     COUNT(request.stride, 0, INT32_MAX)},
    {"truncation", 0, "KIND", "which text of a pair is cut: longest-first, only-first, only-second",
     "It asks for --on-long truncate, unless windows are asked for. Default: longest-first.",
     CHOICE(request.truncation, TRUNCATIONS), GIVEN(request.has_truncation)},
    {"truncate-left", 0, NULL, "cut the start of texts, not the end",
     "It asks for --on-long truncate.", FLAG(request.truncate_left)},
    {"pad-to", 0, "N", "N tokens per text: padding, whose rows are zeros, fills up shorter ones",
     "Special tokens are counted. Longer texts are an error, or are cut or go in windows as "
     "--on-long says, each window padded; token ids that are given as ids are never cut. Padding "
     "is "
     "not computed: no token sees it, it has no position, and the vectors of the tokens and of the "
     "text are the same without it."
     "\n\n"
     "pad_sequences of Keras pads and cuts at the start unless told otherwise, which is "
     "--pad-side left --truncate-left; its padding='post', truncating='post' is the default here.",
     COUNT(request.pad_to, 1, PAD_TO_MOST)},
    {"pad-side", 0, "SIDE", "left, or right (default): where it goes", NULL,
     CHOICE(request.pad_left, SIDES), GIVEN(request.has_pad_side)},
    {"pad-id", 0, "N", "its id; in ids of --input jsonl, N at the ends is padding too",
     "Any int32 number, because it is never looked up. Default: that of [PAD] in the vocabulary, "
     "else of <pad>, else 0, which Keras keeps free; where 0 is a word's id, that is said on "
     "standard error."
     "\n\n"
     "With ids of --input jsonl that have no mask, all of this id at their start and at their end "
     "is padding, so that rows padded before are read as what they are, also without --pad-to. "
     "Without --pad-id every id is a token, and the first row that begins or ends with the "
     "vocabulary's padding is named on standard error.",
     SET_BY(set_pad_id), GIVEN(request.has_pad_id)},
};

#define TASK(task) SET_BY(set_task), .value = (task)

static const struct option_row RESULT_ROWS[] = {
    {"pooling", 'p', "KIND",
     "none: a vector per token (default); a vector per text: mean, cls,\n"
     "max, mean_sqrt, weighted_mean, last, pooler, or model (its own)",
     "A text without tokens has the vector zero, which is noted once on standard error.",
     CHOICE(request.pooling, REQUEST_POOLINGS), GIVEN(request.has_pooling)},
    {"normalize", 0, NULL, "scale the vectors of texts to length 1", NULL, FLAG(request.normalize)},
    {"tokens", 0, NULL, "tokens only, no vectors",
     "A weight file that holds a tokenizer alone serves it, and -f ids.", TASK(TASK_TOKENS)},
    {"show-mask", 0, NULL, "padding mask and look-ahead mask as matrices, and what they do",
     "For the texts padded to --pad-to, else to the longest: the padding mask (a row per text; 1 "
     "is "
     "a token, 0 is padding); the look-ahead mask (a row per query, a column per key; True is "
     "hidden, because the key comes later; False is seen); per text, what is seen under the "
     "padding "
     "mask and the mask in force (--mask, else the model's; 1 is seen, 0 is hidden; the rows of "
     "padding are empty, because it is not computed); and the softmax of a row of scores under the "
     "padding mask. All of them together may have 67108864 cells, those of a text of 5792 tokens. "
     "The scores are the ids where ids are given (--input jsonl), and 0 for texts. Formats: text, "
     "json."
     "\n\n"
     "A hidden key's score is -infinity, as in the engine, so its weight is exactly 0, and a row "
     "without keys is zeros. With a large number such as -1e9 added in its place the score itself "
     "is lost in float32 (near 1e9 its numbers are 64 apart). As long as one key is seen that does "
     "no harm; where all are hidden the weights become equal.",
     TASK(TASK_SHOW_MASK)},
    {"compare", 0, NULL, "compare the vectors of the words that A and B share",
     "Repeated words are paired in the order in which they occur. For each pair it prints the "
     "positions, the cosine of its two vectors and their largest difference, then the words that "
     "only one text has, those that the vocabulary does not have, and one sentence that says what "
     "follows. Without texts they are the two lines of standard input. Formats: text, json.",
     TASK(TASK_COMPARE)},
    {"similarity", 0, NULL, "cosine of every text with every other",
     "Of at least two texts; by -p, else the model's own pooling, else the mean.",
     TASK(TASK_SIMILARITY)},
    {"rank", 0, "QUERY", "how well each text answers: by a cross-encoder, else by cosine",
     "Best first. A cross-encoder (a model with a head for one label of a text) scores the pair of "
     "the query and the text; of other models it is the cosine of the vectors of both, by -p, else "
     "the model's own pooling, else the mean. Without -p and a choice of prompts, the query gets "
     "the file's prompt query, and texts get document or passage, where the file has them; else "
     "its "
     "default prompt. Memory grows by a score per text, not by vectors. Nothing is printed if any "
     "text fails, except with --in-order.",
     TASK(TASK_RANK)},
    {"labels", 0, NULL, "label and score of each text, or of each token",
     "The best label: of each text where the model has a head for texts, of each token where it "
     "has "
     "one for tokens. A label that the file does not name is LABEL_ and its number. A text without "
     "tokens has no label: a dash, null in JSON, empty fields in csv. A model without the head "
     "that "
     "this or one of the next asks for is an error that names the head it has.",
     TASK(TASK_LABELS)},
    {"entities", 0, NULL, "names and the like: text, label, score, place",
     "They are runs of tokens with one label (without its B- or I-), from a model with a head for "
     "tokens, with their mean score.",
     TASK(TASK_ENTITIES)},
    {"fill", 0, NULL, "words for each mask token, with probability",
     "The most likely ones, from a model with a head for them. A text without a mask token is "
     "noted "
     "once on standard error.",
     TASK(TASK_FILL)},
    {"top", 0, "N", "--fill: how many (default 5); --rank: only the best N", NULL,
     COUNT(request.top, 1, INT32_MAX)},
    {"in-order", 0, NULL, "--rank: in the order of the input", "Scores come as they are made.",
     FLAG(in_order)},
    {"query-prompt", 0, "P", "--rank: name of the prompt before QUERY", NULL,
     TEXT(request.query_prompt)},
    {"raw-scores", 0, NULL, "logits, not probabilities",
     "They are not what the file's setting scores (softmax, sigmoid) and --fill (softmax) make of "
     "them.",
     FLAG(request.raw_scores)},
};

static const struct option_row OUTPUT_ROWS[] = {
    {"format", 'f', "KIND",
     "text (default), json (an object per line), csv, npy (float32; with\n"
     "--tokens --pad-to int32), or ids (a line of token ids per text)",
     "See FORMATS.", CHOICE(format, FORMATS)},
    {"all", 0, NULL, "text: every value, not only the first; --labels: every label",
     "Labels come best first.", FLAG(all_values)},
    {"progress", 0, NULL, "texts and tokens per second on stderr, also where it is no terminal",
     "Every two seconds, and once more at the end. Without it this is shown on one line of a "
     "terminal, while texts come from a file or a pipe and results do not go to the terminal, and "
     "cleared at the end.",
     FLAG(has_progress)},
    {"output", 'o', "FILE", "write to FILE, which is replaced when all is done; -: stdout",
     "It is written beside its place and put there when all is done; after a failure nothing is "
     "left and a file that was there stays as it was.",
     SET_BY(set_output)},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("Model", REQUEST_MODEL_ROWS), .base = offsetof(struct encode_options, request)},
    POSITION_GROUP(POSITION_ROWS, struct encode_options, request.positions),
    POSITION_GROUP(EMBEDDING_SCALE_ROWS, struct encode_options, request.positions),
    {OPTION_GROUP(NULL, REQUEST_SESSION_ROWS), .base = offsetof(struct encode_options, request)},
    {OPTION_GROUP("Input", INPUT_ROWS)},
    {OPTION_GROUP("Long texts, short texts", LENGTH_ROWS)},
    {OPTION_GROUP("Result", RESULT_ROWS)},
    {OPTION_GROUP("Output", OUTPUT_ROWS)},
};

/* ---- All of it ---- */

static const struct option_command COMMAND = {
    .usage = "[OPTION ...] [TEXT ...]\n"
             "[OPTION ...] --compare A B\n"
             "[OPTION ...] --rank QUERY [TEXT ...]\n",
    .about = "\n"
             "Turns texts into vectors with a transformer encoder: by default one line per token\n"
             "with its index, text, id, place in the text in bytes, first values and norm. Without "
             "TEXT,\n"
             "every line of stdin is a text, and line k of the input is result k.\n"
             "\n"
             "  encode \"I ride bike\"                            one vector per token\n"
             "  encode --compare \"I ride bike\" \"bike ride I\"    what word order changes\n"
             "  encode -p mean -f npy -o out.npy < lines.txt    one vector per line, for NumPy\n"
             "  encode -m FILE --rank \"who rides?\" < lines.txt  lines, best answer first\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .rules = ENCODE_RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode.",
};

static bool read_all(struct encode_options *options, int argc, char **argv, int *exit_code)
{
    struct request_options *request = &options->request;
    struct option_reading reading;
    *options = (struct encode_options){.request.pooling = ENGINE_POOLING_NONE};
    if (!options_read(&reading, &TABLE, 0, options, argc, argv, exit_code))
        return false;
    request->texts = reading.arguments;
    request->n_texts = reading.n_arguments;
    const char *reason = options_conflict(&reading);
    if (reason) {
        *exit_code = program_misuse("%s", reason);
        return false;
    }
    if (options->format == FORMAT_IDS)
        request->task = TASK_TOKENS;
    if ((request->has_truncation || request->truncate_left) && !request->is_chunked)
        request->on_long = ENGINE_ON_LONG_TRUNCATE;
    return true;
}

bool encode_options_read(struct encode_options *options, int argc, char **argv, int *exit_code)
{
    bool goes_on = read_all(options, argc, argv, exit_code);
    if (!goes_on)
        encode_options_free(options);
    return goes_on;
}

void encode_options_free(struct encode_options *options)
{
    position_options_free(&options->request.positions);
}
