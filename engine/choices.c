/* choices.c - see choices.h. */
#include "engine/choices.h"

#include "engine/engine.h"
#include "model/config.h"
#include "model/layers/position.h"

#include <string.h>

/* A value without its choice in engine.h does not compile. */
#define CHOICE_OF(constant, name) {ENGINE_##constant, constant, name},
#define CHOICES_OF(LIST)          {0, -1, "model"}, LIST(CHOICE_OF, CHOICE_OF)

const struct choice POSITION_CHOICES[] = {CHOICES_OF(POSITION_SCHEMES){0, 0, NULL}};
const struct choice MASK_CHOICES[] = {CHOICES_OF(MASKS){0, 0, NULL}};
/* Two poolings are not in the config: they name other answers. */
const struct choice POOLING_CHOICES[] = {CHOICES_OF(POOLINGS){ENGINE_POOLING_SPARSE, -1, "sparse"},
                                         {ENGINE_POOLING_COLBERT, -1, "colbert"},
                                         {0, 0, NULL}};

const struct choice *choice_find(const struct choice *choices, int choice)
{
    while (choices->name != NULL && choices->choice != choice)
        choices++;
    return choices->name != NULL ? choices : NULL;
}

int choice_value(const struct choice *choices, int choice, int own)
{
    return choice == 0 ? own : choice_find(choices, choice)->value;
}

int choice_last(const struct choice *choices)
{
    int last = 0;
    for (; choices->name != NULL; choices++)
        last = choices->choice > last ? choices->choice : last;
    return last;
}

static int choice_named(const struct choice *choices, const char *name)
{
    while (name != NULL && choices->name != NULL && strcmp(choices->name, name) != 0)
        choices++;
    return name != NULL && choices->name != NULL ? choices->choice : -1;
}

/* Defines engine_KIND_name and engine_KIND_named. */
#define PUBLIC_NAMES(kind, choices)                                                                \
    const char *engine_##kind##_name(engine_##kind value)                                          \
    {                                                                                              \
        const struct choice *found = choice_find(choices, (int)value);                             \
        return found != NULL ? found->name : NULL;                                                 \
    }                                                                                              \
    int engine_##kind##_named(const char *name)                                                    \
    {                                                                                              \
        return choice_named(choices, name);                                                        \
    }
PUBLIC_NAMES(position, POSITION_CHOICES)
PUBLIC_NAMES(mask, MASK_CHOICES)
PUBLIC_NAMES(pooling, POOLING_CHOICES)

int engine_position_has_base(engine_position position)
{
    const struct choice *found = choice_find(POSITION_CHOICES, (int)position);
    return found != NULL && found->value >= 0 &&
           position_has_base((enum position_scheme)found->value);
}
