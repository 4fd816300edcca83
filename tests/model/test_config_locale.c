/* Numbers of CONF are read and written with a point, whatever the host's locale has. */
#include "tests/support.h"

#include "model/config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A locale with a decimal comma: one of the machine's, or one made here by localedef. */
static bool set_comma_locale(const char *folder)
{
    static const char *const known[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
                                        "fr_FR.utf8"};
    char source[SUPPORT_PATH], made[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (setlocale(LC_ALL, known[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    support_path(source, folder, "comma.src");
    support_path(made, folder, "xx_XX");
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n",
          file);
    assert_int_equal(fclose(file), 0);
    const char *const argv[] = {"localedef",      "-c", "-i", source, "-f",
                                "ANSI_X3.4-1968", made, NULL};
    support_run(argv, NULL); /* it warns that there is nothing but numbers */
    setenv("LOCPATH", folder, 1);
    bool set = setlocale(LC_NUMERIC, "xx_XX") != NULL;
    unsetenv("LOCPATH");
    return set && strcmp(localeconv()->decimal_point, ",") == 0;
}

TEST(decimal_comma)
{
    struct model_config config;
    char text[32];
    config_defaults(&config);
    if (!set_comma_locale(support_folder())) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
    snprintf(text, sizeof text, "%g", 0.5);
    bool comma_printed = strcmp(text, "0,5") == 0;
    const char *refused = config_set(&config, "embedding_scale", "1234.5");
    const char *taken = config_set(&config, "embedding_scale", "12,5");
    config_get(&config, 7, text, sizeof text);
    setlocale(LC_ALL, "C");
    assert_true(comma_printed);
    assert_null(refused);
    assert_non_null(taken);
    assert_true(config.embedding_scale == 1234.5);
    assert_string_equal(text, "1234.5");
}
