/* model_setting.c - a search through the few settings of a section; see model_setting.h. */
#include "tools/common/model_setting.h"

#include <stdlib.h>
#include <string.h>

const char *model_setting(const engine_model *model, engine_settings settings, const char *wanted)
{
    const char *key, *value;
    for (size_t i = 0; engine_model_setting(model, settings, i, &key, &value, NULL) == ENGINE_OK;
         i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return NULL;
}

double model_number(const engine_model *model, const char *key, double otherwise)
{
    const char *value = model != NULL ? model_setting(model, ENGINE_SETTINGS_CONFIG, key) : NULL;
    return value != NULL ? strtod(value, NULL) : otherwise;
}
