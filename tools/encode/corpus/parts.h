/* parts.h - what a run that ended early has left of its output: FILE.part, and a part of each file
 * that may lie beside FILE. */
#ifndef TOOLS_ENCODE_PARTS_H
#define TOOLS_ENCODE_PARTS_H

#include <stdint.h>

/* How many bytes they have together. */
uint64_t parts_bytes(const char *output_path, const char *report_path);

/* Removes them. The report may be elsewhere, or NULL. */
void parts_drop(const char *output_path, const char *report_path);

/* Puts parts that are complete in their places, the output last, or ends the program. */
void parts_put_in_place(const char *output_path, const char *report_path);

#endif
