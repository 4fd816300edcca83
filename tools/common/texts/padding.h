/* padding.h - texts of one length: how many tokens, on which side the padding goes, and which id it
 * has. */
#ifndef TOOLS_PADDING_H
#define TOOLS_PADDING_H

#include "tools/common/texts/item.h"
#include "tools/common/texts/request_options.h"

/* Chooses the id, if the user names none: that of [PAD], else of <pad>, else 0, which Keras keeps
 * for padding. For tokens alone stderr is told if 0 is the id of a word. */
void padding_choose(struct padding *padding, const engine_model *model,
                    const struct request_options *request);

/* Whether the input is ids without a mask that begin or end with this one. */
bool padding_is_at_ends(const struct item *item, int32_t id);

/* Gives ids their mask: their own, else one that hides all of the named id at their start and their
 * end. */
void padding_find(const struct padding *padding, struct item *item);

/* Pads an item of at most n tokens to n. */
void padding_apply(const struct padding *padding, struct item *item);

#endif
