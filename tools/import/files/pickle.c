/* pickle.c - see pickle.h. Indices of values fit into 32 bits since a pickle of 4 GiB is not read.
 * Each opcode makes one value at most, pushes one on the stack and one into the memo, so a pickle
 * of n bytes needs room for n of each. */
#include "tools/import/files/pickle.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/import/files/folder.h"

#include <stdlib.h>
#include <string.h>

_Noreturn static void pickle_die(const struct pickle *pickle, const char *what)
{
    program_die("%s: %s at byte %zu of the pickle", pickle->name, what, pickle->at);
}

/* ---- Bytes ---- */

static const uint8_t *read_bytes(struct pickle *pickle, size_t n)
{
    if (n > pickle->len - pickle->at)
        pickle_die(pickle, "the end comes too early");
    pickle->at += n;
    return pickle->bytes + pickle->at - n;
}

static uint64_t read_number(struct pickle *pickle, size_t n)
{
    return little_endian(read_bytes(pickle, n), n);
}

/* Reads a whole number of n bytes in two's complement. */
static int64_t read_signed(struct pickle *pickle, size_t n)
{
    if (n > sizeof(int64_t))
        pickle_die(pickle, "a number of more than 64 bits");
    unsigned unused = n > 0 ? 64 - 8 * (unsigned)n : 0;
    return (int64_t)(read_number(pickle, n) << unused) >> unused;
}

/* ---- Values on the stack ---- */

/* Pushes a new value. */
static struct pickle_value *push(struct pickle *pickle, enum pickle_kind kind, int64_t number)
{
    struct pickle_value *value = &pickle->values[pickle->n_values];
    *value = (struct pickle_value){.kind = kind, .number = number};
    pickle->stack[pickle->n_stack++] = (uint32_t)pickle->n_values++;
    return value;
}

/* Returns the value below `depth` others. */
static struct pickle_value *top(const struct pickle *pickle, size_t depth)
{
    if (depth >= pickle->n_stack)
        pickle_die(pickle, "a value is missing on the stack");
    return &pickle->values[pickle->stack[pickle->n_stack - 1 - depth]];
}

/* Pops the n values on top of the stack, in their order, into the items of another. */
static void pop_into(struct pickle *pickle, size_t n, struct pickle_value *value)
{
    if (n > pickle->n_stack)
        pickle_die(pickle, "a value is missing on the stack");
    if (value->n + n > value->cap) {
        value->cap = 2 * value->cap + n + 8;
        value->items = alloc_resize(value->items, value->cap, sizeof *value->items);
    }
    pickle->n_stack -= n;
    if (n > 0)
        memcpy(value->items + value->n, pickle->stack + pickle->n_stack, n * sizeof *value->items);
    value->n += n;
}

/* Counts the values above the last mark, and removes the mark below them. */
static size_t remove_mark(struct pickle *pickle)
{
    size_t n = 0;
    while (top(pickle, n)->kind != PICKLE_MARK)
        n++;
    uint32_t *mark = &pickle->stack[pickle->n_stack - 1 - n];
    memmove(mark, mark + 1, n * sizeof *mark);
    pickle->n_stack--;
    return n;
}

/* ---- Opcodes ---- */

static void push_text(struct pickle *pickle, size_t len)
{
    const char *text = (const char *)read_bytes(pickle, len);
    struct pickle_value *value = push(pickle, PICKLE_TEXT, 0);
    value->text = text;
    value->n = len;
}

/* Makes a tuple of the n values on top of the stack. */
static void make_tuple(struct pickle *pickle, size_t n)
{
    struct pickle_value tuple = {.kind = PICKLE_TUPLE};
    pop_into(pickle, n, &tuple);
    *push(pickle, PICKLE_TUPLE, 0) = tuple;
}

/* Moves the n values on top of the stack into the list or dictionary below them. */
static void add_items(struct pickle *pickle, size_t n, enum pickle_kind kind)
{
    struct pickle_value *target = top(pickle, n);
    bool is_paired = kind == PICKLE_DICTIONARY;
    if (target->kind != kind && !(is_paired && target->kind == PICKLE_CALL))
        pickle_die(pickle, "items are put into what holds none");
    if (is_paired && n % 2 != 0)
        pickle_die(pickle, "a key has no value");
    pop_into(pickle, n, target);
}

/* Reads "module\nname\n". */
static void push_function(struct pickle *pickle)
{
    size_t begin = pickle->at, length[2] = {0, 0};
    for (size_t i = 0; i < 2; i++)
        while (*read_bytes(pickle, 1) != '\n')
            length[i]++;
    const char *module = (const char *)pickle->bytes + begin, *name = module + length[0] + 1;
    for (size_t i = 0; pickle->functions[i] != NULL; i++) {
        const char *known = pickle->functions[i];
        if (strlen(known) == length[0] + 1 + length[1] && known[length[0]] == ' ' &&
            memcmp(known, module, length[0]) == 0 &&
            memcmp(known + length[0] + 1, name, length[1]) == 0) {
            push(pickle, PICKLE_FUNCTION, (int64_t)i);
            return;
        }
    }
    program_die("%s: '%.*s.%.*s' at byte %zu of the pickle; expected the tensors of a state "
                "dictionary and nothing else (it is not executed)",
                pickle->name, (int)(length[0] < 100 ? length[0] : 100), module,
                (int)(length[1] < 100 ? length[1] : 100), name, begin);
}

/* Replaces a tuple, and the function below it if the kind is a call, by a value that holds the
 * tuple. */
