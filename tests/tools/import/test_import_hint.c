/* A checkpoint, a part of one, or another model file where a weight file is expected: the message
 * has the command that makes one, and that command does. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/shell.h"

#include <stdio.h>
#include <string.h>

SET_UP()
{
    shell_set_program("PLOT", "encode-plot");
    shell_set_program("BENCH", "encode-bench");
    import_setup();
    tiny_checkpoint("tiny");
    tiny_checkpoint("my model");
    shell_expect(0, "cp tiny/vocab.txt alone.txt; mkdir -p words empty; cp tiny/vocab.txt words; "
                    "printf 'GGUF\\3' >x.gguf; printf 'cat 1 2\\ndog 2 1\\n' >two.vec; "
                    "cp tiny/model.safetensors lone.safetensors; cp tiny/vocab.txt tiny.bin; "
                    "cp tiny/config.json lines.txt");
}

/* Returns the part of the message after "; ". */
static const char *hint(const char *path)
{
    static char text[1024];
    const char *err = shell_expect(1, "$ENCODE -m \"%s\" cat", path)->err;
    const char *from = strstr(err, "; ");
    snprintf(text, sizeof text, "%.*s", from ? (int)strcspn(from + 2, "\n") : 0,
             from ? from + 2 : "");
    return text;
}

TEST(commands_that_make_a_weight_file)
{
    static const struct {
        const char *path, *command, *file;
    } cases[] = {
        {"tiny", "encode-import tiny -o tiny.weights", "tiny.weights"},
        {"./tiny/", "encode-import ./tiny/ -o tiny.weights", "tiny.weights"},
        {"tiny/model.safetensors", "encode-import tiny -o tiny.weights", "tiny.weights"},
        {"tiny/config.json", "encode-import tiny -o tiny.weights", "tiny.weights"},
        {"tiny/vocab.txt", "encode-import tiny -o tiny.weights", "tiny.weights"},
        {"my model", "encode-import 'my model' -o 'my model.weights'", "my model.weights"},
        {"words/vocab.txt", "encode-import --tokenizer-only words/vocab.txt -o vocab.weights",
         "vocab.weights"},
        {"two.vec", "encode-import --vectors two.vec -o two.weights", "two.weights"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "to make one: %s", cases[i].command);
        assert_string_equal(hint(cases[i].path), expected);
        shell_expect(0, "rm -f '%s'; $IMPORT%s", cases[i].file, strchr(cases[i].command, ' '));
        shell_expect(0, "$ENCODE -m '%s' --tokens cat", cases[i].file);
    }
    /* From within the folder the name is the folder's. */
    assert_contains(shell_expect(1, "cd 'my model' && $ENCODE -m model.safetensors cat")->err,
                    "; to make one: encode-import . -o 'my model.weights'\n");
}

TEST(what_is_no_checkpoint)
{
    static const char no_checkpoint[] =
        "a checkpoint is a folder with config.json, which is not in ";
    char expected[256];
    snprintf(expected, sizeof expected,
             "%sempty: encode-fetch ORG/MODEL fetches one, encode-import DIR -o FILE reads it",
             no_checkpoint);
    assert_string_equal(hint("empty"), expected);
    snprintf(expected, sizeof expected, "%s.", no_checkpoint);
    assert_string_equal(hint("lone.safetensors"), expected);
    assert_string_equal(hint("tiny.bin"), expected);
    assert_contains(hint("x.gguf"), "GGUF is not read: take the checkpoint that it was made of");
    assert_string_equal(hint("lines.txt"), ""); /* nothing is known of it */
    assert_string_equal(hint("absent.safetensors"),
                        "encode-fetch ORG/MODEL fetches a model and imports it");
}

/* Every program says it, and so does a path that comes from the environment. */
TEST(programs_that_open_models)
{
    static const char *const commands[] = {
        "$ENCODE -m tiny cat",
        "ENCODE_MODEL=tiny $ENCODE cat",
        "$INSPECT tiny",
        "$PLOT attention -m tiny -o p.svg cat",
        "$PLOT position -m tiny -o p.svg",
        "$BENCH -m tiny",
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        assert_contains(shell_expect(1, "%s", commands[i])->err,
                        "; to make one: encode-import tiny -o tiny.weights\n");
}
