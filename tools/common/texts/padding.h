/* padding.h - texts of one length: how many tokens, on which side the padding goes, and which id it
 * has. */
#ifndef TOOLS_PADDING_H
#define TOOLS_PADDING_H

#include "tools/common/texts/item.h"
#include "tools/common/texts/request_options.h"

struct padding {
    size_t n;     /* tokens of every text; 0: texts keep their own length */
    bool on_left; /* before the tokens, not behind them */
    int32_t id;
    bool is_named;  /* the user named the id: given ids that begin or end with it begin or end with
                       padding */
    int32_t likely; /* else the id that would be it in given ids; -1: none, or nobody gives ids */
};

/* What is asked for. Unless the user names an id it is that of [PAD], else of <pad>, else 0, which
 * the rules of Keras keep free; that it is a word's, where it is, goes to stderr with `notes`. */
void padding_settle(struct padding *padding, const engine_model *model,
                    const struct request_options *request, bool notes);

/* Whether given ids without a mask begin or end with this one. */
bool padding_is_at_ends(const struct item *item, int32_t id);

/* Gives ids their mask: their own, else one that hides all of the named id at their start and their
 * end. False: no memory. */
bool padding_find(const struct padding *padding, struct item *item);

/* Pads an item of at most n tokens to n. False: no memory. */
bool padding_apply(const struct padding *padding, struct item *item);

#endif
