/* Reading definitions of BPE tokenizers: what they become, what is refused by its name, and that a
 * vocab.json with a merges.txt becomes the same.
 *
 * What a tokenizer.json says of Unigram and its steps that is not so, or not known: refused, by its
 * name. Scores: as the reference reads them. */
#include "tests/support.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/tokenizer/tokenizer_folder.h"

#include <stdio.h>
#include <string.h>

static struct import_tokenizer tokenizer;

#define VOCAB                                                                                      \
    "'vocab': {'<s>': 0, '</s>': 1, '<unk>': 2, 'a': 3, 'b': 4, 'ab': 5, "                         \
    "'\\u0120': 6}"
#define MODEL        "'model': {'type': 'BPE', " VOCAB ", 'merges': ['a b']}"
#define WITH(member) "{'model': {" VOCAB ", 'merges': [['a', 'b']], " member "}}"
#define STEP(step)   "{" MODEL ", 'pre_tokenizer': " step "}"
#define LEVEL        "{'type': 'ByteLevel', 'add_prefix_space': false"
#define SPLIT(regex, behavior)                                                                     \
    "{'type': 'Split', 'pattern': {'Regex': '" regex "'}, 'behavior': '" behavior                  \
    "', 'invert': false}"
#define QWEN2                                                                                      \
    "(?i:\\u0027s|\\u0027t|\\u0027re|\\u0027ve|\\u0027m|\\u0027ll|\\u0027d)|[^\\\\r\\\\n\\\\p{L}"  \
    "\\\\p{N}]?\\\\p{L}+|\\\\p{N}| "                                                               \
    "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"
#define SEQUENCE(steps) "{'type': 'Sequence', 'pretokenizers': [" steps "]}"

TEST(taken)
{
    tokenizer_text_is(WITH("'fuse_unk': true, 'unk_token': '<unk>', 'ignore_merges': true"),
                      &tokenizer,
                      ARE("kind", "bpe", "unknown", "2", "fuse_unknown", "yes", "whole_words",
                          "yes", "prefix", "", "suffix", "", "pattern", "", "byte_level", ""));
    tokenizer_text_is(WITH("'byte_fallback': true, 'dropout': 0.0"), &tokenizer,
                      ARE("byte_fallback", ""));
    tokenizer_text_is(STEP(LEVEL "}"), &tokenizer,
                      ARE("pattern", "gpt2", "byte_level", "yes", "first_blank", "", "trim", ""));
    tokenizer_text_is(STEP("{'type': 'ByteLevel', 'use_regex': false}"), &tokenizer,
                      ARE("pattern", "", "byte_level", "yes", "first_blank", "yes"));
    tokenizer_text_is(
        STEP(SEQUENCE("{'type': 'Digits'}, " SPLIT(QWEN2, "Isolated") ", " LEVEL
                                                                      ", 'use_regex': false}")),
        &tokenizer, ARE("splitter", "digit_runs", "pattern", "qwen2", "byte_level", "yes"));
    tokenizer_text_is(
        "{" MODEL ", 'post_processor': {'type': 'Sequence', 'processors': [{'type': 'ByteLevel'}, "
        "{'type': 'BertProcessing', 'cls': ['<s>', 0], 'sep': ['</s>', 1]}]}}",
        &tokenizer, ARE("trim", "but_first"));
    tokenizer_text_is("{" MODEL
                      ", 'post_processor': {'type': 'RobertaProcessing', 'cls': ['<s>', 0], "
                      "'sep': ['</s>', 1], 'add_prefix_space': false}}",
                      &tokenizer, ARE("trim", "yes"));
    assert_string_equal(tokenizer.pair, "0:0 A:0 1:0 1:0 B:0 1:0"); /* no memory of its own */
    tokenizer_text_is("{'model': {" VOCAB ", 'merges': ['#version: 0.2', 'a b']}}", &tokenizer,
                      ARE("kind", "bpe"));
    tokenizer_text_is(WITH("'dropout': null"), &tokenizer, ARE("kind", "bpe"));
    tokenizer_text_is(STEP("{'type': 'Split', 'pattern': {'String': ' '}, 'behavior': "
                           "'MergedWithPrevious', 'invert': false}"),
                      &tokenizer, ARE("pattern", "after_blanks", "byte_level", ""));
}

