/* tokenizer_folder.c - see tokenizer_folder.h. */
#include "tests/tools/tokenizer/tokenizer_folder.h"

#include "tests/support.h"
#include "tests/tools/import/refusals.h"

#include <stdio.h>
#include <string.h>

void tokenizer_folder_write(const char *directory, const char *name, const void *data, size_t len)
{
    char path[SUPPORT_PATH];
    support_path(path, directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

bool tokenizer_folder_read(const char *directory, struct import_tokenizer *tokenizer)
{
    static struct folder folder;
    static bool is_right;
    READ_OR_REFUSE(&is_right, {
        folder_open(&folder, directory);
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
