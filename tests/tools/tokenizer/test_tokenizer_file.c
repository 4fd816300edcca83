/* Reading definitions of tokenizers: what they become, and what is refused by its name. What the
 * tokenizers then do is tested in tests/model/. */
#include "tests/support.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/tokenizer/tokenizer_folder.h"
#include "tools/import/tokenizer/tokenizer_file.h"
#include "tools/writer/weight_writer.h"

#include <stdio.h>
#include <string.h>

static struct import_tokenizer tokenizer;

/* ---- tokenizer.json ---- */

#define VOCAB "'vocab': {'[UNK]': 0, '[CLS]': 1, '[SEP]': 2, '[MASK]': 3, '##a': 5}"
#define MODEL "'model': {'type': 'WordPiece', 'unk_token': '[UNK]', " VOCAB "}"

TEST(whole)
{
    tokenizer_text_is(
        "{'version': '1.0', 'truncation': {'max_length': 3}, 'padding': {'strategy': {'Fixed': "
        "9}},'added_tokens': [{'id': 4, 'content': '##a', 'normalized': true, 'lstrip': "
        "true},{'id': 1, 'content': '[CLS]', 'special': true, 'normalized': false}, {'id': 5, "
        "'content': 'new', 'single_word': true, 'rstrip': true, 'normalized': "
        "false}],'normalizer': {'type': 'BertNormalizer', 'lowercase': true, 'strip_accents': "
        "null},'pre_tokenizer': {'type': 'BertPreTokenizer'},'post_processor': {'type': "
        "'BertProcessing', 'cls': ['[CLS]', 1], 'sep': ['[SEP]', 2]},'decoder': {'type': "
        "'Anything'}, 'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, "
        "'[CLS]': 1, '[SEP]': 2, '[MASK]': 3, '##a': 4}}}",
        &tokenizer,
        ARE("kind", "wordpiece", "normalizer", "clean space_cjk nfd drop_nonspacing lower",
            "splitter", "blanks punctuation", "prefix", "##", "max_word", "100", "unknown", "0",
            "mask_token", "3", "added", "1 4:nl 5:rwx"));
    assert_string_equal(tokenizer.single, "1:0 A:0 2:0");
    assert_string_equal(tokenizer.pair, "1:0 A:0 2:0 B:1 2:1");
    assert_int_equal(tokenizer.draft.words.n, 6);
    assert_string_equal(tokenizer.draft.words.texts[5], "new");
    assert_true(tokenizer.lowercases && tokenizer.draft.unknown == 0 && tokenizer.max_length == 0);
}

TEST(switches)
{
    static const struct {
        const char *part, *normalizer, *splitter;
    } cases[] = {
        {"'normalizer': null", "", ""},
        {"'normalizer': {'type': 'BertNormalizer', 'clean_text': false, 'handle_chinese_chars': "
         "false, 'strip_accents': true, 'lowercase': false}",
         "nfd drop_nonspacing", ""},
        {"'normalizer': {'type': 'BertNormalizer', 'strip_accents': false, 'lowercase': true}",
         "clean space_cjk lower", ""},
        {"'normalizer': {'type': 'Sequence', 'normalizers': [{'type': 'NFKC'}, {'type': "
         "'Sequence', 'normalizers': [{'type': 'Strip', 'strip_left': false}, {'type': "
         "'StripAccents'}]}]}",
         "nfkc strip_end drop_marks", ""},
        {"'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [{'type': 'WhitespaceSplit'}, "
         "{'type': 'Punctuation'}, {'type': 'Digits', 'individual_digits': true}]}",
         "", "blanks punctuation digits"},
        {"'pre_tokenizer': {'type': 'Whitespace'}", "", "blanks word_runs"},
        {"'pre_tokenizer': {'type': 'Digits'}", "", "digit_runs"},
        {"'pre_tokenizer': {'type': 'Punctuation', 'behavior': 'Removed'}", "",
         "punctuation_dropped"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8192];
        snprintf(text, sizeof text, "{%s, " MODEL "}", cases[i].part);
        tokenizer_text_is(text, &tokenizer,
                          ARE("normalizer", cases[i].normalizer, "splitter", cases[i].splitter));
        assert_string_equal(tokenizer.single, "");
    }
    tokenizer_text_is("{'model': {'vocab': {'u': 0}, 'unk_token': 'u'}}", &tokenizer,
                      ARE("kind", "words")); /* an old file */
}

