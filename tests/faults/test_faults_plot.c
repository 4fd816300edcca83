/* tags: no-asan long */
/* encode-plot, the numbers of each picture and one picture of each kind, with every fault. What
 * gnuplot does is not held to account, but that it is started, waited for and read. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"

#define PLOT(picture) "encode-plot " picture " -m ../toy.weights "

SET_UP()
{
    every_fault_setup();
}

TEST(numbers)
{
    static const struct fault_case cases[] = {
        {"encode-plot position -n 4 --width 6 -f data", NULL, false},
        {PLOT("attention") "-o result -f data", "ride bike\n", false},
        {PLOT("words") "-o result -f data", "i ride\nthe bike\n", false},
        {PLOT("layers") "-f data", "ride bike\n", false},
        {PLOT("order") "-o result -f data", "i ride the bike\n", false},
        {PLOT("similarity") "-f data", "i ride\nthe bike\ndog\n", false},
    };
    EVERY_FAULT(cases);
}

TEST(pictures)
{
    if (support_run((const char *const[]){"gnuplot", "--version", NULL}, NULL) != 0) {
        print_message("skipped: gnuplot is not there\n");
        skip();
    }
    static const struct fault_case cases[] = {
        {"encode-plot position -n 4 --width 6 -f svg -o result", NULL, false},
        {PLOT("attention") "-f svg -o result", "ride bike\n", false},
        {PLOT("words") "-f png -o result", "i ride\nthe 桜\n", false},
        {PLOT("similarity") "-f text", "i ride\nthe bike\ndog\n", false},
    };
    EVERY_FAULT(cases);
}
