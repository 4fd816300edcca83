/* import_cases.c - see import_cases.h. */
#include "tests/tools/import/import_cases.h"

#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <stdio.h>
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
    import_free();
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
}

void config_is(const struct model_config *config, const char *values, const char *what)
{
    for (const char *at = values; *at; at += strspn(at, " ")) {
        char value[64] = "", got[128];
        const size_t len = strcspn(at, " "), key_len = strcspn(at, "=");
        const char *name = "";
        for (size_t k = 0; name && (strlen(name) != key_len || memcmp(name, at, key_len)); k++)
            name = config_get(config, k, value, sizeof value);
        snprintf(got, sizeof got, "%s=%s", name ? name : "no such key", value);
        if (strlen(got) != len || memcmp(got, at, len) != 0)
            fail_msg("%s: %s, expected %.*s", what, got, (int)len, at);
        at += len;
    }
}

void import_is(const char *values)
{
    import_accepted(values);
    config_is(&import_checkpoint.config.model, values, "the directory");
}

void import_refused(const char *what, const char *words)
{
    if (import_read())
        fail_msg("%s was accepted", what);
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
        if (cases[i].file != NULL)
            import_write(cases[i].file, cases[i].text);
        else
            import_config(cases[i].text);
        const char *words = cases[i].words != NULL ? cases[i].words : "= ";
        if (words[0] == '=') {
            import_accepted(cases[i].text);
            config_is(&import_checkpoint.config.model, words + 2, cases[i].text);
        } else {
            import_refused(cases[i].text, words);
        }
    }
}

void import_setup(void)
{
    shell_set_program("IMPORT", "encode-import");
    shell_set_program("INSPECT", "encode-inspect");
    shell_setup();
    support_path(import_directory, support_folder(), "checkpoint");
}