TEST(refused_parts)
{
#define FOUR(text)    text text text text
#define SIXTEEN(text) FOUR(text) FOUR(text) FOUR(text) FOUR(text)
#define NESTED        "{'type': 'Sequence', 'normalizers': ["
#define SEQUENCE(id)  "{'Sequence': {'id': '" id "', 'type_id': 0}}"
#define SPECIAL(id)   "{'SpecialToken': {'id': '" id "', 'type_id': 0}}"
#define TEMPLATE(single)                                                                           \
    "'post_processor': {'type': 'TemplateProcessing', 'special_tokens': {'[CLS]': "                \
    "{'ids': [1]}, 'text': {'ids': '1'}, 'far': {'ids': [99]}, 'hole': {'ids': "                   \
    "[4]}, 'half': {'ids': [0.5]}}, 'single': " single "}"
    static const char *const cases[][2] = {
        {"'normalizer': {'type': 'Precompiled'}", "charsmap is damaged"},
        {"'normalizer': {'type': 'Sequence', 'normalizers': [{'type': 'Replace'}]}", "'Replace'"},
        {"'normalizer': {'type': 'Replace', 'pattern': {'String': ''}, 'content': 'x'}",
         "'Replace'"},
        {"'normalizer': {'type': 'Sequence'}", "normalizers"},
        {"'normalizer': {}", "without a type"},
        {"'normalizer': 'NFD'", "a string"},
        {"'normalizer': {'type': 'BertNormalizer', 'lowercase': 1}", "lowercase"},
        {"'pre_tokenizer': {'type': 'ByteLevel'}", "ByteLevel requires the model BPE"},
        {"'pre_tokenizer': {'type': 'Punctuation', 'behavior': 'MergedWithNext'}",
         "MergedWithNext"},
        {"'post_processor': {'type': 'RobertaProcessing'}", "the post-processor's 'cls' is none"},
        {"'post_processor': {'type': 'BertProcessing', 'cls': ['x', 99], 'sep': ['y', 1]}",
         "'cls'"},
        {"'post_processor': {'type': 'TemplateProcessing', 'single': [], 'pair': []}", "'single'"},
        {"'post_processor': {'type': 'TemplateProcessing', 'single': [{'SpecialToken': {'id': 'x', "
         "'type_id': 0}}]}",
         "'x'"},
        {TEMPLATE("5"), "'single'"},
        {TEMPLATE("[{}]"), "'single'"},
        {TEMPLATE("[" SEQUENCE("C") "]"), "'single'"},
        {TEMPLATE("[" SEQUENCE("B") "]"), "'single'"},
        {TEMPLATE("[" SEQUENCE("A") ", " SEQUENCE("B") "]"), "'single'"},
        {TEMPLATE("[" SEQUENCE("A") ", " SEQUENCE("A") "]"), "'single'"},
        {TEMPLATE("[" SIXTEEN(SPECIAL("[CLS]") ", ") SEQUENCE("A") "]"), "at most 16 pieces"},
        {TEMPLATE("[" SIXTEEN(SPECIAL("[CLS]") ", ") SPECIAL("[CLS]") ", " SEQUENCE("A") "]"),
         "at most 16 pieces"},
        {TEMPLATE("[" SPECIAL("text") "]"), "'text'; expected a token of its"},
        {TEMPLATE("[" SPECIAL("far") "]"), "'far' has an id that is not in"},
        {TEMPLATE("[" SPECIAL("hole") "]"), "'hole' has an id that is not in"},
        {TEMPLATE("[" SPECIAL("half") "]"), "'half' has an id that is not in"},
        {"'post_processor': {'type': 'BertProcessing', 'cls': ['x']}", "'cls'"},
        {"'added_tokens': [5]", "an added token is a number; expected an object"},
        {"'normalizer': {'type': 'Sequence', 'normalizers': {}}",
         "'normalizers' is an object; expected an array"},
        {"'normalizer': " SIXTEEN(NESTED) "{'type': 'NFC'}" SIXTEEN("]}"),
         "Sequences inside one another; expected at most 8"},
        {"'normalizer': {'type': 'Sequence', 'normalizers': [" FOUR(
             SIXTEEN("{'type': 'NFC'}, ")) "{'type': 'NFC'}]}",
         "have 65 steps; expected at most 64"},
        {"'added_tokens': {}", "added_tokens"},
        {"'added_tokens': [{'id': 9, 'content': 'new'}]", "'new' has the id 9; expected 5"},
        {"'added_tokens': [{'id': 2, 'content': '[CLS]'}]", "'[CLS]' has the id 2; expected 1"},
        /* An id that versions of the reference count otherwise, since the model's have a gap. */
        {"'added_tokens': [{'id': 5, 'content': '##a'}, {'id': 6, 'content': 'new'}]",
         "'new' has the id 6; expected 5"},
        {"'added_tokens': [{'id': 1, 'content': '[CLS]'}, {'id': 1, 'content': '[CLS]', 'lstrip': "
         "true}]",
         "'[CLS]' is there twice, with other switches"},
        {"'post_processor': {'type': 'ByteLevel'}", "'trim_offsets' is true; expected false"},
        {"'added_tokens': [{'content': 'new'}]", "'id'"},
        {"'added_tokens': [{'id': 6}]", "content"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "{%s, " MODEL "}", cases[i][0]);
        tokenizer_text_refused(text, &tokenizer, cases[i][1]);
    }
}

