/* pickle.c - see pickle.h. The numbers of values fit into 32 bits since a pickle of 4 GiB is not
 * read. Each opcode makes one value at most, puts one on the stack and one into the memo, so that a
 * pickle of n bytes needs room for n of each. */
#include "tools/import/files/pickle.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"

#include <stdlib.h>
#include <string.h>

_Noreturn static void pickle_die(const struct pickle *pickle, const char *what)
{
    program_die("%s: %s at byte %zu of the pickle", pickle->name, what, pickle->at);
}

/* ---- Bytes ---- */

static const uint8_t *take(struct pickle *pickle, size_t n)
{
    if (n > pickle->len - pickle->at)
        pickle_die(pickle, "the end comes too early");
    pickle->at += n;
    return pickle->bytes + pickle->at - n;
}

static uint64_t take_number(struct pickle *pickle, size_t n)
{
    const uint8_t *bytes = take(pickle, n);
    uint64_t value = 0;
    while (n-- > 0)
        value = value << 8 | bytes[n];
    return value;
}

/* A whole number of n bytes in two's complement. */
static int64_t take_signed(struct pickle *pickle, size_t n)
{
    uint64_t value = take_number(pickle, n);
    unsigned unused = n > 0 ? 64 - 8 * (unsigned)n : 0;
    return (int64_t)(value << unused) >> unused;
}

/* ---- Values ---- */

static void push_index(struct pickle *pickle, uint32_t index)
{
    pickle->stack[pickle->n_stack++] = index;
}

/* A new value on the stack. */
static struct pickle_value *push(struct pickle *pickle, enum pickle_kind kind, int64_t number)
{
    struct pickle_value *value = &pickle->values[pickle->n_values];
    *value = (struct pickle_value){.kind = kind, .number = number};
    push_index(pickle, (uint32_t)pickle->n_values++);
    return value;
}

static void add_item(struct pickle_value *value, uint32_t index)
{
    if (value->n == value->cap) {
        value->cap = 2 * value->cap + 8;
        value->items = alloc_resize(value->items, value->cap, sizeof *value->items);
    }
    value->items[value->n++] = index;
}

static struct pickle_value *top(const struct pickle *pickle, size_t depth)
{
    if (depth >= pickle->n_stack)
        pickle_die(pickle, "a value is missing on the stack");
    return &pickle->values[pickle->stack[pickle->n_stack - 1 - depth]];
}

/* ---- What opcodes do ---- */

static void push_text(struct pickle *pickle, size_t len)
{
    const char *text = (const char *)take(pickle, len);
    struct pickle_value *value = push(pickle, PICKLE_TEXT, 0);
    value->text = text;
    value->n = len;
}

/* A tuple of the n values on top of the stack. */
static void make_tuple(struct pickle *pickle, size_t n)
{
    if (n > pickle->n_stack)
        pickle_die(pickle, "a value is missing on the stack");
    size_t first = pickle->n_stack - n;
    struct pickle_value tuple = {.kind = PICKLE_TUPLE};
    for (size_t i = first; i < pickle->n_stack; i++)
        add_item(&tuple, pickle->stack[i]);
    pickle->n_stack = first;
    *push(pickle, PICKLE_TUPLE, 0) = tuple;
}

/* How many values stand above the last mark, which is taken off below them. */
static size_t take_mark(struct pickle *pickle)
{
    size_t n = 0;
    while (top(pickle, n)->kind != PICKLE_MARK)
        n++;
    uint32_t *mark = &pickle->stack[pickle->n_stack - 1 - n];
    memmove(mark, mark + 1, n * sizeof *mark);
    pickle->n_stack--;
    return n;
}

/* The n values on top of the stack are put into the list or dictionary below them. */
static void put_into(struct pickle *pickle, size_t n, enum pickle_kind kind)
{
    struct pickle_value *target = top(pickle, n);
    bool is_paired = kind == PICKLE_DICTIONARY;
    if (target->kind != kind && !(is_paired && target->kind == PICKLE_CALL))
        pickle_die(pickle, "items are put into what holds none");
    if (is_paired && n % 2 != 0)
        pickle_die(pickle, "a key has no value");
    for (size_t i = pickle->n_stack - n; i < pickle->n_stack; i++)
        add_item(target, pickle->stack[i]);
    pickle->n_stack -= n;
}

