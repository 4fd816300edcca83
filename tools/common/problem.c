/* problem.c - the words of a refusal; see problem.h. */
#include "tools/common/problem.h"

#include "tools/common/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct problem problem;

void problem_in(const char *name, const char *format, va_list arguments)
{
    size_t cap = sizeof problem.text, used = 0;
    if (name != NULL)
        used = (size_t)snprintf(problem.text, cap, "%s%s", name,
                                format[0] == ' ' || format[0] == ',' ? "" : ": ");
    if (used < cap)
        vsnprintf(problem.text + used, cap - used, format, arguments);
    if (problem.goes_back)
        longjmp(problem.back, 1);
    if (problem.before_end != NULL)
        problem.before_end();
    exit(program_fail("%s", problem.text));
}

void problem_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem_in(NULL, format, arguments);
}

void problem_of(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem_in(name, format, arguments);
}
