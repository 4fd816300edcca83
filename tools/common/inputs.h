/* inputs.h - the files that a program reads, so that it writes over none of them.
 *
 * Two paths are one file where device and inode are the same: links, /dev/stdin and other ways of
 * writing a path are seen through. Pipes and devices can be read and written at once. Where the
 * program would write over what it reads, both functions end it, as misused. */
#ifndef TOOLS_INPUTS_H
#define TOOLS_INPUTS_H

#include <stddef.h>

/* Remembers a file ("-": stdin) that is read, or will be; stdout must be another file, and so must
 * stderr, else the program ends without a message. A missing file is reported when it is opened. */
void input_remember(const char *path);

/* Ends the program if the output is a remembered file. */
void input_refuse_output(const char *output);

/* Reads and remembers a file ("-": stdin) of at most 1 GiB; a NUL byte follows its *len bytes.
 * Returns PROGRAM_DONE, or an exit code after a message. */
int input_read(const char *path, char **data, size_t *len);

#endif
