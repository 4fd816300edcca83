/* Models of sentencepiece without a tokenizer.json: ids, special tokens, steps and frames as the
 * transformers package converts them (convert_slow_tokenizer.py), and damaged messages. */
#include "tests/support.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/tiny_checkpoint.h"
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

static void write_text(const char *name, const char *text)
{
    tiny_write_text(directory, name, text);
}

static void write_model(const char *name)
{
    support_write_in(directory, name, model.bytes, model.len);
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
     "{'tokenizer_class': 'CamembertTokenizer'}",
     {"<unk>", "<s>", "</s>", "b"},
     "<s>NOTUSED <pad> </s>NOTUSED <unk> <unk>NOTUSED <s> </s> b <mask>",
     "5 1 6 3 8:l",
     STEPS,
     "5:0 A:0 6:0",
     "5:0 A:0 6:0 6:0 B:0 6:0",
     "3",
     "charsmap"},
    {"spiece.model",
     "{'tokenizer_class': 'T5Tokenizer', 'extra_ids': 2}",
     {"<pad>", "</s>", "<unk>", "b"},
     "<pad> </s> <unk> b <extra_id_1> <extra_id_0>",
     "0 1 2 4 5",
     STEPS,
     "A:0 1:0",
     "A:0 1:0 B:0 1:0",
     "2",
     "charsmap"},
    {"spiece.model",
     "{'tokenizer_class': 'AlbertTokenizerFast', 'keep_accents': true}",
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

/* Of DeBERTa, what 4 makes is usual, as models were trained with it. */
static void check_case(const struct expected *expected, enum reference_release as)
{
    const bool is_deberta = strcmp(expected->file, "spm.model") == 0;
    const bool is_newer = as == (is_deberta ? AS_TRANSFORMERS_5 : AS_ANY);
    char words[256] = "";
    tokenizer_folder_as = as;
    tokenizer_folder_is(
        directory, &tokenizer,
        ARE("kind", "unigram", "added", expected->added, "unknown", expected->unknown, "normalizer",
            is_newer ? expected->newer : expected->normalizer, "splitter",
            is_newer && !is_deberta ? "blanks metaspace:always" : "metaspace:always"));
    for (size_t id = 0; id < tokenizer.draft.words.n; id++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", id > 0 ? " " : "",
                 tokenizer.draft.words.texts[id]);
    assert_int_equal(tokenizer.note[0] != '\0', as == AS_ANY);
    assert_string_equal(words, expected->words);
    assert_int_equal(strstr(tokenizer.note, "as transformers 5 does") != NULL,
                     is_newer && !is_deberta);
    assert_string_equal(tokenizer.single, expected->single);
    assert_string_equal(tokenizer.pair, expected->pair);
}

TEST(families)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct expected *expected = &CASES[i];
        support_temp_dir(directory);
        put_model(expected->pieces, count(expected), 1, (uint8_t)atoi(expected->unknown));
        write_model(expected->file);
        write_text("tokenizer_config.json", expected->config);
        check_case(expected, AS_TRANSFORMERS_4);
        check_case(expected, AS_ANY);
        if (expected->file[1] == 'p' && expected->file[2] == 'm')
            check_case(expected, AS_TRANSFORMERS_5);
        assert_true(read_directory());
        if (i == 0)
            assert_true(score_of(4) == -3 && score_of(5) == -4 && score_of(6) == 0);
        if (i == 3) /* a number and a comma */
            assert_true(score_of(5) == -105);
        support_remove_dir(directory);
    }
}

/* config.json names the family if tokenizer_config.json does not. */
TEST(model_type)
{
    support_temp_dir(directory);
    put_model(CASES[3].pieces, count(&CASES[3]), 1, 1);
    write_model("tokenizer.model");
    refused("'no known kind' without a tokenizer.json; expected the tokenizer_class XLMRoberta");
    write_text("config.json", "{'model_type': 'yoso'}"); /* whose tokenizer is ALBERT's */
    assert_true(read_directory());
    import_free();
    write_text("config.json", "{'model_type': 'albert'}");
    assert_true(read_directory());
    assert_string_equal(tokenizer.single, "2:0 A:0 3:0");
    assert_true(tokenizer.lowercases);
    static const char *const configs[][2] = {
        {"{'mask_token': '[MASK]', 'cls_token': '[CLS]'}", "0 1 2 3 4:l"},
        {"{'mask_token': {'content': '[MASK]', 'lstrip': false}}", "0 1 2 3 4"},
        {"{'mask_token': {'content': '[MASK]', 'lstrip': true, 'normalized': true}}",
         "0 1 2 3 4:nl"},
        {"{'additional_special_tokens': ['5,']}", "0 1 2 3 4:l 5"},
    };
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        write_text("tokenizer_config.json", configs[i][0]);
        tokenizer_folder_is(directory, &tokenizer, ARE("added", configs[i][1]));
    }
    write_text("tokenizer_config.json", "{'additional_special_tokens': ['[NEW]']}");
    refused("the new token '[NEW]'");
    write_text("tokenizer_config.json", "{'truncation_side': 'left'}");
    refused("'truncation_side'");
    write_text("tokenizer_config.json", "{'tokenizer_class': 'LlamaTokenizer'}");
    refused("'LlamaTokenizer'");
    support_remove_dir(directory);
}

TEST(damaged)
{
    support_temp_dir(directory);
    put_model(CASES[0].pieces, count(&CASES[0]), 2, 0);
    write_model("sentencepiece.bpe.model");
    refused("type is 'BPE'; expected unigram");
    put_model(CASES[0].pieces, count(&CASES[0]), 1, 0);
    for (size_t len = 0; len < model.len; len++) { /* whole where a field ends */
        support_write_in(directory, "sentencepiece.bpe.model", model.bytes, len);
        if (!read_directory())
            assert_non_null(strstr(program_words, "sentencepiece"));
    }
    for (size_t at = 0; at < model.len; at++) {
        model.bytes[at] ^= 0x7F;
        write_model("sentencepiece.bpe.model");
        read_directory();
        model.bytes[at] ^= 0x7F;
    }
    put_model((const char *const[]){"<unk>", "<s>", "</s>", "\xFF"}, 4, 1, 0);
    write_model("sentencepiece.bpe.model");
    refused("not UTF-8");
    put_model((const char *const[]){"<unk>", "<s>", "</s>", "a", "a"}, 5, 1, 0);
    write_model("sentencepiece.bpe.model");
    refused("'a' is there twice");
    support_remove_dir(directory);
}
