/* tokenizer_folder.c - see tokenizer_folder.h. */
#include "tests/tools/tokenizer/tokenizer_folder.h"

#include "tests/support.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/tiny_checkpoint.h"

#include <stdio.h>
#include <string.h>

enum reference_release tokenizer_folder_as = AS_ANY;

bool tokenizer_text_read(const char *text, struct import_tokenizer *tokenizer)
{
    static bool is_right;
    static const char *json;
    json = tiny_json(text);
    READ_OR_REFUSE(&is_right,
                   import_tokenizer_parse(tokenizer, "tokenizer.json", json, strlen(json)));
    if (!is_right)
        import_free();
    return is_right;
}

bool tokenizer_folder_read(const char *directory, struct import_tokenizer *tokenizer)
{
    static struct folder folder;
    static bool is_right;
    READ_OR_REFUSE(&is_right, {
        folder_open(&folder, directory);
        folder.as = tokenizer_folder_as;
        import_tokenizer_read(tokenizer, &folder, "", false);
    });
    if (!is_right)
        import_free();
    return is_right;
}

static void assert_refused(bool is_read, const char *what, const char *words)
{
    if (is_read)
        fail_msg("taken: %s", what);
    if (strstr(program_words, words) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", what, program_words, words);
}

void tokenizer_text_refused(const char *text, struct import_tokenizer *tokenizer, const char *words)
{
    assert_refused(tokenizer_text_read(text, tokenizer), text, words);
}

void tokenizer_folder_refused(const char *directory, struct import_tokenizer *tokenizer,
                              const char *words)
{
    assert_refused(tokenizer_folder_read(directory, tokenizer), directory, words);
}
