/* Reading a command line by a table: values, what was given, commands, rules and their messages. */
#include "tests/support.h"
#include "tests/tools/program_ends.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum color { RED = 3, BLUE };

struct paint {
    const char *path, *lower;
    size_t width;
    uint64_t seed;
    double gloss;
    bool is_loud, has_color, is_left;
    enum color color;
    size_t n_layers;
    const char *frames[3];
    size_t n_frames;
    struct {
        size_t depth;
    } inner;
};

static void add_layer(void *options, const struct option_use *use)
{
    struct paint *paint = options;
    assert_string_equal(use->option, "--layer");
    paint->n_layers += (size_t)use->row->value;
    if (strcmp(use->text, "bad") == 0)
        program_die_misused("%s is bad", use->option);
}

static const struct option_row ROWS[] = {
    {"output", 'o', "FILE", "the picture", TEXT_AT(struct paint, path)},
    {"width", 'w', "N", "pixels", COUNT_AT(struct paint, width, 1, 100)},
    {"seed", 0, "N", "of chance", NUMBER_AT(struct paint, seed)},
    {"gloss", 'g', "S", "of the colour", REAL_AT(struct paint, gloss, 0.5, 2)},
    {"loud", 'l', NULL, "more words", FLAG_AT(struct paint, is_loud)},
    {"color", 'c', "C", "red or blue", CHOICE_AT(struct paint, color, RED, "red, blue"),
     GIVEN_AT(struct paint, has_color)},
    {"side", 0, "S", "left or right", CHOICE_AT(struct paint, is_left, true, "left right=0")},
    {"lower", 0, "yes-or-no", "letters", YES_NO_AT(struct paint, lower)},
    {"layer", 0, "L", "one more", SET_BY(add_layer), .value = 7},
    {"hang", 0, "WHERE", "may be repeated", TEXTS_AT(struct paint, frames, n_frames)},
    {"frame", 0, NULL, "of walls alone", FLAG_AT(struct paint, is_loud), .commands = 2},
};
static const struct option_row INNER_ROWS[] = {
    {"depth", 0, "N", "of another struct", .kind = OPTION_COUNT, .offset = 0, .least = 2,
     .most = 9},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("", ROWS)},
    {OPTION_GROUP("Inner", INNER_ROWS), .base = offsetof(struct paint, inner)},
    OPTION_GENERAL,
};

static const char *check_loud(const void *options)
{
    return ((const struct paint *)options)->seed == 13 ? "13 is no chance" : NULL;
}

static const struct option_rule RULES[] = {
    OPTION_NEEDS("width", "output", "width needs output"),
    {.check = check_loud},
    OPTION_EXCLUDES("color=red loud", "side", "red and loud have no side"),
    OPTION_EXCLUDES("color!=red", "lower=yes layer", "but red, no lower and no layer"),
    OPTION_NEEDS("depth", "TEXT", "depth is that of texts"),
    {0},
};

static const struct option_command COMMANDS[] = {
    {"doors", "[OPTION ...]\n", "Doors.\n", NULL},
    {"walls", "[OPTION ...]\n", "Walls.\n", NULL},
};

static const struct option_table TABLE = {
    OPTION_TABLE(COMMANDS, 2, GROUPS, 20),
    .rules = RULES,
    .end = "The end.",
};

/* ---- Reading words, with what goes to stdout and stderr ---- */

struct outcome {
    struct paint paint;
    struct option_reading reading;
    int exit_code, conflict; /* of reading, and of the rules after it; -1: no exit */
    char said[4096];
};

