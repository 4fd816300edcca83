/* worst_case_texts.c - see worst_case_texts.h. */
#include "tests/model/tokenizer/worst_case_texts.h"

#include "tests/suite.h"

#include <string.h>

/* ---- Texts ---- */

#define TEN(text)     text text text text text text text text text text
#define HUNDRED(text) TEN(TEN(text))

/* Marks of falling combining class after a letter, as many as are put in order at a time (256),
 * and of few enough kinds that nearly each moves past all marks before it: U+0345 is 240,
 * U+0301 230, U+0323 220, U+031B 216, U+0334 1. */
#define FIFTY_MARKS(mark) TEN(mark) TEN(mark) TEN(mark) TEN(mark) TEN(mark)
#define FALLING_MARKS                                                                              \
    "a" FIFTY_MARKS("\xCD\x85") FIFTY_MARKS("\xCC\x81") FIFTY_MARKS("\xCC\xA3")                    \
        FIFTY_MARKS("\xCC\x9B") FIFTY_MARKS("\xCC\xB4")

static const struct {
    const char *name, *text;
} TEXTS[] = {
    {"English",
     "The quick brown fox, they said in 1999, jumps over the lazy dog; I ride my bike. "},
    {"U+FDFA", "\xEF\xB7\xBA"},
    {"U+FDFA and blanks", "\xEF\xB7\xBA "},
    {"marks, classes falling", FALLING_MARKS},
    {"a, U+0323, U+0307", "a\xCC\xA3\xCC\x87"},
    {"U+1F82", "\xE1\xBE\x82"},
    {"Hangul", "\xEA\xB0\x81\xED\x9E\xA3"},
    {"jamo", "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"},
    {"CJK", "\xE6\x97\xA5\xE6\x9C\xAC"},
    {"words of 100 a", HUNDRED("a") " "},
    {"one word of a", "a"},
    {"words of one letter", "a b c "},
    {"punctuation", "!?"},
    {"digits", "12"},
    {"blanks", " \xC2\xA0\t"},
    {"bytes that are no UTF-8", "\xFF\xE2\x82"},
    {"sigma and apostrophes", "\xCE\x91\xCE\xA3" TEN("'") "\xCE\xA3 "},
    {"U+0130", "\xC4\xB0"},
    {"beginnings of [MASK]", "[MAS"},
    {"outside the BMP", "\xF0\x9D\x94\xB8\xF0\x9F\x9A\xB2"},
};

enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

const char *worst_case_text_name(size_t index)
{
    return index < N_TEXTS ? TEXTS[index].name : NULL;
}

void worst_case_text(size_t index, char *text, size_t len)
{
    const size_t n = strlen(TEXTS[index].text);
    for (size_t at = 0; at < len; at += n)
        memcpy(text + at, TEXTS[index].text, n < len - at ? n : len - at);
}

/* ---- Tokenizers ---- */

/* Words that are searched in vain: as long as BERT's longest; as the longest words that are looked
 * into, so that all lengths up to theirs are tried; and an added token that nearly matches. */
#define LONGEST_BERT "telecommunications"
#define LONGEST_WORD HUNDRED("a") "b"
#define LONGEST_NEAR TEN("aaaaaa") "b"

enum { LONGEST = 4, FIRST_LETTER = 5, N_LETTERS = 26, N_WORDS = FIRST_LETTER + 2 * N_LETTERS };
static const char *const SPECIAL[LONGEST] = {"[UNK]", "[CLS]", "[SEP]", "[MASK]"};

#define BERT   "clean space_cjk nfd drop_nonspacing lower"
#define SPLITS "blanks punctuation"

static const char CHARACTERS[] = "Keras, characters";

/* WORD: the longest, LONGEST_BERT if it is NULL; PATTERN: of kind bpe, with byte_level unless it is
 * "none". */
