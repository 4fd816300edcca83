/* stop.c - see stop.h. A descriptor tells of the signal, so that none can come unseen between a
 * look at the flag and a wait for input. */
#include "tools/encode/corpus/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int told = -1;

static void request_stop(int signal_number)
{
    static const uint64_t one = 1;
    const int reason = errno;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    caught = signal_number;
    if (write(told, &one, sizeof one) < 0)
        caught = signal_number; /* nobody waits who could not be told */
    errno = reason;
}

static void catch_signal(int signal_number)
{
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESTART}, before;
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal_number, &action, NULL);
}

int stop_catch(void)
{
    told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    return told;
}

int stop_signal(void)
{
    return caught;
}
