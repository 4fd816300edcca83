/* pickle.h - reads what Python's pickle wrote of numbers, texts, tuples, lists and dictionaries, as
 * protocol 2 has it, and executes nothing: a function that the pickle names must be in a list, and
 * its call becomes a value that holds the arguments. torch_file.c says what the values mean.
 *
 * A pickle is a program for a machine with a stack and a memo, a numbered list of values that may
 * be used again. Source: Lib/pickletools.py of Python, where every opcode is described. */
#ifndef TOOLS_IMPORT_PICKLE_H
#define TOOLS_IMPORT_PICKLE_H

#include <stddef.h>
#include <stdint.h>

enum pickle_kind {
    PICKLE_MARK, /* where the items of a tuple or a dictionary begin on the stack */
    PICKLE_NONE,
    PICKLE_BOOL, /* number */
    PICKLE_NUMBER,
    PICKLE_REAL, /* its value is not kept */
    PICKLE_TEXT, /* UTF-8, not terminated */
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICTIONARY, /* items: key, value, key, value … */
    PICKLE_FUNCTION,   /* number: its index in the list */
    PICKLE_CALL,       /* number: that of the function; items[0]: the tuple of its arguments. Keys
                          and values that were set in the result follow */
    PICKLE_OUTSIDE     /* items[0]: the persistent id of something outside of the pickle */
};

/* Items are indices into `values` of struct pickle. A value may hold itself: code that follows
 * items must bound the depth. */
struct pickle_value {
    enum pickle_kind kind;
    int64_t number;
    const char *text; /* [n] in the pickle */
    uint32_t *items;  /* [n] */
    size_t n, cap;
};

struct pickle {
    const char *name; /* borrowed, for messages */
    const uint8_t *bytes;
    size_t len, at;               /* at: of the next byte */
    const char *const *functions; /* "module name"; NULL ends them */
    struct pickle_value *values;
    uint32_t *stack, *memo;
    size_t n_values, n_stack, n_memo;
};

/* Runs the pickle to its end, its last byte. `pickle` is zeros but for name, bytes, len and
 * functions. Returns the value that is left on the stack. */
const struct pickle_value *pickle_read(struct pickle *pickle);

/* The index-th item of a value, or NULL where it has no such item or is not of that kind. */
const struct pickle_value *pickle_item(const struct pickle *pickle,
                                       const struct pickle_value *value, enum pickle_kind kind,
                                       size_t index);

#endif
