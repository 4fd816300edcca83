/* choices.h - the positions, masks and poolings that callers choose: their names, and their values
 * in model/config.h, from the lists there. */
#ifndef ENGINE_CHOICES_H
#define ENGINE_CHOICES_H

struct choice {
    int choice, value; /* of engine.h; of model/config.h, -1: none, and for the model's own */
    const char *name;  /* NULL ends a table */
};

extern const struct choice POSITION_CHOICES[], MASK_CHOICES[], POOLING_CHOICES[];

/* Returns the row of a choice, NULL if it is unknown. */
const struct choice *choice_find(const struct choice *choices, int choice);

/* Returns the value of a known choice; `own` for 0, the model's own. */
int choice_value(const struct choice *choices, int choice, int own);

/* Returns the largest choice, for messages. */
int choice_last(const struct choice *choices);

#endif
