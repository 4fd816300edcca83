/* encode-plot with options that are rarely used, alone and together: what the numbers' headings and
 * the messages say. Names, sizes and outputs that are wrong are in test_plot_failures.c. */
#include "tests/tools/plot/plot_cases.h"

#include <stdlib.h>

struct use {
    const char *arguments;
    int code;
    const char *words; /* in the numbers where all went well, else in the message */
};

static void assert_uses(const struct use *uses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct shell_result *run =
            shell_expect(uses[i].code, "$PLOT %s </dev/null", uses[i].arguments);
        assert_contains(uses[i].code == 0 ? run->out : run->err, uses[i].words);
    }
}

#define ASSERT_USES(uses) assert_uses(uses, sizeof(uses) / sizeof(uses)[0])

TEST(order)
{
    static const struct use uses[] = {
        {"order --measure cosine 'a b c' -f data", 0, "1 − cosine to the sentence's vector"},
        {"order 'a b c' -f data", 0, "Euclidean distance to the sentence's vector"},
        {"order --position none 'a b c' -f data", 0, "name\twithout positions\n"},
        {"order 'a b c d' -f data", 0, "All 23 other orders"},
        {"order --permutations 3 'a b c d' -f data", 0, "# 3 other orders"},
        {"order --permutations 100 'a b c d' -f data", 0, "All 23 other orders"},
        {"order 'a b' -f data", 0, "1 other order of"},
        {"order --permutations 500 'a a a a a a a a a a a b b' -f data", 0, "77 other orders"},
        {"order 'a a a' -f data", 1, "these words have no other order"},
        {"order '' -f data", 1, "these words have no other order"},
        {"order \"$(seq 5000 | tr '\\n' ' ')\"", 1, "5000 words; at most 4096 can be permuted"},
    };
    ASSERT_USES(uses);
}

TEST(similarity)
{
    static const struct use uses[] = {
        {"similarity -f data", 2, "at least two texts; there are none"},
        {"similarity a -f data", 2, "at least two texts; there is one"},
        {"similarity a a b -f data", 0, "a\t1\t1\t"},
        {"similarity --no-special -m plain.weights i '' -f data", 0, "i\t1\t0\n"},
    };
    ASSERT_USES(uses);
    assert_contains(shell_expect(0, "seq 70 | $PLOT similarity")->out,
                    "columns from left to right: 1 … 70");
    assert_contains(shell_expect(1, "seq 2001 | $PLOT similarity -f data")->err,
                    "more than 2000 texts");
    assert_contains(
        shell_expect(0, "printf 'i\\n\\n' | $PLOT similarity -m plain.weights -f data")->err,
        "text 2 has no tokens: its cosines are 0");
    assert_contains(shell_expect(1, "$PLOT similarity -f data <&-")->err, "cannot read line 1");
    assert_contains(shell_expect(1, "$PLOT words -f data <&-")->err, "cannot read line 1");
}

TEST(words)
{
    static const struct use uses[] = {
        {"words --layer 1 'a b' -f data", 0, "after layer 1"},
        {"words --layer 5 'a b' -f data", 2, "this model has 2 layers"},
        {"words --fit each 'a b' 'b a' -f data", 0, "# B: b a"},
        {"words --embedding-scale 3 --position-scale 2 'a b' -f data", 0, "W1 = 3, W2 = 2"},
        {"words --embedding-scale sqrt 'a b' -f data", 0, "W1 = √8"},
        {"words -m none.weights --position sinusoidal 'a b' -f data", 0, "sinusoidal positions"},
        {"words -m none.weights 'a b' -f data", 0, "sinusoidal positions"},
        {"words -m none.weights --position none 'a b' -f data", 0, "table 1 of 2"},
        {"words -m none.weights --position-base 50 'a b' -f data", 0, "base 50"},
        {"words --position fourier --frequencies 0.1 'a b' -f data", 0, "frequency 0.1"},
        {"words --position fourier --frequencies 1,2,3,4,5 'a b' -f data", 1,
         "5 frequencies are given, but rows of 8 columns hold at most 4"},
        {"words -m words.alone 'a b' -f data", 1, "holds a tokenizer alone"},
        {"layers -m flat.weights 'a b' -f data", 1, "has no layers, so nothing moves its tokens"},
        {"words --link a: 'a b'", 2, "--link takes two words"},
        {"words --link :a 'a b'", 2, "--link takes two words"},
        {"words -m learned.weights --position-base 50 'a b'", 2, "here they are learned"},
    };
    ASSERT_USES(uses);
}

