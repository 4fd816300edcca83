/* meter.h - bounds the work for a text, so that no file makes one thousands of times slower than
 * another does, and asks the caller now and then whether to go on. A step takes some nanoseconds: a
 * slot of a hash table, a byte of an added token, half a character that a normalizer's step emits.
 * With legitimate tokenizers usual texts take a few steps for each byte, the worst ones some 300.
 */
#ifndef MODEL_METER_H
#define MODEL_METER_H

#include <stdbool.h>
#include <stddef.h>

enum { METER_BYTES = 4096, METER_STEPS = 1024 /* for each byte */ };

/* All zero, but for is_over, before each text. */
struct meter {
    size_t left, next;           /* steps up to that offset of the text; 0, 0: it ends */
    bool (*is_over)(void *user); /* NULL, or asked every METER_BYTES whether to end */
    void *user;
    bool is_interrupted, is_exceeded;
};

/* Looks whether the text ends, else gives it new steps. */
static inline bool meter_look(struct meter *meter, size_t at)
{
    meter->is_interrupted = meter->is_interrupted || (meter->next > 0 && meter->is_over != NULL &&
                                                      meter->is_over(meter->user));
    const bool goes_on = !meter->is_interrupted && !meter->is_exceeded;
    meter->left = goes_on ? (size_t)METER_BYTES * METER_STEPS : 0;
    meter->next = goes_on ? at + METER_BYTES : 0;
    return goes_on;
}

/* Call before the character at an offset of the text. Returns false if the text is to end. */
static inline bool meter_goes_on(struct meter *meter, size_t at)
{
    return at < meter->next || meter_look(meter, at);
}

/* Returns false if too few steps are left, and ends the text. */
static inline bool meter_take(struct meter *meter, size_t steps)
{
    if (steps < meter->left) {
        meter->left -= steps;
        return true;
    }
    meter->is_exceeded |= !meter->is_interrupted;
    meter->left = meter->next = 0;
    return false;
}

#endif
