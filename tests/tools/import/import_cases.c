/* import_cases.c - see import_cases.h. */
#include "tests/tools/import/import_cases.h"

#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <string.h>

char import_directory[SUPPORT_PATH];
struct checkpoint import_checkpoint;

void import_make(void)
{
    tiny_checkpoint(import_directory);
}

void import_make_modules(void)
{
    import_make();
    tiny_sentence_transformers(import_directory);
}

bool import_read(void)
{
    static bool is_right;
    READ_OR_REFUSE(&is_right, checkpoint_read(&import_checkpoint, import_directory,
                                              (struct stored_types){0}, NULL, AS_ANY));
    if (!is_right)
        import_free();
    return is_right;
}

void import_accepted(const char *what)
{
    if (!import_read())
        fail_msg("%s: refused: %s", what, program_words);
    import_free();
}

void import_refused(const char *what, const char *words)
{
    if (import_read()) {
        import_free();
        fail_msg("%s was accepted", what);
    }
    if (!strstr(program_words, words))
        fail_msg("%s: \"%s\" is not in: %s", what, words, program_words);
}

void import_write(const char *name, const char *text)
{
    tiny_write_text(import_directory, name, text);
}

void import_config(const char *members)
{
    json_t *config = tiny_config_of(members);
    tiny_write_json(import_directory, "config.json", config);
    json_decref(config);
}

void import_each(void (*make)(void), const struct import_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        make();
        import_write(cases[i].file, cases[i].text);
        if (cases[i].words != NULL)
            import_refused(cases[i].text, cases[i].words);
        else
            import_accepted(cases[i].text);
    }
}

void import_setup(void)
{
    shell_set_program("IMPORT", "encode-import");
    shell_set_program("INSPECT", "encode-inspect");
    shell_setup();
    support_path(import_directory, support_folder(), "checkpoint");
}