TEST(position)
{
    static const struct use uses[] = {
        {"position -m nowhere -f data", 1, "cannot open 'nowhere'"},
        {"position -m words.alone -f data", 1, "words.alone"},
        {"position -m none.weights -f data", 0, "Position vectors: none"},
        {"position -n 1 --kind cosine -f data", 0, "1 position, d"},
        {"position --position fourier --frequencies 0.1 -f data", 0, "frequency 0.1, 100"},
        {"position --beside index --beside binary --beside none -n 9 -f data", 0, "table 4 of 4"},
        {"position --kind waves --dims 1:2:3:4 -f data", 2, "from:below:step, not '1:2:3:4'"},
        {"position --size 100x -f svg", 2, "--size takes WIDTHxHEIGHT"},
        {"position --size 0x100 -f svg", 2, "--size takes WIDTHxHEIGHT"},
        {"position --size infx100 -f svg", 2, "--size takes WIDTHxHEIGHT"},
        {"position --size 100xinf -f svg", 2, "--size takes WIDTHxHEIGHT"},
        {"position --size 100x-5 -f svg", 2, "--size takes WIDTHxHEIGHT"},
        {"position --size 100x100cm -f svg", 2, "not '100x100cm'"},
        {"position --size 5x0.5in -f svg", 2, "not 5 x 0.5"},
        {"position --size 101x50in -f svg", 2, "not 101 x 50"},
        {"position --size 5x101in -f svg", 2, "not 5 x 101"},
        {"position --size 100x70 -f svg", 1, "leave no room for the values"},
        {"position --size 50x3in --dpi 1200 -f png", 1, "60000 pixels is too large"},
        {"position --size 3x50in --dpi 1200 -f png", 1, "60000 pixels is too large"},
        {"-h", 0, "Usage: encode-plot PICTURE"},
    };
    ASSERT_USES(uses);
}

/* They say what a plane of letters cannot show. */
TEST(links_in_text)
{
    NEEDS_GNUPLOT();
    const char *out =
        shell_expect(0,
                     "$PLOT words -m plain.weights --link i:ride --link dog:cat 'i ride dog cat'")
            ->out;
    assert_contains(out, "distance in the plane: i – ride: ");
    assert_contains(out, "distance in the plane: dog – cat: ");
}

/* A character that no font has is drawn as a box, or as a question mark where none has that; what
 * the fonts have is not known where nothing tells it. */
TEST(characters_without_a_font)
{
    static const struct {
        const char *fonts;
        bool is_told;
    } cases[] = {{"exit 1", false},
                 {":", false},
                 {"echo 20-7e", true},
                 {"echo 20-7e 25a1", true},
                 {"echo 20-ffffffff", false}};
    NEEDS_GNUPLOT();
    shell_expect(0, "mkdir -p fonts");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        shell_expect(0, "printf '#!/bin/sh\n%s\n' >fonts/fc-list && chmod +x fonts/fc-list",
                     cases[i].fonts);
        const char *err =
            shell_expect(0, "PATH=$PWD/fonts:$PATH \"$PLOT\" similarity '桜' dog -o box.png")->err;
        if (cases[i].is_told)
            assert_contains(err, "no font here has U+685C");
        else
            assert_lacks(err, "no font here");
    }
}

/* Titles are broken where a clause ends; pictures have the size that was asked for. */
TEST(sizes_and_titles)
{
    static const char *const arguments[] = {
        "attention 'i ride' --title \"$TITLE\" -o t.svg",
        "attention 'i ride' --title \"$TITLE\" --size 600x500 -o t.svg",
        "attention 'i ride' --title '' -o t.svg",
        "position --size 400x200 -o t.svg",
        "position --size 200x400 -o t.svg",
        "position --kind waves --dims 0,1 -n 1 -o t.svg",
        "position --kind distance -n 1 -o t.svg",
        "position --position index -o t.svg",
        "position --position none -o t.svg",
        "position --beside index --beside binary --beside none -n 20 -o t.svg",
        "order --permutations 30 'i ride bike dog cat' -o t.svg",
        "layers 'i ride' --size 400x300 -o t.svg",
        "words 'i ride' --size 900x400 -o t.svg",
        "similarity a a --colors RdBu -o t.svg",
        "similarity a b --colors Blues -o t.svg",
        "attention -m none.weights 'a b' -o t.svg",
    };
    NEEDS_GNUPLOT();
    setenv("TITLE",
           "A long title, which goes on: it is broken (where a clause ends) into lines, and words "
           "that are longerthanalinecanbeandthereforearecutwhereverthelineends are cut",
           1);
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        assert_contains(shell_expect(0, "$PLOT %s && tail -n 2 t.svg", arguments[i])->out,
                        "</svg>");
}

SET_UP()
{
    plot_setup();
    shell_expect(
        0, "$NEW -o none.weights --words 'a b' --width 8 --heads 1 --layers 1 --position none");
    shell_expect(0,
                 "$NEW -o learned.weights --words 'a b' --width 8 --layers 1 --position learned");
    shell_expect(0, "$NEW -o flat.weights --words 'a b' --width 8 --layers 0");
    shell_expect(0, "printf '[PAD]\\n[UNK]\\n[CLS]\\n[SEP]\\na\\nb\\n' >words.txt && "
                    "$ENCODE_BUILD/encode-import --tokenizer-only words.txt -o words.alone");
}