/* Rare ways of writing what is taken. */
TEST(taken_parts)
{
    static const char *const cases[] = {
        ("'post_processor': {'type': 'Sequence', 'processors': [{'type': 'BertProcessing', 'cls': "
         "['[CLS]', 1], 'sep': ['[SEP]', 2]}]}"),
        "'added_tokens': [{'id': 7, 'content': ''}]", /* which the reference ignores */
        "'normalizer': {'type': 'NFC'}, 'pre_tokenizer': null",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "{%s, " MODEL "}", cases[i]);
        tokenizer_text_is(text, &tokenizer, ARE("added", ""));
        assert_string_equal(tokenizer.single, i == 0 ? "1:0 A:0 2:0" : "");
    }
    tokenizer_text_is("{'model': {'vocab': {'u': 0, '': 1}, 'unk_token': 'u', "
                      "'max_input_chars_per_word': 50}}",
                      &tokenizer, ARE("kind", "wordpiece")); /* old: its kind is guessed */
    assert_int_equal(tokenizer.draft.words.n, 1);            /* no text becomes the empty token */
}

TEST(refused_models)
{
    static const char *const cases[][2] = {
        {"{}", "model"},
        {"{'model': {'type': 'Unigram', 'vocab': []}}", "'unk_id'"},
        {"{'model': {'merges': {}, 'vocab': {}}}", "'merges' is an object"},
        {"{'model': {'vocab': [['a', 0]]}}", "'unk_id'"},
        {"{'model': {'type': 'WordLevel', 'vocab': ['a']}}", "'vocab' is an array"},
        {"{'model': {'type': 'WordLevel'}}", "'vocab' is null"},
        {"{'model': {'type': 'WordLevel', 'vocab': {'a': 0}}}", "unk_token"},
        {"{'model': {'type': 'WordLevel', 'vocab': {'a': 0}, 'unk_token': 'b'}}", "'b'"},
        {"{'model': {'type': 'WordLevel', 'vocab': {'a': 0, 'b': 0}, 'unk_token': 'b'}}",
         "two tokens have the id 0"},
        {"{'model': {'type': 'WordLevel', 'vocab': {'a': 4194304}, 'unk_token': 'a'}}", "4194304"},
        {"{'model': {'type': 'WordLevel', 'vocab': {'a': 1e300}, 'unk_token': 'a'}}",
         "whole number"},
        {"{'model': {'type': 'WordLevel', 'vocab': {'a': 0.5}, 'unk_token': 'a'}}", "whole number"},
        {"{'model': {'type': 'WordPiece', 'vocab': {'a': 0}, 'unk_token': 'a', "
         "'max_input_chars_per_word': 20000}}",
         "max_input_chars_per_word"},
        {"{'model': {'type': 'WordPiece', 'vocab': {'a': 0}, 'unk_token': 'a', "
         "'continuing_subword_prefix': '123456789012345678901234567890123'}}",
         "continuing_subword_prefix"},
        {"[]", "object"},
        {"{'model'", "not JSON"},
    };
    char deep[20000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tokenizer_text_refused(cases[i][0], &tokenizer, cases[i][1]);
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    tokenizer_text_refused(deep, &tokenizer, "");
}

/* ---- vocab.txt ---- */

static char directory[SUPPORT_PATH];

static void write_file(const char *name, const char *text)
{
    tiny_write_text(directory, name, text);
}

static void remove_file(const char *name)
{
    char path[SUPPORT_PATH];
    support_path(path, directory, name);
    assert_int_equal(remove(path), 0);
}

static void directory_is(const char *const *settings)
{
    tokenizer_folder_is(directory, &tokenizer, settings);
}

static void refused_directory(const char *words)
{
    tokenizer_folder_refused(directory, &tokenizer, words);
}

TEST(vocabulary_file)
{
    support_temp_dir(directory);
    refused_directory("vocab.txt");
    write_file("vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n\r\nthe\r\n##ing");
    /* Added tokens are in the order of the class. */
    directory_is(ARE("normalizer", "clean space_cjk nfd drop_nonspacing lower", "added", "1 3 0 2",
                     "mask_token", ""));
    assert_int_equal(tokenizer.draft.words.n, 7);
    assert_string_equal(tokenizer.draft.words.texts[6], "##ing");
    assert_null(tokenizer.draft.words.texts[4]);
    assert_string_equal(tokenizer.pair, "2:0 A:0 3:0 B:1 3:1");

    write_file("tokenizer_config.json",
               "{'do_lower_case': false, 'model_max_length': 512, 'tokenizer_class': "
               "'BertTokenizerFast', 'mask_token': {'content': 'the'}}");
    directory_is(ARE("normalizer", "clean space_cjk", "mask_token", "5"));
    assert_true(tokenizer.max_length == 512 && !tokenizer.lowercases);

    write_file("tokenizer_config.json", "{'strip_accents': true, 'tokenize_chinese_chars': false, "
                                        "'do_lower_case': false, 'model_max_length': 1e30}");
    write_file("special_tokens_map.json", "{'unk_token': 'the'}");
    directory_is(ARE("normalizer", "clean nfd drop_nonspacing", "unknown", "5"));
    assert_int_equal(tokenizer.max_length, 0);
    write_file("special_tokens_map.json", "{'cls_token': 'nowhere'}");
    directory_is(ARE("kind", "wordpiece"));
    assert_string_equal(tokenizer.single, "7:0 A:0 3:0");
    remove_file("special_tokens_map.json");

    write_file("tokenizer_config.json", "{'tokenizer_class': 'BertJapaneseTokenizer'}");
    refused_directory("BertJapaneseTokenizer");
    write_file("tokenizer_config.json", "{'tokenizer_class': 'BartTokenizerS'}"); /* as long */
    refused_directory("BartTokenizerS");
    write_file("tokenizer_config.json", "{'tokenizer_class': 'Fast'}");
    refused_directory("Fast");
    write_file("tokenizer_config.json", "{'do_basic_tokenize': false}");
    refused_directory("do_basic_tokenize");
    write_file("tokenizer_config.json", "{'never_split': ['a']}");
    refused_directory("never_split");
    write_file("tokenizer_config.json", "{'additional_special_tokens': ['[E]']}");
    directory_is(ARE("added", "1 3 0 2 7:x 8:x")); /* [MASK] is 7 */
    write_file("tokenizer_config.json",
               "{'added_tokens_decoder': {'9': {'content': '[E]'}, '3': {'content': '[SEP]', "
               "'rstrip': true, 'special': true}}, 'mask_token': {'content': 'the', 'lstrip': "
               "true}, 'extra_special_tokens': ['##ing']}");
    directory_is(ARE("added", "3:r 1 0 2 5:l 6 7:nx"));
    write_file("tokenizer_config.json", "{'do_lower_case': 'no'}");
    refused_directory("do_lower_case");
    write_file("tokenizer_config.json", "{}");
    write_file("added_tokens.json", "{'new': 7, 'the': 5}");
    directory_is(ARE("added", "1 3 0 2 5:n 7:nx"));
    remove_file("added_tokens.json");

    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nthe\n");
    refused_directory("'the' is there twice, as token 4 and token 5");
    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n\xFF\n");
    refused_directory("line 5 is not UTF-8");
    write_file("vocab.txt", "");
    refused_directory("[UNK]");

    /* A tokenizer.json counts more than a vocab.txt; where they contradict each other, that is
     * said. */
    write_file("tokenizer.json", "{" MODEL "}");
    write_file("tokenizer_config.json", "{'do_lower_case': true}");
    directory_is(ARE("kind", "wordpiece"));
    assert_non_null(strstr(tokenizer.note, "do_lower_case"));
    write_file("tokenizer.json",
               "{'model': {'type': 'Unigram', 'vocab': [['a', 0]], 'unk_id': 0}}");
    write_file("tokenizer_config.json",
               "{'do_lower_case': true, 'tokenizer_class': 'BertTokenizer'}");
    directory_is(ARE("kind", "unigram"));
    assert_non_null(strstr(tokenizer.note, "does not read"));
    support_remove_dir(directory);
}

/* The vocab.txt of BERT says what its tokenizer.json says. */
TEST(same_from_both)
{
    static struct import_tokenizer other;
    char path[SUPPORT_PATH], text_path[SUPPORT_PATH];
    if (!support_shared("tokenizers/definitions/bert-base-uncased.json", path) ||
        !support_shared("tokenizers/sources/bert-base-uncased.vocab.txt", text_path)) {
        print_message("no definitions beside the project: skipped\n");
        skip();
    }
    READ_OR_FAIL(import_tokenizer_read_file(&other, path));
    READ_OR_FAIL(import_tokenizer_read_file(&tokenizer, text_path));
    assert_int_equal(tokenizer.draft.words.n, other.draft.words.n);
    for (size_t id = 0; id < other.draft.words.n; id++)
        assert_string_equal(tokenizer.draft.words.texts[id], other.draft.words.texts[id]);
    for (size_t i = 0; i < tokenizer.draft.n_settings; i++) {
        const char *value = tokenizer.draft.settings[i].value, *found = NULL;
        for (size_t k = 0; k < other.draft.n_settings; k++)
            if (strcmp(other.draft.settings[k].key, tokenizer.draft.settings[i].key) == 0)
                found = other.draft.settings[k].value;
        assert_non_null(found);
        if (strcmp(tokenizer.draft.settings[i].key, "added") != 0) /* other orders */
            assert_string_equal(value, found);
    }
    assert_string_equal(tokenizer.single, other.single);
    assert_string_equal(tokenizer.pair, other.pair);
}

/* ---- Written ---- */

static const char OF_BERT[] = "{'post_processor': {'type': 'BertProcessing', 'cls': ['[CLS]', 1], "
                              "'sep': ['[SEP]', 2]}, " MODEL "}";

/* A tokenizer alone gets as many types as its templates name. */
TEST(types_of_templates)
{
    assert_true(tokenizer_text_read(OF_BERT, &tokenizer));
    assert_int_equal(import_tokenizer_types(&tokenizer), 2);
    assert_true(tokenizer_text_read(
        "{'post_processor': {'type': 'TemplateProcessing', 'special_tokens': {}, 'single': "
        "[{'Sequence': {'id': 'A', 'type_id': 0}}], 'pair': [{'Sequence': {'id': 'A', "
        "'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 2}}]}, " MODEL "}",
        &tokenizer));
    assert_int_equal(import_tokenizer_types(&tokenizer), 3);
}

static void written_with(size_t n_types, const char *expected)
{
    char path[SUPPORT_PATH];
    engine_error error;
    engine_model *model;
    struct weight_writer *writer;
    const char *key, *value;
    support_path(path, directory, "t.weights");
    assert_ok(weight_writer_open(path, &writer, &error));
    assert_ok(weight_writer_setting(writer, ENGINE_SETTINGS_CONFIG, "vocabulary", "6", 1));
    const char types = (char)('0' + n_types);
    assert_ok(weight_writer_setting(writer, ENGINE_SETTINGS_CONFIG, "token_types", &types, 1));
    assert_ok(import_tokenizer_write(&tokenizer, n_types, true, writer));
    assert_ok(weight_writer_finish(writer));
    if (engine_model_open(path, NULL, &model, &error) != ENGINE_OK)
        fail_msg("%s", error.message);
    const char *found = "";
    bool truncates = false;
    for (size_t i = 0;
         engine_model_setting(model, ENGINE_SETTINGS_TOKENIZER, i, &key, &value, NULL) == ENGINE_OK;
         i++) {
        found = strcmp(key, "pair") == 0 ? value : found;
        truncates = truncates || strcmp(key, "truncate") == 0;
    }
    assert_string_equal(found, expected);
    assert_true(truncates);
    engine_model_close(model);
}

TEST(written)
{
    support_temp_dir(directory);
    assert_true(tokenizer_text_read(OF_BERT, &tokenizer));
    written_with(2, "1:0 A:0 2:0 B:1 2:1");
    written_with(1, "1:0 A:0 2:0 B:0 2:0");
    written_with(0, "1:0 A:0 2:0 B:0 2:0");
    assert_true(tokenizer_text_read("{" MODEL "}", &tokenizer));
    tokenizer.gives_types = false; /* the class */
    written_with(2, "A:0 B:0");
    written_with(1, "");
    support_remove_dir(directory);
}
