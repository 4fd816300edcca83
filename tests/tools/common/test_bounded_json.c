/* tags: no-asan no-coverage */
/* Reading a JSON line is linear in its length: nested as deep as it goes, of escapes alone, of ids,
 * of bytes that are no UTF-8 and become three each.
 *
 * Guarantee: reading a line of JSON is linear in its length. */
#include "tests/model/growth.h"
#include "tests/support.h"
#include "tools/common/texts/json_input.h"
#include "tools/common/texts/reader.h"

#include <stdlib.h>
#include <string.h>

enum { LEN = 8 << 10 };

struct line {
    const char *begin, *repeated, *end;
};

/* About n bytes. */
static void read_line(void *user, size_t n)
{
    const struct line *line = user;
    const size_t len = strlen(line->repeated), n_begin = strlen(line->begin);
    char *text = malloc(n + n_begin + strlen(line->end) + 1), message[JSON_MESSAGE_BYTES];
    struct record record;
    size_t at = n_begin;
    assert_non_null(text);
    memcpy(text, line->begin, n_begin);
    for (; at + len <= n; at += len)
        memcpy(text + at, line->repeated, len);
    strcpy(text + at, line->end);
    json_input_read(text, at + strlen(line->end), &record, message);
    record_free(&record);
    free(text);
}

TEST(every_line_is_linear)
{
    static struct line lines[] = {
        {"\"", "I ride bike ", "\""}, {"\"", "\\ud83d\\udeb2", "\""}, {"\"", "\\ud800", "\""},
        {"\"", "\xFF\xE2\x82", "\""}, {"{\"ids\": [1", ", 2", "]}"},  {"", "[", ""},
        {"", "{\"a\":", ""},          {"[", "\"a\", ", "\"a\"]"},     {"", "\\", ""},
    };
    if (support_sanitized()) /* AddressSanitizer keeps what is freed, and that is not linear */
        skip();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const double found = growth(read_line, &lines[i], LEN);
        if (found > GROWTH_MOST)
            fail_msg("four times '%s' takes %.1f times the work", lines[i].repeated, found);
    }
}
