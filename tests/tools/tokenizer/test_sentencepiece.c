/* Models of sentencepiece without a tokenizer.json: ids, special tokens, steps and frames as the
 * transformers package converts them (convert_slow_tokenizer.py), and damaged messages. */
#include "tests/support.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/tokenizer/tiny_pieces.h"
#include "tests/tools/tokenizer/tokenizer_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct import_tokenizer tokenizer;
static char directory[SUPPORT_PATH];

static struct tiny_bytes model;

static void put_model(const char *const *pieces, size_t n, uint8_t type, uint8_t unknown)
{
    model.len = 0;
    tiny_pieces(&model, pieces, n, type, unknown);
}

static void write_file(const char *name, const void *data, size_t len)
{
    support_write_in(directory, name, data, len);
}

static bool read_directory(void)
{
    return tokenizer_folder_read(directory, &tokenizer);
}

static void refused(const char *words)
{
    tokenizer_folder_refused(directory, &tokenizer, words);
}

static double score_of(size_t id)
{
    const struct draft_section *section = &tokenizer.draft.sections[0];
    double score;
    assert_string_equal(section->tag, "PIEC");
    memcpy(&score, (const char *)section->data + 24 + 8 * id, sizeof score);
    return score;
}

struct expected {
    const char *file, *config, *pieces[8];
    const char *words, *added, *normalizer, *single, *pair, *unknown;
    const char *newer; /* the normalizer in transformers 5 */
};

#define SPACE "\xE2\x96\x81"
#define STEPS "charsmap strip_end replace_runs:2:%20:" SPACE

static const struct expected CASES[] = {
    {"sentencepiece.bpe.model",
     "{}",
     {"<unk>", "<s>", "</s>", SPACE "a", "b"},
     "<s> <pad> </s> <unk> " SPACE "a b <mask>",
     "0 1 2 3 6:l",
     STEPS,
     "0:0 A:0 2:0",
     "0:0 A:0 2:0 2:0 B:0 2:0",
     "3",
     "charsmap"},
    {"sentencepiece.bpe.model",
     "{\"tokenizer_class\": \"CamembertTokenizer\"}",
     {"<unk>", "<s>", "</s>", "b"},
     "<s>NOTUSED <pad> </s>NOTUSED <unk> <unk>NOTUSED <s> </s> b <mask>",
     "5 1 6 3 8:l",
     STEPS,
     "5:0 A:0 6:0",
     "5:0 A:0 6:0 6:0 B:0 6:0",
     "3",
     "charsmap"},
    {"spiece.model",
     "{\"tokenizer_class\": \"T5Tokenizer\", \"extra_ids\": 2}",
     {"<pad>", "</s>", "<unk>", "b"},
     "<pad> </s> <unk> b <extra_id_1> <extra_id_0>",
     "0 1 2 4 5",
     STEPS,
     "A:0 1:0",
     "A:0 1:0 B:0 1:0",
     "2",
     "charsmap"},
    {"spiece.model",
     "{\"tokenizer_class\": \"AlbertTokenizerFast\", \"keep_accents\": true}",
     {"<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]", "5,"},
     "<pad> <unk> [CLS] [SEP] [MASK] 5,",
     "0 1 2 3 4:l",
     "replace:``:\" replace:'':\" lower charsmap replace_runs:2:%20:%20",
     "2:0 A:0 3:0",
     "2:0 A:0 3:0 B:1 3:1",
     "1",
     "replace:``:\" replace:'':\" lower charsmap"},
    {"spm.model",
     "{}",
     {"[PAD]", "[CLS]", "[SEP]", "[UNK]", "b"},
     "[PAD] [CLS] [SEP] [UNK] b [MASK]",
     "0 1 2 3:n 5",
     "strip_start strip_end charsmap replace_runs:2:%20:%20",
     "1:0 A:0 2:0",
     "1:0 A:0 2:0 B:1 2:1",
     "3",
     "replace_blanks:2:%20 replace:\n:%20 replace:\r:%20 replace:\t:%20 nfc strip_end"},
};

static size_t count(const struct expected *expected)
{
    size_t n = 0;
    while (n < 8 && expected->pieces[n] != NULL)
        n++;
    return n;
}

static const char *setting(const char *key)
{
    return draft_get(&tokenizer.draft, key);
}

