/* normal_form.c - the canonical ordering and composition algorithms (Unicode standard, chapter
 * 3.11), with the reference's rules for spans (its `transform` of a string with alignments): spans
 * are not moved with the characters when marks are reordered, but assigned in the order of the
 * text. A composite gets the span of its first character; the other characters of a decomposition
 * share the span of the character before them.
 */
#include "model/unicode/normal_form.h"

#include "model/unicode/unicode.h"

void normal_form_begin(struct normal_form *form, size_t at)
{
    form->n_marks = form->n_blocked = 0;
    form->has_starter = false;
    form->last_class = -1;
    span_ring_begin(&form->spans, at);
}

static void emit(struct normal_form *form, struct form_char c)
{
    struct span_ring *spans = &form->spans;
    const struct text_span span = c.change > 0 ? spans->last : span_ring_next(spans);
    for (int n = c.change; n < 0; n++)
        span_ring_next(spans);
    form->emit(form->user, (struct normal_char){c.code, span.begin, span.end});
}

static void emit_starter(struct normal_form *form)
{
    if (form->has_starter)
        emit(form, form->starter);
    form->has_starter = false;
    for (size_t i = 0; i < form->n_blocked; i++)
        emit(form, form->blocked[i]);
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

/* Appends a character in canonical order. */
static void append_ordered(struct normal_form *form, struct form_char c)
{
    const bool is_blocked = form->last_class >= c.combining_class;
    if (!form->compose || (!form->has_starter && c.combining_class != 0)) {
        emit(form, c);
        return;
    }
    if (form->has_starter && !is_blocked && compose(form, c))
        return;
    if (c.combining_class == 0 || form->n_blocked == FORM_MARKS)
        emit_starter(form);
    if (c.combining_class == 0) {
        form->starter = c;
        form->has_starter = true;
    } else if (form->has_starter) {
        form->blocked[form->n_blocked++] = c;
        form->last_class = c.combining_class;
    } else {
        emit(form, c);
    }
}

/* Insertion keeps the order of equal classes; marks are nearly always in order already. */
static void append_marks(struct normal_form *form)
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
        append_ordered(form, marks[i]);
}

void normal_form_add(struct normal_form *form, struct normal_char c)
{
    uint32_t codes[UNICODE_DECOMPOSED];
    const size_t n = unicode_decompose(c.code, form->compatible, codes);
    span_ring_add(&form->spans, c);
    for (size_t i = 0; i < n; i++) {
        const struct form_char part = {.code = codes[i],
                                       .change = i > 0,
                                       .combining_class = unicode_combining_class(codes[i])};
        if (part.combining_class == 0 || form->n_marks == FORM_MARKS)
            append_marks(form);
        if (part.combining_class == 0)
            append_ordered(form, part);
        else
            form->marks[form->n_marks++] = part;
    }
}

void normal_form_end(struct normal_form *form)
{
    append_marks(form);
    emit_starter(form);
}
