/* program_ends.c - see program_ends.h. */
#include "tests/tools/program_ends.h"

#include <stdio.h>

jmp_buf program_back;
int program_code;
char program_words[1024];

void program_go_back(int code, const char *message)
{
    program_code = code;
    snprintf(program_words, sizeof program_words, "%s", message ? message : "");
    longjmp(program_back, 1);
}