/* Of DeBERTa, what 4 makes is usual, as models were trained with it. */
static void check_case(const struct expected *expected, enum reference_release as)
{
    const bool is_deberta = strcmp(expected->file, "spm.model") == 0;
    const bool is_newer = as == (is_deberta ? AS_TRANSFORMERS_5 : AS_ANY);
    char words[256] = "";
    tokenizer_folder_as = as;
    if (!read_directory())
        fail_msg("%s: %s", expected->file, program_words);
    for (size_t id = 0; id < tokenizer.draft.words.n; id++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", id > 0 ? " " : "",
                 tokenizer.draft.words.texts[id]);
    assert_int_equal(tokenizer.note[0] != '\0', as == AS_ANY);
    assert_string_equal(words, expected->words);
    assert_string_equal(setting("kind"), "unigram");
    assert_string_equal(setting("added"), expected->added);
    assert_string_equal(setting("normalizer"), is_newer ? expected->newer : expected->normalizer);
    assert_string_equal(setting("splitter"),
                        is_newer && !is_deberta ? "blanks metaspace:always" : "metaspace:always");
    assert_int_equal(strstr(tokenizer.note, "as transformers 5 does") != NULL,
                     is_newer && !is_deberta);
    assert_string_equal(setting("unknown"), expected->unknown);
    assert_string_equal(tokenizer.single, expected->single);
    assert_string_equal(tokenizer.pair, expected->pair);
    import_free();
}

TEST(families)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct expected *expected = &CASES[i];
        support_temp_dir(directory);
        put_model(expected->pieces, count(expected), 1, (uint8_t)atoi(expected->unknown));
        write_file(expected->file, model.bytes, model.len);
        write_file("tokenizer_config.json", expected->config, strlen(expected->config));
        check_case(expected, AS_TRANSFORMERS_4);
        check_case(expected, AS_ANY);
        if (expected->file[1] == 'p' && expected->file[2] == 'm')
            check_case(expected, AS_TRANSFORMERS_5);
        assert_true(read_directory());
        if (i == 0)
            assert_true(score_of(4) == -3 && score_of(5) == -4 && score_of(6) == 0);
        if (i == 3) /* a number and a comma */
            assert_true(score_of(5) == -105);
        import_free();
        support_remove_dir(directory);
    }
}

/* config.json names the family if tokenizer_config.json does not. */
TEST(model_type)
{
    support_temp_dir(directory);
    put_model(CASES[3].pieces, count(&CASES[3]), 1, 1);
    write_file("tokenizer.model", model.bytes, model.len);
    refused("'no known kind' without a tokenizer.json; expected the tokenizer_class XLMRoberta");
    write_file("config.json", "{\"model_type\": \"albert\"}", 24);
    assert_true(read_directory());
    assert_string_equal(tokenizer.single, "2:0 A:0 3:0");
    assert_true(tokenizer.lowercases);
    import_free();
    static const char *const configs[][3] = {
        {"{\"mask_token\": \"[MASK]\", \"cls_token\": \"[CLS]\"}", NULL, "0 1 2 3 4:l"},
        {"{\"additional_special_tokens\": [\"[NEW]\"]}", "the new token '[NEW]'"},
        {"{\"mask_token\": {\"content\": \"[MASK]\", \"lstrip\": false}}", NULL, "0 1 2 3 4"},
        {"{\"mask_token\": {\"content\": \"[MASK]\", \"lstrip\": true, \"normalized\": true}}",
         NULL, "0 1 2 3 4:nl"},
        {"{\"additional_special_tokens\": [\"5,\"]}", NULL, "0 1 2 3 4:l 5"},
        {"{\"truncation_side\": \"left\"}", "'truncation_side'"},
    };
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        write_file("tokenizer_config.json", configs[i][0], strlen(configs[i][0]));
        if (configs[i][1] != NULL)
            refused(configs[i][1]);
        else
            assert_true(read_directory());
        if (configs[i][2] != NULL)
            assert_string_equal(draft_get(&tokenizer.draft, "added"), configs[i][2]);
        import_free();
    }
    write_file("tokenizer_config.json", "{\"tokenizer_class\": \"LlamaTokenizer\"}", 37);
    refused("'LlamaTokenizer'");
    support_remove_dir(directory);
}

TEST(damaged)
{
    support_temp_dir(directory);
    put_model(CASES[0].pieces, count(&CASES[0]), 2, 0);
    write_file("sentencepiece.bpe.model", model.bytes, model.len);
    refused("type is 'BPE'; expected unigram");
    put_model(CASES[0].pieces, count(&CASES[0]), 1, 0);
    for (size_t len = 0; len < model.len; len++) { /* whole where a field ends */
        write_file("sentencepiece.bpe.model", model.bytes, len);
        if (read_directory())
            import_free();
        else
            assert_non_null(strstr(program_words, "sentencepiece"));
    }
    for (size_t at = 0; at < model.len; at++) {
        model.bytes[at] ^= 0x7F;
        write_file("sentencepiece.bpe.model", model.bytes, model.len);
        if (read_directory())
            import_free();
        model.bytes[at] ^= 0x7F;
    }
    put_model((const char *const[]){"<unk>", "<s>", "</s>", "\xFF"}, 4, 1, 0);
    write_file("sentencepiece.bpe.model", model.bytes, model.len);
    refused("not UTF-8");
    put_model((const char *const[]){"<unk>", "<s>", "</s>", "a", "a"}, 5, 1, 0);
    write_file("sentencepiece.bpe.model", model.bytes, model.len);
    refused("'a' is there twice");
    support_remove_dir(directory);
}
