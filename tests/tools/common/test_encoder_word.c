/* Tokens as a text shows them: encoder_word() of byte-level BPE, whose tokens have visible
 * characters for bytes. */
#include "tests/support.h"
#include "tests/tools/shell.h"
#include "tools/common/texts/item.h"

#include <stdio.h>
#include <string.h>

static const char TOKENIZER[] =
    "{\"version\": \"1.0\", \"added_tokens\": [], \"normalizer\": null, \"post_processor\": null,"
    "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false},"
    "\"decoder\": {\"type\": \"ByteLevel\"}, \"model\": {\"type\": \"BPE\", \"merges\": [],"
    "\"vocab\": {\"\u0120False\": 0, \"\u0120na\u00c3\u00afve\": 1, \"\u0120\": 2, \"\u00c3\": 3,"
    "\"a\u0120b\": 4, \"\u010a\": 5, \"\u00c2\u0143\": 6, \"\u00c2\u0121\": 7}}}";

TEST(words_of_bytes)
{
    static const char *const expected[] = {
        "False", "na\u00efve", "\u0120", "\u00c3",
        "a b",   "\n",         "\u00ad", "\u00c2\u0121"}; /* the last is no whole character */
    char path[SUPPORT_PATH], word[ENCODER_WORD_BYTES];
    struct text_encoder encoder = {.info = ENGINE_INFO()};
    support_path(path, support_folder(), "tokenizer.json");
    support_write_text(path, TOKENIZER);
    shell_expect(0, "$IMPORT --tokenizer-only %s -o bytes.weights", path);
    support_path(path, support_folder(), "bytes.weights");
    encoder.model = support_open(path);
    assert_int_equal(engine_model_info(encoder.model, &encoder.info, NULL), ENGINE_OK);
    for (int32_t id = 0; id < 8; id++) {
        size_t len;
        const char *text = encoder_word(&encoder, id, word, &len);
        if (len != strlen(expected[id]) || memcmp(text, expected[id], len) != 0)
            fail_msg("token %d is '%.*s', expected '%s'", (int)id, (int)len, text, expected[id]);
    }
}

SET_UP()
{
    shell_set_program("IMPORT", "encode-import");
    shell_setup();
}
