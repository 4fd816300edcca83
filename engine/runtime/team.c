/* team.c - waiting for other threads: spin, then sleep in futex(2). */
#include "engine/runtime/team.h"

#include "engine/runtime/profile.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds. Linux puts threads that sleep at every barrier on one processor, where they work in
 * turn: on two idle processors a 16-token text took 1.8 ms with 100 microseconds of spinning, 3 to
 * 5 ms with 5 or 20. So a thread whose spin time is short tries the longest now and then, for at
 * most a twentieth of the time. */
enum { LEAST_SPIN = 1000, MOST_SPIN = 100000, BETWEEN_TRIALS = 20 * MOST_SPIN };
enum { PAUSES = 8 }; /* between readings of the clock */

/* 15 to 55 ns on the measured processors; without it, the core's other hardware thread slows. */
#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE() ((void)0)
#endif

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static bool has_happened(struct event *event, uint32_t n_seen)
{
    return atomic_load_explicit(&event->n_signals, memory_order_acquire) != n_seen;
}

/* Returns whether the event happened while it spun, for an adaptive time: next time twice as long
 * if it succeeded, half as long if not. */
static bool spin(struct event *event, uint32_t n_seen)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    uint32_t spin_ns = atomic_load_explicit(&event->spin_ns, memory_order_relaxed);
    bool is_trial = begin >= atomic_load_explicit(&event->trial_ns, memory_order_relaxed);
    if (is_trial) {
        atomic_store_explicit(&event->trial_ns, begin + BETWEEN_TRIALS, memory_order_relaxed);
        spin_ns = MOST_SPIN;
    }
    bool happened = false;
    do {
        for (int i = 0; i < PAUSES && !happened; i++) {
            PAUSE();
            happened = has_happened(event, n_seen);
        }
    } while (!happened && clock_ns(CLOCK_MONOTONIC) - begin <= spin_ns);
    uint32_t next = happened ? 2 * spin_ns : spin_ns / 2;
    next = next < LEAST_SPIN ? LEAST_SPIN : next > MOST_SPIN ? MOST_SPIN : next;
    if (happened || !is_trial)
        atomic_store_explicit(&event->spin_ns, next, memory_order_relaxed);
    return happened;
}

/* n_sleepers is raised before the kernel reads n_signals, and event_signal raises n_signals before
 * it reads n_sleepers: one of the two always sees the other. */
void event_wait(struct event *event, uint32_t n_seen)
{
    if (has_happened(event, n_seen) || spin(event, n_seen))
        return;
    atomic_fetch_add(&event->n_sleepers, 1);
    while (atomic_load(&event->n_signals) == n_seen)
        futex(&event->n_signals, FUTEX_WAIT_PRIVATE, n_seen);
    atomic_fetch_sub(&event->n_sleepers, 1);
}

void event_signal(struct event *event)
{
    atomic_fetch_add(&event->n_signals, 1);
    if (atomic_load(&event->n_sleepers) > 0)
        futex(&event->n_signals, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

/* The last to arrive wakes the others. */
void team_wait(struct team team)
{
    if (team.size == 1)
        return;
    struct barrier *barrier = team.barrier;
    uint32_t n_signals = atomic_load(&barrier->met.n_signals);
    if (atomic_fetch_add(&barrier->n_arrived, 1) + 1 == team.size) {
        atomic_store(&barrier->n_arrived, 0);
        event_signal(&barrier->met);
    } else {
        event_wait(&barrier->met, n_signals);
    }
}
