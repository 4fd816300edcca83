/* sandbox.h - denies this program what it does not need to import a stranger's files: other files,
 * by Landlock (Linux 5.13), and by a filter of system calls network sockets, other programs, and
 * other processes' memory. */
#ifndef TOOLS_IMPORT_SANDBOX_H
#define TOOLS_IMPORT_SANDBOX_H

#include "tools/import/import_options.h"

/* After this call only these can be opened: the source to read, with the targets of symbolic links
 * in a directory (download caches are made of them), system libraries to read, and the folder of
 * the output. Open descriptors stay open. If the system lacks any of these protections, the program
 * continues without a message, but SANDBOX_REQUIRE ends it. */
void sandbox_enter(const struct import_options *options);

#endif
