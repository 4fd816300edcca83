/* position_words.h - what of the positions in force is not the default, in words for titles. */
#ifndef TOOLS_PLOT_POSITION_WORDS_H
#define TOOLS_PLOT_POSITION_WORDS_H

#include "engine/engine.h"
#include "tools/common/position_options.h"

/* ", base 100, W1 = 1, W2 = 10, frequencies 0.1, 0.25" or "". What the command line does not say is
 * the model's; model NULL: the default. scheme: the one in force. width: of the words' vectors, for
 * W1 that is the root of it; 0: there are no words, and W1 is not named. */
const char *position_words(const engine_model *model, const struct position_options *options,
                           const char *scheme, size_t width);

#endif