/* "module\nname\n" */
static void push_function(struct pickle *pickle)
{
    size_t begin = pickle->at, length[2] = {0, 0};
    for (size_t i = 0; i < 2; i++)
        while (*take(pickle, 1) != '\n')
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

/* function, arguments → the call */
static void make_call(struct pickle *pickle)
{
    if (top(pickle, 0)->kind != PICKLE_TUPLE || top(pickle, 1)->kind != PICKLE_FUNCTION)
        pickle_die(pickle, "a call of what is no function");
    int64_t function = top(pickle, 1)->number;
    uint32_t arguments = pickle->stack[pickle->n_stack - 1];
    pickle->n_stack -= 2;
    add_item(push(pickle, PICKLE_CALL, function), arguments);
}

static void make_outside(struct pickle *pickle)
{
    if (top(pickle, 0)->kind != PICKLE_TUPLE)
        pickle_die(pickle, "a persistent value that no tuple describes");
    uint32_t described = pickle->stack[--pickle->n_stack];
    add_item(push(pickle, PICKLE_OUTSIDE, 0), described);
}

/* Attributes of an object: torch keeps versions of modules there, which say nothing of numbers. */
static void drop_attributes(struct pickle *pickle)
{
    if (top(pickle, 1)->kind != PICKLE_CALL || top(pickle, 0)->kind != PICKLE_DICTIONARY)
        pickle_die(pickle, "attributes of what has none");
    pickle->n_stack--;
}

/* Memo numbers are given in order. */
static void remember(struct pickle *pickle, uint64_t number)
{
    if (top(pickle, 0)->kind == PICKLE_MARK || number > pickle->n_memo)
        pickle_die(pickle, "a number of the memo that is not the next");
    pickle->memo[number] = pickle->stack[pickle->n_stack - 1];
    pickle->n_memo += number == pickle->n_memo;
}

static void recall(struct pickle *pickle, uint64_t number)
{
    if (number >= pickle->n_memo)
        pickle_die(pickle, "a number of the memo that was not given");
    push_index(pickle, pickle->memo[number]);
}

static void push_long(struct pickle *pickle)
{
    size_t n = (size_t)take_number(pickle, 1);
    if (n > sizeof(int64_t))
        pickle_die(pickle, "a number of more than 64 bits");
    push(pickle, PICKLE_NUMBER, take_signed(pickle, n));
}

static void check_protocol(struct pickle *pickle)
{
    if (take_number(pickle, 1) != 2)
        program_die(
            "%s: another protocol; expected 2, that of torch.save, at byte %zu of the pickle",
            pickle->name, pickle->at - 1);
}

static void run(struct pickle *pickle, uint8_t opcode)
{
    switch (opcode) {
    case 0x80: check_protocol(pickle); break;
    case '(': push(pickle, PICKLE_MARK, 0); break;
    case 'N': push(pickle, PICKLE_NONE, 0); break;
    case 0x88: push(pickle, PICKLE_BOOL, 1); break;
    case 0x89: push(pickle, PICKLE_BOOL, 0); break;
    case 'K': push(pickle, PICKLE_NUMBER, (int64_t)take_number(pickle, 1)); break;
    case 'M': push(pickle, PICKLE_NUMBER, (int64_t)take_number(pickle, 2)); break;
    case 'J': push(pickle, PICKLE_NUMBER, take_signed(pickle, 4)); break;
    case 0x8A: push_long(pickle); break;
    case 'G': take(pickle, 8), push(pickle, PICKLE_REAL, 0); break;
    case 'X': push_text(pickle, (size_t)take_number(pickle, 4)); break;
    case ')': push(pickle, PICKLE_TUPLE, 0); break;
    case ']': push(pickle, PICKLE_LIST, 0); break;
    case '}': push(pickle, PICKLE_DICTIONARY, 0); break;
    case 't': make_tuple(pickle, take_mark(pickle)); break;
    case 0x85: make_tuple(pickle, 1); break;
    case 0x86: make_tuple(pickle, 2); break;
    case 0x87: make_tuple(pickle, 3); break;
    case 'a': put_into(pickle, 1, PICKLE_LIST); break;
    case 'e': put_into(pickle, take_mark(pickle), PICKLE_LIST); break;
    case 's': put_into(pickle, 2, PICKLE_DICTIONARY); break;
    case 'u': put_into(pickle, take_mark(pickle), PICKLE_DICTIONARY); break;
    case 'c': push_function(pickle); break;
    case 'R': make_call(pickle); break;
    case 'Q': make_outside(pickle); break;
    case 'b': drop_attributes(pickle); break;
    case 'q': remember(pickle, take_number(pickle, 1)); break;
    case 'r': remember(pickle, take_number(pickle, 4)); break;
    case 'h': recall(pickle, take_number(pickle, 1)); break;
    case 'j': recall(pickle, take_number(pickle, 4)); break;
    default:
        program_die(
            "%s: the opcode 0x%02X at byte %zu of the pickle is none that a state dictionary "
            "needs",
            pickle->name, opcode, pickle->at - 1);
    }
}

const struct pickle_value *pickle_read(struct pickle *pickle)
{
    static const uint8_t STOP = '.';
    pickle->values = alloc_zeros(pickle->len, sizeof *pickle->values);
    pickle->stack = alloc_zeros(pickle->len, sizeof *pickle->stack);
    pickle->memo = alloc_zeros(pickle->len, sizeof *pickle->memo);
    uint8_t opcode = *take(pickle, 1);
    for (; opcode != STOP; opcode = *take(pickle, 1))
        run(pickle, opcode);
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
