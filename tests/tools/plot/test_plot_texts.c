/* encode-plot and texts that are written for a shell, for gnuplot, SVG or a terminal: none of them
 * is obeyed. Skipped without gnuplot. */
#include "tests/tools/plot/plot_cases.h"

#include <stdlib.h>

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
    shell_expect(0, "cp toy.weights './we`touch HACKED`ird.weights'");
    shell_expect(
        0,
        "$PLOT attention -m './we`touch HACKED`ird.weights' 'I ride' -o h.svg && test ! -e HACKED");
}

SET_UP()
{
    plot_setup();
}
