/* sound_config.h - the settings of a small model, which config_check finds nothing wrong with. */
#ifndef TESTS_MODEL_SOUND_CONFIG_H
#define TESTS_MODEL_SOUND_CONFIG_H

#include "model/config.h"

static inline struct model_config sound_config(void)
{
    struct model_config config;
    config = CONFIG_DEFAULTS;
    config.layers = 2;
    config.width = 12;
    config.heads = 3;
    config.feed_forward = 20;
    config.vocabulary = 5;
    config.max_tokens = 8;
    config.norm_eps = 1e-5;
    return config;
}

#endif
