/* sandbox.h - takes away from this program what it does not need to import a stranger's files:
 * files other than its own by Landlock (Linux 5.13), and by a filter of system calls network
 * sockets, other programs, and other processes' memory.
 */
#ifndef TOOLS_IMPORT_SANDBOX_H
#define TOOLS_IMPORT_SANDBOX_H

#include "tools/import/import_options.h"

/* From here on only these can be opened: the source to read, with what symbolic links in a
 * directory lead to (download caches are made of them), system libraries to read, and the folder of
 * the output. Descriptors that are open stay. Where the system lacks any of it, nothing is said,
 * but SANDBOX_REQUIRE ends the program. */
void sandbox_enter(const struct import_options *options);

#endif
