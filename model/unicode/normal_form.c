/* normal_form.c - the canonical ordering and composition algorithms (Unicode standard,
 * chapter 3.11), with spans that go the way of the reference (its `transform` of a string with
 * alignments): spans are not moved with the characters when marks change places, but are given out
 * in the order of the text. A composite takes the span of the first of its characters; the others
 * of a decomposition share the span of the character before them.
 */
#include "model/unicode/normal_form.h"

#include "model/unicode/unicode.h"

void normal_form_begin(struct normal_form *form, size_t at)
{
    form->n_marks = form->n_blocked = form->first_span = form->n_spans = 0;
    form->has_starter = false;
    form->last_class = -1;
    form->last_span = (struct form_span){at, at};
}

static struct form_span next_span(struct normal_form *form)
{
    if (form->n_spans > 0) {
        form->last_span = form->spans[form->first_span];
        form->first_span = (form->first_span + 1) % FORM_SPANS;
        form->n_spans--;
    }
    return form->last_span;
}

static void give(struct normal_form *form, struct form_char c)
{
    const struct form_span span = c.change > 0 ? form->last_span : next_span(form);
    for (int n = c.change; n < 0; n++)
        next_span(form);
    form->take(form->user, (struct normal_char){c.code, span.begin, span.end});
}

static void give_starter(struct normal_form *form)
{
    if (form->has_starter)
        give(form, form->starter);
    form->has_starter = false;
    for (size_t i = 0; i < form->n_blocked; i++)
        give(form, form->blocked[i]);
    form->n_blocked = 0;
    form->last_class = -1;
}

static bool compose(struct normal_form *form, struct form_char c)
{
    const uint32_t whole = unicode_compose(form->starter.code, c.code);
    if (whole == 0)
        return false;
    form->starter.code = whole;
    form->starter.change = (int16_t)(form->starter.change + c.change - 1);
    return true;
}

/* Takes characters in canonical order. */
static void put_ordered(struct normal_form *form, struct form_char c)
{
    const bool is_blocked = form->last_class >= c.combining_class;
    if (!form->compose || (!form->has_starter && c.combining_class != 0)) {
        give(form, c);
        return;
    }
    if (form->has_starter && !is_blocked && compose(form, c))
        return;
    if (c.combining_class == 0 || form->n_blocked == FORM_MARKS)
        give_starter(form);
    if (c.combining_class == 0) {
        form->starter = c;
        form->has_starter = true;
    } else if (form->has_starter) {
        form->blocked[form->n_blocked++] = c;
        form->last_class = c.combining_class;
    } else {
        give(form, c);
    }
}

/* Insertion keeps the order of equal classes; marks come in order nearly always. */
static void put_marks(struct normal_form *form)
{
    struct form_char *marks = form->marks;
    for (size_t i = 1; i < form->n_marks; i++) {
        const struct form_char mark = marks[i];
        size_t to = i;
        for (; to > 0 && marks[to - 1].combining_class > mark.combining_class; to--)
            marks[to] = marks[to - 1];
        marks[to] = mark;
    }
    const size_t n = form->n_marks;
    form->n_marks = 0;
    for (size_t i = 0; i < n; i++)
        put_ordered(form, marks[i]);
}

void normal_form_put(struct normal_form *form, struct normal_char c)
{
    uint32_t codes[UNICODE_DECOMPOSED];
    const size_t n = unicode_decompose(c.code, form->compatible, codes);
    form->spans[(form->first_span + form->n_spans++) % FORM_SPANS] =
        (struct form_span){c.begin, c.end};
    for (size_t i = 0; i < n; i++) {
        const struct form_char part = {.code = codes[i],
                                       .change = i > 0,
                                       .combining_class = unicode_combining_class(codes[i])};
        if (part.combining_class == 0 || form->n_marks == FORM_MARKS)
            put_marks(form);
        if (part.combining_class == 0)
            put_ordered(form, part);
        else
            form->marks[form->n_marks++] = part;
    }
}

void normal_form_end(struct normal_form *form)
{
    put_marks(form);
    give_starter(form);
}
