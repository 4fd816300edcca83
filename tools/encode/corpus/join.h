/* join.h - the parts of all shards as one output, byte for byte that of one run over the whole. */
#ifndef TOOLS_ENCODE_JOIN_H
#define TOOLS_ENCODE_JOIN_H

/* Finds the parts of the output by their marks, checks that all are there, whole and of one run,
 * and writes the output, its rows file and its report. Returns the program's exit code, or
 * ends it. */
int join_shards(const char *output_path);

#endif
