/* tags: sizes */
/* Numbers of CONF are read and written with a point in every locale of the host. */
#include "tests/support.h"

#include "model/config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

TEST(decimal_comma)
{
    struct model_config config;
    char text[32];
    config = CONFIG_DEFAULTS;
    if (!support_comma_locale(support_folder())) {
        print_message("skipped: no locale with a decimal comma here\n");
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
