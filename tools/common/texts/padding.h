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
    bool is_named;  /* the user named the id, so ids of the input that begin or end with it begin or
                       end with padding */
    int32_t likely; /* where the user named none: the id that looks like padding at the ends of ids;
                       -1: none does, or the input has no ids */
};

/* What is asked for. Unless the user names an id it is that of [PAD], else of <pad>, else 0, which
 * Keras keeps for padding. With `notes`, stderr is told if 0 is the id of a word. */
void padding_settle(struct padding *padding, const engine_model *model,
                    const struct request_options *request, bool notes);

/* Whether the input is ids without a mask that begin or end with this one. */
bool padding_is_at_ends(const struct item *item, int32_t id);

/* Gives ids their mask: their own, else one that hides all of the named id at their start and their
 * end. */
void padding_find(const struct padding *padding, struct item *item);

/* Pads an item of at most n tokens to n. */
void padding_apply(const struct padding *padding, struct item *item);

#endif
