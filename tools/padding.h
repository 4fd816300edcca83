/* padding.h - texts of one length: how many tokens, on which side the padding goes, and which id it
 * has. */
#ifndef TOOLS_PADDING_H
#define TOOLS_PADDING_H

#include "tools/encode_options.h"
#include "tools/item.h"

struct padding {
    size_t n;     /* tokens of every text; 0: texts keep their own length */
    bool on_left; /* before the tokens, not behind them */
    int32_t id;
};

/* What is asked for. Unless the user names an id it is that of [PAD], else of <pad>, else 0, which
 * the rules of Keras keep free; that it is a word's, where it is, goes to stderr with `notes`. */
void padding_settle(struct padding *padding, const engine_model *model,
                    const struct encode_options *options, bool notes);

/* Pads an item of at most n tokens to n. False: no memory. */
bool padding_apply(const struct padding *padding, struct item *item);

#endif