/* The words of a command line, separated by blanks. */
static struct outcome *read_words(size_t command, const char *words)
{
    static struct outcome outcome;
    static char text[256], name[] = "paint";
    static char *argv[32];
    static int argc;
    const int saved = dup(1);
    FILE *file = tmpfile();
    assert_non_null(file);
    outcome = (struct outcome){.conflict = -1};
    snprintf(text, sizeof text, "%s", words);
    argc = 0;
    argv[argc++] = name;
    for (char *word = strtok(text, " "); word && argc < 31; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    optind = 0; /* glibc starts over */
    program_begin(name, argv);
    fflush(NULL);
    dup2(fileno(file), 1);
    PROGRAM_RUN(options_read(&outcome.reading, &TABLE, command, &outcome.paint, argc, argv));
    outcome.exit_code = program_code;
    if (outcome.exit_code < 0)
        PROGRAM_RUN(options_check(&outcome.reading));
    outcome.conflict = program_code;
    fflush(NULL);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    outcome.said[fread(outcome.said, 1, sizeof outcome.said - 1, file)] = '\0';
    fclose(file);
    return &outcome;
}

static void refused(size_t command, const char *words, const char *message)
{
    const struct outcome *outcome = read_words(command, words);
    assert_int_equal(outcome->exit_code, PROGRAM_MISUSED);
    assert_string_equal(outcome->said, "");
    assert_string_equal(program_words, message);
}

static void conflicts(const char *words, const char *message)
{
    const struct outcome *outcome = read_words(0, words);
    assert_int_equal(outcome->exit_code, -1);
    assert_int_equal(outcome->conflict, message ? PROGRAM_MISUSED : -1);
    assert_string_equal(program_words, message ? message : "");
}

/* ---- Tests ---- */

TEST(values)
{
    const struct outcome *outcome =
        read_words(0, "one -o a --width=100 two --seed 18446744073709551615 -l --color blue --side "
                      "left --lower no --layer x --layer y --depth 9 -- -z");
    const struct paint *paint = &outcome->paint;
    assert_int_equal(outcome->exit_code, -1);
    /* All are read; what they break is a rule. */
    assert_string_equal(program_words, "red and loud have no side");
    assert_string_equal(paint->path, "a");
    assert_int_equal(paint->width, 100);
    assert_true(paint->seed == UINT64_MAX);
    assert_true(paint->is_loud && paint->is_left && paint->has_color);
    assert_int_equal(paint->color, BLUE);
    assert_string_equal(paint->lower, "no");
    assert_int_equal(paint->n_layers, 14);
    assert_int_equal(paint->inner.depth, 9);
    assert_int_equal(outcome->reading.n_arguments, 3);
    assert_string_equal(outcome->reading.arguments[2], "-z");
    assert_false(read_words(0, "-o a")->paint.has_color);
    assert_true(read_words(0, "-g 1.25")->paint.gloss == 1.25);
    paint = &read_words(0, "--hang a --hang b")->paint;
    assert_int_equal(paint->n_frames, 2);
    assert_string_equal(paint->frames[1], "b");
    assert_false(read_words(0, "--side left --side right")->paint.is_left);
}

/* Messages name the option as it was typed. */
TEST(wrong_values)
{
    refused(0, "-w 0", "-w takes a whole number from 1 to 100, not '0'");
    refused(0, "--wid 101", "--width takes a whole number from 1 to 100, not '101'");
    refused(0, "--depth 1", "--depth takes a whole number from 2 to 9, not '1'");
    refused(0, "--gloss 0.4", "--gloss takes a number from 0.5 to 2, not '0.4'");
    refused(0, "-g nan", "-g takes a number from 0.5 to 2, not 'nan'");
    refused(0, "-g 1x", "-g takes a number from 0.5 to 2, not '1x'");
    refused(0, "-cgreen", "-c takes one of red, blue, not 'green'");
    refused(0, "--lower maybe", "--lower takes one of yes, no, not 'maybe'");
    refused(0, "--nonsense", "unrecognized option '--nonsense'");
    refused(0, "-Z", "unrecognized option '-Z'");
    refused(0, "--wdith=3", "unrecognized option '--wdith=3'; did you mean --width?");
    refused(0, "--colour=red", "unrecognized option '--colour=red'; did you mean --color?");
    refused(0, "--xyz", "unrecognized option '--xyz'");
    refused(0, "--device=cuda",
            "'--device' is not an option here: the CPU is the device; -t N sets its threads");
    refused(0, "--top-k=3", "unrecognized option '--top-k=3'"); /* no --top here */
    refused(0, "-c bleu", "-c takes one of red, blue, not 'bleu'; did you mean 'blue'?");
    refused(0, "--loud=x", "option '--loud=x' doesn't allow an argument");
    refused(0, "-o", "option '-o' requires an argument");
    refused(0, "--hang a --hang b --hang c --hang d", "--hang can be given at most 3 times");
    refused(0, "--frame", "--frame is not an option of doors");
    assert_int_equal(read_words(1, "--frame")->exit_code, -1);
    refused(0, "--layer bad --nonsense", "--layer is bad");
}

TEST(rules)
{
    conflicts("-o a -w 3", NULL);
    conflicts("-w 3", "width needs output");
    conflicts("--seed 13", "13 is no chance");
    conflicts("--seed 12", NULL);
    conflicts("-c red --side left", "red and loud have no side");
    conflicts("-l --side right", "red and loud have no side");
    conflicts("-c blue --side left", NULL);
    conflicts("-c blue --lower yes", "but red, no lower and no layer");
    conflicts("-c blue --layer x", "but red, no lower and no layer");
    conflicts("-c red --layer x --lower yes", NULL);
    conflicts("-c blue --lower no", NULL);
    conflicts("--layer x", NULL);
    conflicts("-c blue -c red --layer x", NULL); /* the last one counts */
    conflicts("--depth 3", "depth is that of texts");
    conflicts("--depth 3 text", NULL);
    conflicts("-w 3 --depth 3", "width needs output"); /* the first conflict is reported */
}

TEST(help)
{
    static const char help[] = "Usage: paint doors [OPTION ...]\n"
                               "Doors.\n"
                               "\n"
                               "  -o, --output FILE the picture\n"
                               "  -w, --width N     pixels\n"
                               "      --seed N      of chance\n"
                               "  -g, --gloss S     of the colour\n"
                               "  -l, --loud        more words\n"
                               "  -c, --color C     red or blue\n"
                               "      --side S      left or right\n"
                               "      --lower yes-or-no\n"
                               "                    letters\n"
                               "      --layer L     one more\n"
                               "      --hang WHERE  may be repeated\n"
                               "\n"
                               "Inner\n"
                               "      --depth N     of another struct\n"
                               "\n"
                               "  -q, --quiet       print no notes on stderr, only errors\n"
                               "  -h, --help        this text\n"
                               "      --version     version and build\n"
                               "\n"
                               "The end.\n";
    const struct outcome *outcome = read_words(0, "--help");
    assert_int_equal(outcome->exit_code, PROGRAM_DONE);
    assert_string_equal(outcome->said, help);
    assert_non_null(strstr(read_words(1, "-h")->said, "\n      --frame       of walls alone\n"));
}
