/* stop.c - see stop.h. A descriptor becomes readable, so that no signal is missed between a look at
 * the flag and a wait for input; the session's call is interrupted, and if the signal came before
 * the call, its progress callback sees the flag. */
#include "tools/encode/corpus/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int event = -1;
static engine_session *volatile at_work;
static const int SIGNALS[] = {SIGINT, SIGTERM};
static struct sigaction before[2];

static void request_stop(int signal_number)
{
    static const uint64_t one = 1;
    const int reason = errno;
    for (size_t i = 0; i < 2; i++)
        sigaction(SIGNALS[i], &before[i], NULL);
    caught = signal_number;
    engine_session_interrupt(at_work);
    if (write(event, &one, sizeof one) < 0)
        caught = signal_number; /* no one waits on an event that failed */
    errno = reason;
}

int stop_catch(engine_session *session)
{
    const struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESTART};
    at_work = session;
    event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (size_t i = 0; i < 2; i++)
        if (sigaction(SIGNALS[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(SIGNALS[i], &action, NULL);
    return event;
}

void stop_release(void)
{
    at_work = NULL;
}

int stop_signal(void)
{
    return caught;
}

int stop_progress(size_t n_done, size_t n, void *user)
{
    (void)n_done, (void)n, (void)user;
    return caught;
}
