/* problem.c - the words of a refusal; see problem.h. */
#include "tools/common/weights/problem.h"

#include "tools/common/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* C0 and C1 controls, the latter as UTF-8 (C2 80 to C2 9F), would move the cursor of a terminal. */
static void hide_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
        if (*c < ' ' || *c == 0x7F)
            *c = '?';
        else if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F)
            c[0] = c[1] = '?';
    }
}

void problem_in(struct problem *problem, const char *name, const char *format, va_list arguments)
{
    size_t cap = sizeof problem->text, used = 0;
    if (name != NULL)
        used = (size_t)snprintf(problem->text, cap, "%s%s", name,
                                format[0] == ' ' || format[0] == ',' ? "" : ": ");
    if (used < cap)
        vsnprintf(problem->text + used, cap - used, format, arguments);
    hide_controls(problem->text);
    if (problem->goes_back)
        longjmp(problem->back, 1);
    if (problem->before_end != NULL)
        problem->before_end();
    exit(program_fail("%s", problem->text));
}

void problem_say(struct problem *problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem_in(problem, NULL, format, arguments);
}

void problem_of(struct problem *problem, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem_in(problem, name, format, arguments);
}

void problem_note(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hide_controls(text);
    program_note("%s", text);
}
