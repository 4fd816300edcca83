/* problem.c - the words of a refusal; see problem.h. */
#include "tools/common/weights/problem.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

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

bool problem_say(struct problem *problem, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    hide_controls(problem->text);
    return false;
}

bool problem_memory(struct problem *problem)
{
    return problem_say(problem, "no memory");
}
