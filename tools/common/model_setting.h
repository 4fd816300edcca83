/* model_setting.h - one of the settings that a weight file has, by its key. */
#ifndef TOOLS_MODEL_SETTING_H
#define TOOLS_MODEL_SETTING_H

#include "engine/engine.h"

/* The value, borrowed from the model; NULL: the file does not say. */
const char *model_setting(const engine_model *model, engine_settings settings, const char *key);

/* A number of the config, or `otherwise` where the file does not say or model is NULL. */
double model_number(const engine_model *model, const char *key, double otherwise);

#endif
