/* Every task in every format: what comes is in that format, or the command line is refused with a
 * message. So no format that is added can become another one in silence. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/shell.h"

#include <string.h>

SET_UP()
{
    shell_setup();
    head_models_write();
}

static const char *const TASKS[] = {
    "-m bare.emb dog cat",
    "-m bare.emb -p mean dog cat",
    "-m bare.emb --tokens --pad-to 4 dog cat",
    "-m bare.emb --show-mask dog cat",
    "-m sequence.head --labels good bad",
    "-m token.head --labels paul rome",
    "-m token.head --entities paul rome",
    "-m mask.head --fill 'dog [MASK]' '[MASK] cat'",
    "-m pair.head --rank rome dog cat",
    "-m bare.emb --similarity dog cat",
    "-m bare.emb --compare dog cat",
    "-m lexical.emb -p sparse dog cat",
    "-m lexical.emb -p colbert dog cat",
};
enum { N_TASKS = sizeof TASKS / sizeof TASKS[0] };

/* The tasks that refuse a format, as bits. */
static const struct {
    const char *name;
    unsigned refused;
} FORMATS[] = {
    {"text", 0},     {"json", 0}, {"csv", 1u << 3 | 1u << 10}, /* --show-mask, --compare */
    {"npy", 0x7F8},                                            /* all but vectors and tokens */
    {"npz", 0x17FF},                                           /* all but sparse weights */
    {"ids", 0x1FFA},                                           /* all but tokens */
};

static void assert_format(const char *format, const char *out)
{
    if (strcmp(format, "text") == 0)
        assert_non_null(strstr(out, ": no layers, width "));
    else if (strcmp(format, "csv") == 0)
        assert_true(strstr(out, "\r\n") && strcspn(out, ",") < strcspn(out, "\r\n"));
    else if (strcmp(format, "ids") == 0)
        assert_true(out[0] >= '0' && out[0] <= '9' && strspn(out, "0123456789 \n") == strlen(out));
    else if (strcmp(format, "npz") == 0)
        assert_memory_equal(out, "PK\3\4", 4);
    else if (strcmp(format, "npy") == 0)
        assert_memory_equal(out, "\x93NUMPY", 6);
    else
        assert_true(out[0] == '{' && strstr(out, "}\n"));
}

TEST(every_task_in_every_format)
{
    for (size_t f = 0; f < sizeof FORMATS / sizeof FORMATS[0]; f++)
        for (size_t t = 0; t < N_TASKS; t++) {
            const struct shell_result *result =
                shell("$ENCODE -f %s %s", FORMATS[f].name, TASKS[t]);
            bool is_refused = FORMATS[f].refused >> t & 1;
            assert_int_equal(result->code, is_refused ? 2 : 0);
            if (is_refused) {
                assert_int_equal(result->out_len, 0);
                assert_contains(result->err, "encode: ");
            } else {
                assert_format(FORMATS[f].name, result->out);
            }
        }
}

/* The formats above are all there are. */
TEST(formats_are_those_of_the_help)
{
    assert_contains(shell_expect(2, "$ENCODE -f none dog")->err,
                    "-f takes one of text, json, csv, npy, npz, ids, not 'none'\n");
}
