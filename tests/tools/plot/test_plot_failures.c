/* encode-plot without gnuplot, with a bad one, with outputs that cannot be written, with texts that
 * would like to be commands, out of bounds, misused. */
#include "tests/tools/plot/plot_cases.h"
#include "tests/weight_surgery.h"

#include <math.h>
#include <stdlib.h>

TEST(no_gnuplot)
{
    shell_expect(0, "rm -f e.png");
    const struct shell_result *run =
        shell_expect(1, "PATH=absent \"$PLOT\" attention 'I ride' -o e.png --data e.tsv");
    assert_contains(run->err, "gnuplot-nox");
    assert_int_equal(count_lines(run->err), 1);
    shell_expect(0, "test ! -e e.png && test -s e.tsv");
    shell_expect(0, "PATH=absent \"$PLOT\" attention 'I ride' -f data");
}

/* A gnuplot that fails, that says nothing, that stops half way, that is killed. */
TEST(bad_gnuplot)
{
    static const struct {
        const char *script, *words;
    } cases[] = {
        {"cat >/dev/null; echo 'no terminal here' >&2; exit 1", "no terminal here"},
        {"cat >/dev/null", "drew nothing"},
        {"printf '\\211PNG'; cat >/dev/null", "a part of the picture"},
        {"cat >/dev/null; kill -9 $$", "signal 9"},
        {"printf '\\211PNG\\r\\n\\032\\n'; yes x | head -c 1000; cat >/dev/null",
         "a part of the picture"},
        {"yes x | head -c 1000; cat >/dev/null", "a part of the picture"},
        {"cat >/dev/null; printf ' \\001a\\177  b\\n ' >&2; exit 1", "gnuplot failed: a b\n"},
        {"exit 0", "gnuplot"},
        {"yes x | head -c 100000 >&2; exit 3", "gnuplot failed"},
    };
    shell_expect(0, "mkdir -p fake");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        shell_expect(
            0, "rm -f e.png; cat > fake/gnuplot <<'END'\n#!/bin/sh\n%s\nEND\nchmod +x fake/gnuplot",
            cases[i].script);
        const struct shell_result *run =
            shell_expect(1, "PATH=$PWD/fake:$PATH \"$PLOT\" position -n 400 -o e.png");
        assert_contains(run->err, cases[i].words);
        shell_expect(0, "test ! -e e.png");
        if (i < 2) /* what is drawn in letters */
            assert_contains(
                shell_expect(1, "PATH=$PWD/fake:$PATH \"$PLOT\" words 'i ride' dog")->err,
                cases[i].words);
    }
    shell_expect(0, "chmod -x fake/gnuplot");
    if (shell("test -x fake/gnuplot")->code != 0)
        assert_contains(shell_expect(1, "PATH=$PWD/fake \"$PLOT\" position -o e.png")->err,
                        "cannot run gnuplot: Permission denied");
}

TEST(outputs_that_fail)
{
    NEEDS_GNUPLOT();
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' -f png -o /dev/full")->err,
                    "/dev/full");
    static const char *const formats[] = {"png", "svg", "pdf", "text", "data"};
    for (size_t i = 0; i < 5; i++)
        assert_contains(shell_expect(1, "$PLOT position -f %s -o /dev/full", formats[i])->err,
                        "'/dev/full': No space left on device");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' --data /dev/full")->err, "/dev/full");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' -f data > /dev/full")->err, "stdout");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' > /dev/full")->err, "stdout");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' -o nowhere/a.png")->err,
                    "nowhere/a.png");
    shell_expect(0, "echo old > keep.png; chmod 400 keep.png");
    if (shell("test -w keep.png")->code != 0) {
        assert_contains(shell_expect(1, "$PLOT attention 'I ride' -o keep.png")->err, "keep.png");
        assert_contains(shell_expect(0, "cat keep.png")->out, "old");
    }
    shell_expect(0, "$PLOT position -f data | head -n 1 >/dev/null; true");
}

