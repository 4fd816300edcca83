/* tokenizer_folder.c - see tokenizer_folder.h. */
#include "tests/tools/tokenizer/tokenizer_folder.h"

#include "tests/support.h"
#include "tests/tools/import/refusals.h"

#include <stdio.h>
#include <string.h>

enum reference_release tokenizer_folder_as = AS_ANY;

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

void tokenizer_folder_refused(const char *directory, struct import_tokenizer *tokenizer,
                              const char *words)
{
    assert_false(tokenizer_folder_read(directory, tokenizer));
    if (strstr(program_words, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", program_words, words);
}
