/* tags: sizes */
/* Settings of a tokenizer: accepted, refused alone, refused together. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/suite.h"

#include <string.h>

TEST(good_settings)
{
    struct tokenizer tokenizer;
    tokenizer_defaults(&tokenizer, 0);
    assert_int_equal(tokenizer.pair.pieces[1].type, 0);
    tokenizer_defaults(&tokenizer, 2);
    assert_int_equal(tokenizer.pair.pieces[1].type, 1);
    assert_int_equal(tokenizer.unknown, -1);
    assert_int_equal(tokenizer.keras.split.len, 1);
    assert_non_null(tokenizer_check(&tokenizer, 2));
    assert_null(tokenizer_set(&tokenizer, "kind", "keras", 5));
    assert_null(tokenizer_check(&tokenizer, 2));
    assert_null(tokenizer_set(&tokenizer, "filters", "\0\xC3\xA9", 3));
    assert_int_equal(tokenizer.keras.filters.len, 3);
    assert_null(tokenizer_set(&tokenizer, "split", "12345678901234567890123456789012", 32));
    assert_int_equal(tokenizer.keras.split.len, 32);
    assert_null(tokenizer_set(&tokenizer, "num_words", "2147483647", 10));
    assert_int_equal(tokenizer.keras.num_words, 2147483647);
    assert_null(tokenizer_set(&tokenizer, "unknown", "-1", 2));
    assert_null(tokenizer_set(&tokenizer, "truncate", "yes", 3));
    assert_true(tokenizer.truncate);
    assert_null(tokenizer_set(&tokenizer, "single", " 1:0   A:2 ", 11));
    assert_int_equal(tokenizer.single.n_pieces, 2);
    assert_int_equal(tokenizer.single.n_special, 1);
    assert_int_equal(tokenizer.single.pieces[1].id, TEMPLATE_A);
    assert_int_equal(tokenizer.single.pieces[1].type, 2);
    assert_null(tokenizer_set(&tokenizer, "skip_weights", " 3  1", 5));
    assert_int_equal(tokenizer.skip_weights.n, 2);
    assert_true(id_list_has(&tokenizer.skip_weights, 1) &&
                !id_list_has(&tokenizer.skip_weights, 2));
    assert_null(tokenizer_set(&tokenizer, "skip_vectors", "", 0));
    assert_int_equal(tokenizer.skip_vectors.n, 0);
}

/* 64 ids are taken, and not one more. */
TEST(longest_list_of_ids)
{
    struct tokenizer tokenizer;
    char ids[2 * ID_LIST_MOST + 1];
    for (size_t i = 0; i <= ID_LIST_MOST; i++)
        memcpy(ids + 2 * i, "7 ", i < ID_LIST_MOST ? 2 : 1);
    tokenizer_defaults(&tokenizer, 0);
    assert_null(tokenizer_set(&tokenizer, "skip_vectors", ids, 2 * ID_LIST_MOST - 1));
    assert_int_equal(tokenizer.skip_vectors.n, ID_LIST_MOST);
    assert_non_null(tokenizer_set(&tokenizer, "skip_vectors", ids, sizeof ids));
}

/* Values with bars between them. */
TEST(refused_settings)
{
    static const char *const refused[][2] = {
        {"kind", "Keras|"},
        {"lower", "Yes|1"},
        {"char_level", "true"},
        {"truncate", ""},
        {"filters", "\xFF"},
        {"split", "|\xC3|123456789012345678901234567890123"},
        {"metaspace", "|ab|\xC3"},
        {"splitter", "metaspace:always metaspace:first"},
        {"num_words", "-1||1 |0x10|2147483648"},
        {"unknown", "-2|+1|1.0|-|none|99999999999999999999999999"},
        {"skip_weights", "1 x"},
        {"skip_vectors", "-1"},
        {"single",
         "|A|A:|A:-1|:0 A:0|A:0 A:0|A:0 B:0|1:0|B:0|-1:0 A:0|C:0 A:0|a:0|A:0,1:0|A:0\t1:0|1:0: A:0|"
         "1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 1:0 A:0"},
        {"pair", "A:0|B:0|A:0 B:0 B:1|A:0 B:2147483648|2147483648:0 A:0 B:0"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char values[200], *rest = strcpy(values, refused[i][1]);
        for (char *value; (value = strsep(&rest, "|")) != NULL; n++) {
            struct tokenizer tokenizer;
            tokenizer_defaults(&tokenizer, 2);
            const char *wrong = tokenizer_set(&tokenizer, refused[i][0], value, strlen(value));
            if (wrong == NULL || wrong == TOKENIZER_UNKNOWN_KEY)
                fail_msg("%s = '%s' was taken", refused[i][0], value);
        }
    }
    assert_int_equal(n, 48);
    struct tokenizer tokenizer;
    tokenizer_defaults(&tokenizer, 0);
    assert_ptr_equal(tokenizer_set(&tokenizer, "Lower", "yes", 3), TOKENIZER_UNKNOWN_KEY);
    assert_ptr_equal(tokenizer_set(&tokenizer, "", "", 0), TOKENIZER_UNKNOWN_KEY);
    assert_non_null(tokenizer_set(&tokenizer, "lower", "no\0", 3));
    assert_non_null(tokenizer_set(&tokenizer, "num_words", "1\0", 2));
    assert_non_null(tokenizer_set(&tokenizer, "single", "A:0\0", 4));
}

TEST(refused_wholes)
{
    struct fixture f = fixture_new(FEW_WORDS, N_FEW_WORDS, 2, SETTINGS("kind", "keras"));
    static const char *const refused[][2] = {{"unknown", "10"},
                                             {"single", "10:0 A:0"},
                                             {"pair", "A:0 B:0 10:0"},
                                             {"single", "A:2"},
                                             {"pair", "A:0 B:2"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tokenizer tokenizer = f.tokenizer;
        assert_null(tokenizer_set(&tokenizer, refused[i][0], refused[i][1], strlen(refused[i][1])));
        assert_non_null(tokenizer_check(&tokenizer, 2));
    }
    static const char *const wrong[][3] = {
        {"kind", "unigram", "the kind is unigram, but the file has no section PIEC"},
        {"kind", "bpe", "the kind is bpe, but the file has no section MERG"},
        {"pattern", "gpt2", "pattern, byte_level or first_blank is set, and the kind is not bpe"},
        {"byte_level", "yes", "pattern, byte_level or first_blank is set, and the kind is not bpe"},
        {"first_blank", "yes",
         "pattern, byte_level or first_blank is set, and the kind is not bpe"},
        {"normalizer", "charsmap",
         "the normalizer has the step charsmap, but the file has no section CMAP"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tokenizer tokenizer = f.tokenizer;
        tokenizer.unknown = 0;
        assert_null(tokenizer_set(&tokenizer, wrong[i][0], wrong[i][1], strlen(wrong[i][1])));
        assert_string_equal(tokenizer_check(&tokenizer, 2), wrong[i][2]);
    }
    assert_non_null(tokenizer_check(&f.tokenizer, 1)); /* its pair template has B:1 */
    assert_null(tokenizer_set(&f.tokenizer, "unknown", "9", 1));
    assert_null(tokenizer_check(&f.tokenizer, 2));
}