/* Texts that a shell or gnuplot would obey stay texts, in names, titles and file names. */
TEST(hostile_texts)
{
    static const char *const texts[] = {
        "`touch HACKED`",
        "$(touch HACKED)",
        "\" ; system(\"touch HACKED\") ; \"",
        "'; !touch HACKED",
        "@x $x %d %s %n",
        "\\\"",
        "a\nEND_OF_PANEL\n!touch HACKED\n",
        "{/Bold=99 x}_^",
        "\\140touch HACKED\\140",
        "<tspan>&amp;</svg>",
        "set output 'HACKED'",
        "\xff\xfe bad",
        "\x1b]0;x\x07",
        "## \"a\tb\" #",
        "桜 naïve",
    };
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        setenv("HOSTILE", texts[i], 1);
        shell_expect(
            0, "$PLOT similarity \"$HOSTILE\" 'I ride' --title \"$HOSTILE\" -o h.svg --data h.tsv");
        shell_expect(0, "$PLOT similarity \"$HOSTILE\" 'I ride' -o \"$PWD/h.png\"");
        shell_expect(0, "$PLOT similarity \"$HOSTILE\" 'I ride'");
        shell_expect(0, "$PLOT order \"$HOSTILE ride\" -o h.pdf");
        if (shell("$PLOT words \"$HOSTILE\" ride")->code != 0) /* marks alone are no words */
            assert_contains(shell_expect(1, "$PLOT words \"$HOSTILE\" ride")->err, "no words");
        shell_expect(0, "$PLOT words \"dog $HOSTILE\" \"ride $HOSTILE\" -o h.svg");
        shell_expect(0, "test ! -e HACKED");
    }
    assert_contains(shell_expect(0, "cat h.svg")->out, "桜");
    assert_contains(shell_expect(0, "$PLOT similarity '5%% %%d %%%%' dog -f svg")->out,
                    ">5% %d %%</text>");
    shell_expect(0, "cp toy.weights './we`touch HACKED`ird.weights'");
    shell_expect(
        0,
        "$PLOT attention -m './we`touch HACKED`ird.weights' 'I ride' -o h.svg && test ! -e HACKED");
    struct table *table =
        read_table(shell_expect(0, "$PLOT similarity 'a\tb' 'c\nd' '#\"\\' -f data")->out, 0);
    assert_string_equal(table->names[0], "a\\tb");
    assert_string_equal(table->columns[1], "c\\nd");
    assert_string_equal(table->names[2], "\\043\\042\\\\");
}

TEST(few_and_many_tokens)
{
    NEEDS_GNUPLOT();
    shell_expect(0, "$PLOT attention '' -o t.png"); /* [CLS] [SEP] */
    assert_contains(shell_expect(1, "$PLOT attention -m plain.weights '' -o t.png")->err,
                    "no tokens");
    assert_contains(shell_expect(1, "$PLOT layers -m plain.weights '' -o t.png")->err, "no tokens");
    assert_contains(shell_expect(1, "$PLOT words '' -o t.png")->err, "no words");
    shell_expect(0, "$PLOT attention -m plain.weights I -o t.png");
    setenv("MANY",
           "i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride "
           "bike dog cat i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride bike "
           "dog cat i ride bike dog cat",
           1);
    shell_expect(0, "$PLOT attention -m plain.weights \"$MANY\" -o t.png && $PLOT words -m "
                    "plain.weights \"$MANY\" -o t.svg");
    shell_expect(0, "$PLOT attention -m plain.weights --pad-to 64 \"$MANY\" && $PLOT layers -m "
                    "plain.weights \"$MANY\" -o t.pdf");
    assert_contains(shell_expect(1, "$PLOT attention \"$MANY\" -o t.png")->err, "at most 16");
}

/* What would fill the memory or take hours is refused at once, with what can be asked for. */
TEST(limits)
{
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"position -n 9000 --kind distance",
         "9000 x 9000 numbers, and a picture takes at most 16777216: with -n 4096 it can be drawn"},
        {"position -n 4097 --kind cosine --width 1", "with -n 4096"},
        {"position -n 100000 --width 65536", "with -n 256"},
        {"position -n 100000 --width 65536 --kind waves", "with -n 256"},
        {"position -n 500 --kind correlation --width 65536", "500 x 65536"},
        {"position -m far.weights --beside wide.weights --width 8 -n 5000", "with -n 4096"},
        {"attention -m far.weights 'a b' --pad-to 9000", "2 x 2 x 9000 x 9000"},
    };
    shell_expect(0, "$NEW -o far.weights --words 'a b' --width 8 --heads 2 --layers 2 --max-tokens "
                    "100000 --position sinusoidal");
    shell_expect(0, "$NEW -o wide.weights --words 'a b' --width 4096 --heads 1 --layers 0 "
                    "--max-tokens 100000 --position sinusoidal");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_contains(shell_expect(2, "ulimit -t 10; $PLOT %s -f data", cases[i].arguments)->err,
                        cases[i].words);
    shell_expect(0, "$PLOT position -n 65536 --width 256 --kind waves --dims 0 --data far.tsv");
    shell_expect(0, "$PLOT attention -m far.weights 'a b' --pad-to 100 --data far.tsv");
}