TEST(refused)
{
    static const char *const cases[][2] = {
        {WITH("'dropout': 0.1"), "'dropout' is 0.1"},
        {WITH("'byte_fallback': true, 'end_of_word_suffix': '</w>'"), "'byte_fallback'"},
        {WITH("'continuing_subword_prefix': '123456789012345678901234567890123'"), "has 33 bytes"},
        {"{'model': {" VOCAB ", 'merges': ['a c']}}", "merge 0 of the model needs 'c'"},
        {"{'model': {" VOCAB ", 'merges': ['b a']}}", "merge 0 of the model needs 'ba'"},
        {"{'model': {" VOCAB ", 'merges': ['a b', 'a b c']}}", "merge 1 of the model is"},
        {"{'model': {" VOCAB ", 'merges': [['a']]}}", "merge 0 of the model is not a pair"},
        {"{'model': {" VOCAB ", 'merges': [['a', 1]]}}", "merge 0 of the model is not a pair"},
        {"{'model': {" VOCAB ", 'merges': [[1, 'a']]}}", "merge 0 of the model is not a pair"},
        {"{'model': {" VOCAB ", 'merges': ['a b'], 'continuing_subword_prefix': '##'}}",
         "merge 0 of the model has a text of 1 or 1 bytes"},
        {"{'model': {'type': 'BPE', " VOCAB "}}", "'merges' is null"},
        {STEP("{'type': 'Split', 'pattern': {'String': 'x'}, 'behavior': 'Removed'}"),
         "the pattern 'x', behavior Removed, invert false"},
        {STEP("{'type': 'Split', 'pattern': {'String': ' '}, 'behavior': 'Removed'}"),
         "the pattern ' ', behavior Removed, invert false"},
        {STEP("{'type': 'Split', 'pattern': {'String': ' '}, 'behavior': 'MergedWithPrevious', "
              "'invert': true}"),
         "behavior MergedWithPrevious, invert true"},
        {STEP("{'type': 'Split', 'behavior': 'Removed'}"), "the pattern '', behavior Removed"},
        {STEP(SEQUENCE(SPLIT(QWEN2, "Isolated") ", {'type': 'ByteLevel', 'use_regex': false}")),
         "'add_prefix_space' true after Split; expected false and false"},
        {STEP(SEQUENCE("{'type': 'Metaspace'}, {'type': 'ByteLevel'}")),
         "'add_prefix_space' true after Metaspace; expected false"},
        {STEP(SPLIT("\\\\w+", "Isolated")), "the pattern '\\w+', behavior Isolated"},
        {STEP(SPLIT(QWEN2, "Removed")), "behavior Removed, invert false"},
        {STEP(SEQUENCE(SPLIT(QWEN2, "Isolated") ", " LEVEL "}")), "'use_regex' true"},
        {STEP(SEQUENCE(LEVEL "}, {'type': 'Digits'}")), "after Split or ByteLevel is 'Digits'"},
        {STEP(SEQUENCE(LEVEL "}, " LEVEL "}")), "after Split or ByteLevel is 'ByteLevel'"},
        {"{" MODEL ", 'post_processor': {'type': 'Sequence', 'processors': [{'type': 'ByteLevel'}, "
         "{'type': 'ByteLevel'}]}}",
         "two post-processors have 'trim_offsets'"},
        {"{" MODEL ", 'post_processor': {'type': 'Sequence', 'processors': 1}}",
         "'processors' is a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tokenizer_text_refused(cases[i][0], &tokenizer, cases[i][1]);
}

/* ---- vocab.json and merges.txt ---- */

/* Writes a file into the suite's folder. */
static void put(const char *name, const char *text)
{
    tiny_write_text(support_folder(), name, text);
}

static void refused_folder(const char *words)
{
    tokenizer_folder_refused(support_folder(), &tokenizer, words);
}

static void folder_is(const char *const *settings)
{
    tokenizer_folder_is(support_folder(), &tokenizer, settings);
}

TEST(two_files)
{
    put("vocab.json", "{'<s>': 0, '</s>': 1, '<unk>': 2, 'a': 3, 'b': 4, 'ab': 5, '<mask>': 6}");
    put("tokenizer_config.json", "{'tokenizer_class': 'RobertaTokenizerFast'}");
    refused_folder("without a merges.txt");
    put("merges.txt", "#version: 0.2\na b\r\n\n");
    put("added_tokens.json", "{'new': 7}");
    folder_is(ARE("pattern", "gpt2", "trim", "yes", "mask_token", "6", "added", "0 1 2 6 7:nx"));
    assert_string_equal(tokenizer.pair, "0:0 A:0 1:0 1:0 B:0 1:0");
    put("tokenizer_config.json", "{'tokenizer_class': 'XTokenizer'}");
    refused_folder("'tokenizer_class' is 'XTokenizer'");
}

/* The special tokens, the frame and the way to split are those of the class. */
TEST(classes_of_two_files)
{
    put("merges.txt", "a b\n");
    put("added_tokens.json", "{}");
    put("vocab.json", "{'<|endoftext|>': 0, 'a': 1, 'b': 2, 'ab': 3}");
    put("tokenizer_config.json", "{}");
    refused_folder("'tokenizer_class' is 'not given' and the 'model_type' 'not given'");
    put("config.json", "{'model_type': 'gpt2'}");
    put("tokenizer_config.json", "{'add_prefix_space': true}");
    folder_is(ARE("first_blank", "yes", "trim", "", "added", "0"));

    put("vocab.json",
        "{'<|startoftext|>': 0, '<|endoftext|>': 1, 'a': 2, 'b</w>': 3, 'ab</w>': 4}");
    put("merges.txt", "a b</w>\n");
    put("tokenizer_config.json", "{'tokenizer_class': 'CLIPTokenizer'}");
    folder_is(ARE("suffix", "</w>", "unknown", "1", "normalizer", "nfc replace_blanks:1:%20 lower",
                  "pattern", "clip", "trim", ""));
    assert_non_null(strstr(tokenizer.pair, "0:0 A:0 1:0"));
}

/* tokenizer_config.json and special_tokens_map.json define tokens, in this order. */
TEST(tokens_that_files_describe)
{
    put("vocab.json", "{'<s>': 0, '</s>': 1, '<unk>': 2, 'a': 3, 'b': 4, 'ab': 5, '<mask>': 6}");
    put("merges.txt", "a b\n");
    put("added_tokens.json", "{'new': 7}");
    put("special_tokens_map.json",
        "{'mask_token': {'__type': 'AddedToken', 'content': '<mask>', 'lstrip': false}}");
    put("tokenizer_config.json",
        "{'tokenizer_class': 'RobertaTokenizer', 'add_prefix_space': true}");
    folder_is(ARE("trim", "but_first", "first_blank", "yes", "added", "0 1 2 6 7:nx"));
    put("tokenizer_config.json", "{'tokenizer_class': 'RobertaTokenizer', 'added_tokens_decoder': "
                                 "{'6': {'content': '<mask>', 'special': true, 'lstrip': true, "
                                 "'normalized': false},'0': {'content': '<s>', 'special': true}}}");
    folder_is(ARE("added", "0 6:l 1 2"));
    put("tokenizer_config.json", "{'tokenizer_class': 'RobertaTokenizer', 'added_tokens_decoder': "
                                 "{'3': {'special': true}}}");
    refused_folder("the token 3 of 'added_tokens_decoder' has no 'content'");
    put("tokenizer_config.json", "{'tokenizer_class': 'RobertaTokenizer'}");
    put("added_tokens.json", "{'old': 'x'}");
    refused_folder("the id of 'old' is not a whole number");
    put("added_tokens.json", "{}");
    put("merges.txt", "a b\n\xFF b\n");
    refused_folder("merges.txt: line 2 is not UTF-8");
}

TEST(refused_parts)
{
    static const char *const cases[][2] = {
        {"'normalizer': {'type': 'Replace', 'pattern': {'Regex': 'a|b'}, 'content': ''}",
         "regular expression of the normalizer Replace is 'a|b'; expected one of ' {2,}'"},
        {"'normalizer': {'type': 'Replace', 'pattern': {}, 'content': ''}", "'pattern'"},
        {"'normalizer': {'type': 'Replace', 'pattern': {'String': 'a'}, 'content': '123456789'}",
         "'123456789'; expected at most 8 characters"},
        {"'normalizer': {'type': 'Precompiled', 'precompiled_charsmap': 'AAA.'}", "not in base64"},
        {"'normalizer': {'type': 'Precompiled', 'precompiled_charsmap': 'BAAAAA=='}",
         "charsmap is damaged"},
        {"'pre_tokenizer': {'type': 'Metaspace', 'prepend_scheme': 'last'}", "'last'"},
        {"'pre_tokenizer': {'type': 'Metaspace', 'add_prefix_space': false}",
         "without add_prefix_space is 'always'; expected never"},
        {"'pre_tokenizer': {'type': 'Metaspace', 'replacement': 'ab'}", "'ab'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{%s, 'model': {'type': 'Unigram', 'vocab': [['a', 0]], 'unk_id': 0}}",
                 cases[i][0]);
        tokenizer_text_refused(text, &tokenizer, cases[i][1]);
    }
}

TEST(refused_models)
{
    static const char *const cases[][2] = {
        {"{'model': {'type': 'Unigram', 'vocab': {}, 'unk_id': 0}}", "'vocab' is an object"},
        {"{'model': {'type': 'Unigram', 'vocab': [['a']], 'unk_id': 0}}",
         "piece 0 is not [text, score]"},
        {"{'model': {'type': 'Unigram', 'vocab': [['a', 0], ['a', 0]], 'unk_id': 0}}",
         "'a' is there twice"},
        {"{'model': {'type': 'Unigram', 'vocab': [['<0x00>', 0]], 'unk_id': 0, 'byte_fallback': "
         "true}}",
         "tokens <0x00> ... of 1 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tokenizer_text_refused(cases[i][0], &tokenizer, cases[i][1]);
}

/* Scores as tokenizers 0.23.3 read them: one step off strtod's, but for the last three. */
TEST(scores)
{
    static const char text[] =
        "{'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['\\\"9e-301', -3.4473929405212402], "
        "['b', 9.806641173781827e-06], ['c', 9e-301], ['d', 606166853147800.70848], ['e', "
        "-3.58E+41], ['f', 1844674407370955161699.75], ['g', 0.1844674407370955161699e1], ['h', "
        "-13.5], ['i', 7], ['j', 1e-9999]]}}";
    static const double expected[] = {-0x1.b9442bfffffffp+1,
                                      0x1.490e680000001p-17,
                                      0x1.34982fc46749cp-997,
                                      0x1.13a71bfa6e4c5p+49,
                                      -0x1.07045100947d2p+138,
                                      0x1.9000000000000p+70,
                                      0x1.d83c94fb6d2adp+0,
                                      -13.5,
                                      7,
                                      0};
    double found[10];
    assert_true(tokenizer_text_read(text, &tokenizer));
    assert_string_equal(tokenizer.draft.sections[0].tag, "PIEC");
    memcpy(found, (const char *)tokenizer.draft.sections[0].data + 24, sizeof found);
    for (size_t i = 0; i < 10; i++)
        assert_true(found[i] == expected[i]);
    assert_memory_equal(tokenizer.draft.words.texts[0], "\"9e-301", 7);
}
