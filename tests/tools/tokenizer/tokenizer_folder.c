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
    import_free();
    READ_OR_REFUSE(&is_right,
                   import_tokenizer_parse(tokenizer, "tokenizer.json", json, strlen(json)));
    return is_right;
}

bool tokenizer_folder_read(const char *directory, struct import_tokenizer *tokenizer)
{
    static struct folder folder;
    static bool is_right;
    import_free();
    READ_OR_REFUSE(&is_right, {
        folder_open(&folder, directory);
        folder.as = tokenizer_folder_as;
        import_tokenizer_read(tokenizer, &folder, "", false);
    });
    return is_right;
}

static void assert_settings(bool is_read, const char *what,
                            const struct import_tokenizer *tokenizer, const char *const *settings)
{
    if (!is_read)
        fail_msg("%s: %s", what, program_words);
    for (; *settings != NULL; settings += 2)
        if (strcmp(draft_get(&tokenizer->draft, settings[0]), settings[1]) != 0)
            fail_msg("%s: %s is '%s', expected '%s'", what, settings[0],
                     draft_get(&tokenizer->draft, settings[0]), settings[1]);
}

void tokenizer_text_is(const char *text, struct import_tokenizer *tokenizer,
                       const char *const *settings)
{
    assert_settings(tokenizer_text_read(text, tokenizer), text, tokenizer, settings);
}

void tokenizer_folder_is(const char *directory, struct import_tokenizer *tokenizer,
                         const char *const *settings)
{
    assert_settings(tokenizer_folder_read(directory, tokenizer), directory, tokenizer, settings);
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