TEST(wrong_use)
{
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"", "no picture is named: choose position"},
        {"-o x.png attention a", "name comes first"},
        {"heat", "unknown picture 'heat': choose position, attention"},
        {"attention </dev/null", "one text is needed"},
        {"words </dev/null", "one text is needed"},
        {"attention a b", "one text is needed"},
        {"position text", "takes no text"},
        {"words a b c", "one or two texts"},
        {"attention 'I ride' --layer 3", "layers 1 to 2"},
        {"attention 'I ride' --layer 0", "--layer"},
        {"attention 'I ride' --head 3", "heads 1 to 2"},
        {"attention 'I ride' --pad-to 2", "--pad-to 2"},
        {"attention 'I ride' --pad-to 99", "at most 16"},
        {"attention 'I ride' --rollout --head 1", "--rollout"},
        {"attention 'I ride' --pad-side left", "--pad-to"},
        {"attention 'I ride' --dims 1", "--dims is no option of attention"},
        {"position --layer 1", "--layer is no option of position"},
        {"position --dims 1,2", "--kind waves"},
        {"position --kind waves --transpose", "--transpose"},
        {"position --kind waves --dims 200", "columns"},
        {"position --kind bars", "--kind"},
        {"position --colors rainbow", "--colors"},
        {"position --position fourier --position-base 5", "--position-base"},
        {"words a --link ab", "--link"},
        {"attention 'I ride' --position-scale 2 --position none", "--position-scale"},
        {"attention 'I ride' --nonsense", "nonsense"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shell_result *run = shell("$PLOT %s", cases[i].arguments);
        if (run->code != 2)
            fail_msg("exit code %d: %s: %s", run->code, cases[i].arguments, run->err);
        assert_contains(run->err, cases[i].words);
        assert_int_equal(run->out_len, 0);
    }
    /* One message, and what helps. */
    static const char *const columns[] = {"x", "5:5", "200", "0:128"};
    for (size_t i = 0; i < 4; i++) {
        const struct shell_result *run =
            shell_expect(2, "$PLOT position --kind waves --dims %s", columns[i]);
        assert_int_equal(count_lines(run->err), 2);
    }
    static const char *const commands[] = {"position", "attention",  "words", "layers",
                                           "order",    "similarity", "steps"};
    for (size_t i = 0; i < 7; i++)
        assert_contains(shell_expect(0, "$PLOT %s --help", commands[i])->out, "--data FILE");
    assert_contains(shell_expect(0, "$PLOT --help")->out, "similarity");
    shell_expect(0, "$PLOT --version");
}

SET_UP()
{
    plot_setup();
}

/* The message names the text, and the option that made the numbers so large. */
TEST(scales_beyond_float32)
{
    shell_expect(0, "$NEW --words 'a b' --layers 1 --width 8 --heads 1 -o scales.weights");
    const struct shell_result *run =
        shell_expect(1, "$PLOT attention 'a b' -m scales.weights --embedding-scale 3e38 --position "
                        "sinusoidal --position-scale 3e38");
    assert_contains(run->err, "text 1 gives NaN or an infinity");
    assert_contains(run->err, "see --embedding-scale and --position-scale");
    assert_lacks(run->err, "input 0");
}

/* XML may not hold U+FFFE; a title that the file gives has no lines of its own, one of the user's
 * may. */
TEST(characters_that_no_picture_holds)
{
    assert_lacks(shell_expect(0, "$PLOT attention \"$(printf 'I \357\277\276 ride')\" -f svg")->out,
                 "\357\277\276");
    shell_expect(0, "$NEW --words 'a b' --layers 1 --width 8 --heads 1 --name "
                    "\"$(printf 'x\\ny\\tz')\" -o lines.weights");
    assert_contains(shell_expect(0, "$PLOT attention 'a b' -m lines.weights")->out, "x\\ny\\tz");
    assert_contains(shell_expect(0, "$PLOT attention 'I ride' --title \"$(printf 'A\\nB')\"")->out,
                    "A\nB\n");
    assert_contains(
        shell_expect(2, "$PLOT attention 'I ride' -f svg -o /dev/stdout --data - | cat; exit "
                        "${PIPESTATUS[0]}")
            ->err,
        "both go to standard output");
}

/* Numbers that are none are in no picture. */
TEST(weights_that_hold_nan)
{
    static const char *const pictures[] = {"position",     "attention 'a b'", "words 'a b' 'b a'",
                                           "layers 'a b'", "order 'a b'",     "similarity a b"};
    shell_expect(0, "$NEW --words 'a b' --layers 1 --width 8 --heads 1 --position learned "
                    "--max-tokens 8 -o nan.weights");
    put_number("nan.weights", "embedding.position.weight", 0, NAN);
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        const struct shell_result *run =
            shell_expect(1, "$PLOT %s -m nan.weights -f data", pictures[i]);
        assert_string_equal(run->out, "");
        assert_contains(run->err, "NaN or an infinity");
    }
}