static void make_holder(struct pickle *pickle, enum pickle_kind kind)
{
    struct pickle_value holder = {.kind = kind};
    if (top(pickle, 0)->kind != PICKLE_TUPLE)
        pickle_die(pickle, kind == PICKLE_CALL ? "a call of something that is not a function"
                                               : "a persistent id that is not a tuple");
    if (kind == PICKLE_CALL) {
        if (top(pickle, 1)->kind != PICKLE_FUNCTION)
            pickle_die(pickle, "a call of something that is not a function");
        holder.number = top(pickle, 1)->number;
    }
    pop_into(pickle, 1, &holder);
    pickle->n_stack -= kind == PICKLE_CALL;
    *push(pickle, kind, 0) = holder;
}

/* Drops attributes of an object: torch stores versions of modules there, which change no number. */
static void drop_attributes(struct pickle *pickle)
{
    if (top(pickle, 1)->kind != PICKLE_CALL || top(pickle, 0)->kind != PICKLE_DICTIONARY)
        pickle_die(pickle, "attributes of a value that has none");
    pickle->n_stack--;
}

/* Copies the top of the stack into the memo, whose numbers are given in order. */
static void store_in_memo(struct pickle *pickle, uint64_t number)
{
    if (top(pickle, 0)->kind == PICKLE_MARK || number > pickle->n_memo)
        pickle_die(pickle, "a number of the memo that is not the next");
    pickle->memo[number] = pickle->stack[pickle->n_stack - 1];
    pickle->n_memo += number == pickle->n_memo;
}

static void push_from_memo(struct pickle *pickle, uint64_t number)
{
    if (number >= pickle->n_memo)
        pickle_die(pickle, "a number of the memo that was not given");
    pickle->stack[pickle->n_stack++] = pickle->memo[number];
}

static void run_opcode(struct pickle *pickle, uint8_t opcode)
{
    switch (opcode) {
    case 0x80:
        if (read_number(pickle, 1) != 2)
            program_die(
                "%s: another protocol; expected 2, that of torch.save, at byte %zu of the pickle",
                pickle->name, pickle->at - 1);
        break;
    case '(': push(pickle, PICKLE_MARK, 0); break;
    case 'N': push(pickle, PICKLE_NONE, 0); break;
    case 0x88: push(pickle, PICKLE_BOOL, 1); break;
    case 0x89: push(pickle, PICKLE_BOOL, 0); break;
    case 'K': push(pickle, PICKLE_NUMBER, (int64_t)read_number(pickle, 1)); break;
    case 'M': push(pickle, PICKLE_NUMBER, (int64_t)read_number(pickle, 2)); break;
    case 'J': push(pickle, PICKLE_NUMBER, read_signed(pickle, 4)); break;
    case 0x8A:
        push(pickle, PICKLE_NUMBER, read_signed(pickle, (size_t)read_number(pickle, 1)));
        break;
    case 'G': read_bytes(pickle, 8), push(pickle, PICKLE_REAL, 0); break;
    case 'X': push_text(pickle, (size_t)read_number(pickle, 4)); break;
    case ')': push(pickle, PICKLE_TUPLE, 0); break;
    case ']': push(pickle, PICKLE_LIST, 0); break;
    case '}': push(pickle, PICKLE_DICTIONARY, 0); break;
    case 't': make_tuple(pickle, remove_mark(pickle)); break;
    case 0x85: make_tuple(pickle, 1); break;
    case 0x86: make_tuple(pickle, 2); break;
    case 0x87: make_tuple(pickle, 3); break;
    case 'a': add_items(pickle, 1, PICKLE_LIST); break;
    case 'e': add_items(pickle, remove_mark(pickle), PICKLE_LIST); break;
    case 's': add_items(pickle, 2, PICKLE_DICTIONARY); break;
    case 'u': add_items(pickle, remove_mark(pickle), PICKLE_DICTIONARY); break;
    case 'c': push_function(pickle); break;
    case 'R': make_holder(pickle, PICKLE_CALL); break;
    case 'Q': make_holder(pickle, PICKLE_OUTSIDE); break;
    case 'b': drop_attributes(pickle); break;
    case 'q': store_in_memo(pickle, read_number(pickle, 1)); break;
    case 'r': store_in_memo(pickle, read_number(pickle, 4)); break;
    case 'h': push_from_memo(pickle, read_number(pickle, 1)); break;
    case 'j': push_from_memo(pickle, read_number(pickle, 4)); break;
    default:
        program_die(
            "%s: the opcode 0x%02X at byte %zu of the pickle is none that a state dictionary needs",
            pickle->name, opcode, pickle->at - 1);
    }
}

const struct pickle_value *pickle_read(struct pickle *pickle)
{
    static const uint8_t STOP = '.';
    pickle->values = alloc_zeros(pickle->len, sizeof *pickle->values);
    pickle->stack = alloc_zeros(pickle->len, sizeof *pickle->stack);
    pickle->memo = alloc_zeros(pickle->len, sizeof *pickle->memo);
    uint8_t opcode = *read_bytes(pickle, 1);
    for (; opcode != STOP; opcode = *read_bytes(pickle, 1))
        run_opcode(pickle, opcode);
    if (pickle->at != pickle->len || pickle->n_stack != 1)
        pickle_die(pickle, "it stops with bytes or values left over,");
    return top(pickle, 0);
}

const struct pickle_value *pickle_item(const struct pickle *pickle,
                                       const struct pickle_value *value, enum pickle_kind kind,
                                       size_t index)
{
    if (value == NULL || value->kind != kind || value->items == NULL || index >= value->n)
        return NULL;
    return &pickle->values[value->items[index]];
}
