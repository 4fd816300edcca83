/* record.h - one input of the program: a text, a pair of texts, or token ids. */
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include "engine/engine.h"

struct record {
    engine_input input; /* points into storage, or at the program's arguments */
    void *storage;      /* freed with the record; NULL: borrowed */
    size_t line;        /* of stdin, from 1; 0: an argument */
};

#endif
