/* polite_threads.h - a program's threads leave the processors to others while they have no work. */
#ifndef TOOLS_POLITE_THREADS_H
#define TOOLS_POLITE_THREADS_H

#include <stddef.h>

/* Called before anything is read or written, with the arguments of main, by a program that will
 * encode with so many threads (0: the engine's choice). May start the program again. */
void polite_threads(char *argv[], size_t n_threads);

#endif
