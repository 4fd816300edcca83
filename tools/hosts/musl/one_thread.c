/* one_thread.c - what a build for musl has in place of other libraries: OpenMP of one thread, as
 * libgomp of GCC is made for glibc, and the checked calls of glibc in Debian's static jansson. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALWAYS(name, value)                                                                        \
    int name(void)                                                                                 \
    {                                                                                              \
        return value;                                                                              \
    }
ALWAYS(omp_get_thread_num, 0)
ALWAYS(omp_get_num_threads, 1)
ALWAYS(omp_get_thread_limit, 1)
ALWAYS(omp_get_num_procs, 1)
ALWAYS(omp_get_level, 0)
ALWAYS(omp_get_active_level, 0)
ALWAYS(omp_get_max_active_levels, 0)

int __vsnprintf_chk(char *out, size_t n, int flag, size_t room, const char *format, va_list given)
{
    (void)flag;
    return vsnprintf(out, n < room ? n : room, format, given);
}

int __snprintf_chk(char *out, size_t n, int flag, size_t room, const char *format, ...)
{
    va_list given;
    va_start(given, format);
    int length = __vsnprintf_chk(out, n, flag, room, format, given);
    va_end(given);
    return length;
}

char *__strncpy_chk(char *out, const char *text, size_t n, size_t room)
{
    return strncpy(out, text, n < room ? n : room);
}
