/* options.c - option values, messages and exit codes of the programs; see options.h.
 *
 * Numbers are read with strto… in the C locale (no program calls setlocale) and must fill the
 * whole text: "12k", " 12", "+12" and "" are refused rather than half read.
 */
#include "tools/common/options.h"

#include "engine/engine.h"
#include "tools/common/print/display.h"
#include "tools/writer/output_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 8192 }; /* two paths, and words around them */
static const char *name_of_program = "encode";

/* Reports that a mapped file was cut before the page that is read, and ends the program. */
static void end_at_lost_page(int signal_number)
{
    static const char MESSAGE[] =
        ": a file was overwritten or cut off while it was in use (to replace a file that is in "
        "use, write another one beside it, and rename that)\n";
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, name_of_program, strlen(name_of_program));
    written = written < 0 ? written : write(STDERR_FILENO, MESSAGE, sizeof MESSAGE - 1);
    output_file_unlink_unfinished();
    _exit(PROGRAM_FAILED);
}

/* If descriptor 0, 1 or 2 is closed, the next file that is opened would get its number, and
 * messages would go into a result. So they are opened, each in the wrong direction: reading stdin
 * or writing to stdout fails as it would have. Without /dev/null stdin may stay closed: nothing is
 * written there, and most programs need none. */
void program_begin(char *name, char *argv[])
{
    static const int contrary[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    name_of_program = name;
    if (argv[0] != NULL)
        argv[0] = name;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of a file's length fails */
    signal(SIGBUS, end_at_lost_page);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", contrary[fd]) != fd && fd != STDIN_FILENO)
            program_die("cannot open /dev/null as descriptor %d, which is closed: %s", fd,
                        strerror(errno));
}

const char *program_name(void)
{
    return name_of_program;
}

bool program_is_quiet;
void (*program_before_message)(void);

static void print_message(int code, const char *message)
{
    char shown[2 * MESSAGE_BYTES];
    if (program_before_message != NULL)
        program_before_message();
    display_copy(message, shown, sizeof shown);
    fprintf(stderr, "%s: %s\n", name_of_program, shown);
    if (code == PROGRAM_MISUSED)
        fprintf(stderr, "Try '%s --help'.\n", name_of_program);
}

__attribute__((noreturn)) static void print_and_exit(int code, const char *message)
{
    if (message != NULL)
        print_message(code, message);
    exit(code);
}

void (*program_ending)(int code, const char *message) __attribute__((noreturn)) = print_and_exit;

/* Appends to a message of len bytes, which ends in "..." if it is too long. */
static void append_words(char message[MESSAGE_BYTES], size_t len, const char *format,
                         va_list arguments)
{
    if (len >= MESSAGE_BYTES || vsnprintf(message + len, MESSAGE_BYTES - len, format, arguments) >=
                                    (int)(MESSAGE_BYTES - len))
        strcpy(message + MESSAGE_BYTES - sizeof "...", "...");
}

int program_say(int code, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    if (program_is_quiet && code == PROGRAM_DONE)
        return code;
    va_start(arguments, format);
    append_words(message, 0, format, arguments);
    va_end(arguments);
    print_message(code, message);
    return code;
}

void program_die_as(int code, const char *file, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    const char *colon = format[0] == ' ' || format[0] == ',' ? "" : ": ";
    va_list arguments;
    va_start(arguments, format);
    append_words(message, file ? (size_t)snprintf(message, sizeof message, "%s%s", file, colon) : 0,
                 format, arguments);
    program_ending(code, message);
}

int program_version(void)
{
    printf("%s %s\n%s\n", name_of_program, engine_version(), engine_build_info());
    return program_end(PROGRAM_DONE);
}

int program_end(int code)
{
    errno = 0;
    int failed = ferror(stdout);
    if (fflush(stdout) == 0 && !failed)
        return code;
    if (errno == 0) { /* an earlier write failed, and its reason is lost: another write has it */
        putchar('\n');
        fflush(stdout);
    }
    if (errno == EPIPE)
        return PROGRAM_FAILED;
    return program_fail("cannot write to stdout: %s", errno ? strerror(errno) : "a write failed");
}

/* ---- Threads ---- */

/* Of LLVM's runtime, NULL without it: for how many milliseconds its threads spin. */
__attribute__((weak)) void kmp_set_blocktime(int milliseconds);

/* OpenMP's threads spin for milliseconds when a call is over, and slow down other programs,
 * unless OMP_WAIT_POLICY is passive. GCC's runtime reads that when loaded, before any line of the
 * program: so the program sets it and starts itself again, which takes a millisecond. LLVM's has a
 * function.
 *
 * Where the user has threads bound to CPUs, GCC's runtime has bound this one too: started again,
 * the program would have that CPU alone. "ld.so PROGRAM" runs the dynamic linker, which is then no
 * program's and has no base address: to the system ld.so is the program, which could not be started
 * with PROGRAM's arguments. If starting again fails, threads spin, and everything else works as
 * usual. */
void set_passive_waiting(char *argv[], size_t n_threads)
{
    static const char *const CHOICES[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                          "OMP_PROC_BIND",   "OMP_PLACES",     "GOMP_CPU_AFFINITY"};
    char program[PATH_MAX];
    for (size_t i = 0; i < sizeof CHOICES / sizeof CHOICES[0]; i++)
        if (getenv(CHOICES[i]) != NULL)
            return;
    if (n_threads == 1)
        return;
    if (kmp_set_blocktime != NULL) {
        kmp_set_blocktime(0);
        return;
    }
    const bool linker_was_started = getauxval(AT_BASE) == 0;
    const ssize_t len =
        linker_was_started ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0 || setenv("OMP_WAIT_POLICY", "passive", 1) != 0)
        return;
    program[len] = '\0';
    execv(program, argv);
}

/* ---- Paths, time, numbers ---- */

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

bool name_ends_in(const char *name, const char *ending)
{
    const size_t len = strlen(name), ending_len = strlen(ending);
    return len >= ending_len && strcmp(name + len - ending_len, ending) == 0;
}

bool path_ends_in(const char *path, const char *ending)
{
    const size_t len = strlen(path), ending_len = strlen(ending);
    return len >= ending_len && strcasecmp(path + len - ending_len, ending) == 0;
}

const char *path_kind(const char *path, const struct path_ending *endings)
{
    while (path && endings->ending && !path_ends_in(path, endings->ending))
        endings++;
    return path ? endings->meaning : NULL;
}

double program_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t option_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || number < least || number > most)
        program_die_misused("%s takes a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                            option, least, most, text);
    return number;
}

double option_between(const char *option, const char *text, double least, double most)
{
    char *end = NULL;
    const double value = isspace((unsigned char)text[0]) ? 0 : strtod(text, &end);
    if (end && end != text && *end == '\0' && isfinite(value) && value >= least && value <= most)
        return value;
    if (isinf(least))
        program_die_misused("%s takes a number, not '%s'", option, text);
    program_die_misused("%s takes a number from %g to %g, not '%s'", option, least, most, text);
}