enum { NAME, KIND, NORMALIZER, SPLITTER, ADDED, WORD, PATTERN, N_FIELDS };
static const char *const TOKENIZERS[][N_FIELDS] = {
    {"WordPiece, BERT's", "wordpiece", BERT, SPLITS, "1 2 3"},
    {"WordPiece, BERT's with case", "wordpiece", "clean space_cjk", SPLITS, "1 2 3"},
    {"WordPiece, NFKC", "wordpiece", "nfkc lower", "blanks word_runs digits", "3:r"},
    {"WordPiece, a token of 101 bytes", "wordpiece", BERT, SPLITS, "1 2 3", LONGEST_WORD},
    {"WordPiece, an added one of 61", "wordpiece", BERT, SPLITS, "1 2 3 4", LONGEST_NEAR},
    {"WordPiece, that one normalized", "wordpiece", BERT, SPLITS, "1 2 3:nlr 4:n", LONGEST_NEAR},
    {"words, NFKC", "words", "nfkc strip_start strip_end", "blanks word_runs", ""},
    {"BPE, GPT-2's", "bpe", "", "", "3:nl", NULL, "gpt2"},
    {"BPE, NFC, cl100k", "bpe", "nfc", "digits", "3:nl 4:n", LONGEST_NEAR, "cl100k"},
    {"BPE, o200k", "bpe", "", "", "3:nl", NULL, "o200k"},
    {"BPE, one word", "bpe", "", "", "", NULL, "none"},
    {"Keras", "keras", "", "", ""},
    {CHARACTERS, "keras", "", "", ""},
    {"blanks", "blanks", "", "", ""},
    {"unigram", "unigram", "nfkc", "blanks metaspace:always", "3:l"},
    {"unigram, one long word", "unigram", "nmt nfkc replace_runs:2:%20:%20", "", ""},
    {"step nmt", "words", "nmt", "blanks", ""},
    {"step replace", "words", "replace:aab:b replace_blanks:2:x", "blanks", ""},
    {"step prepend", "words", "prepend:x", "blanks", ""},
    {"step clean", "words", "clean", "blanks", ""},
    {"step space_cjk", "words", "space_cjk", "blanks", ""},
    {"step nfd", "words", "nfd", "blanks", ""},
    {"step nfc", "words", "nfc", "blanks", ""},
    {"step nfkd", "words", "nfkd", "blanks", ""},
    {"step nfkc", "words", "nfkc", "blanks", ""},
    {"step drop_nonspacing", "words", "drop_nonspacing", "blanks", ""},
    {"step drop_marks", "words", "drop_marks", "blanks", ""},
    {"step lower", "words", "lower", "blanks", ""},
    {"steps strip_start strip_end", "words", "strip_start strip_end", "blanks", ""},
};

static void build(struct worst_case_tokenizer *worst, const char *longest)
{
    char pieces[2 * N_LETTERS][4];
    const char *words[N_WORDS];
    struct merge merges[N_LETTERS]; /* of two of a letter one: all make pairs that merge again */
    memcpy(words, SPECIAL, sizeof SPECIAL);
    words[LONGEST] = longest;
    for (uint32_t i = 0; i < N_LETTERS; i++) {
        const uint32_t id = FIRST_LETTER + 2 * i;
        memcpy(pieces[2 * i], (char[]){(char)('a' + i), '\0'}, 2);
        memcpy(pieces[2 * i + 1], (char[]){'#', '#', (char)('a' + i), '\0'}, 4);
        words[id] = pieces[2 * i];
        words[id + 1] = pieces[2 * i + 1];
        merges[i] = (struct merge){.left = id, .right = id, .id = id};
    }
    worst->fixture.merges = merges;
    worst->fixture.n_merges = N_LETTERS;
    assert_null(fixture_build(&worst->fixture, words, N_WORDS));
}

bool worst_case_tokenizer_open(struct worst_case_tokenizer *worst, size_t index)
{
    if (index >= sizeof TOKENIZERS / sizeof *TOKENIZERS)
        return false;
    const char *const *made = TOKENIZERS[index], *pattern = made[PATTERN];
    worst->name = made[NAME];
    worst->fixture = fixture_of(1, SETTINGS("kind", made[KIND], "normalizer", made[NORMALIZER],
                                            "splitter", made[SPLITTER], "added", made[ADDED],
                                            "unknown", "0", "lower", "yes", /* Keras, blanks */
                                            "char_level", made[NAME] == CHARACTERS ? "yes" : "no"));
    if (pattern != NULL)
        fixture_set(&worst->fixture.tokenizer,
                    SETTINGS("prefix", "", "pattern", pattern, "byte_level",
                             strcmp(pattern, "none") != 0 ? "yes" : "no", "fuse_unknown", "yes"));
    build(worst, made[WORD] != NULL ? made[WORD] : LONGEST_BERT);
    return true;
}
