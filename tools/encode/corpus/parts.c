/* parts.c - see parts.h. */
#include "tools/encode/corpus/parts.h"

#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct part {
    const char *whole, *name; /* "out.npy" and "out.npy.part" */
    bool is_output;
};

/* Parts lie beside the file that a link stands for (output_file.h). */
static uint64_t with_part(const char *path, const char *ending, bool is_output,
                          uint64_t (*act)(const struct part *part))
{
    char *named = alloc_text("%s%s", path, ending), *target = realpath(named, NULL);
    const char *whole = target ? target : named;
    char *name = alloc_text("%s.part", whole);
    const uint64_t bytes = act(&(struct part){whole, name, is_output});
    free(name);
    free(target);
    free(named);
    return bytes;
}

/* In the order in which they are put in their places. Returns the sum of what act returns. */
static uint64_t with_each_part(const char *output_path, const char *report_path,
                               uint64_t (*act)(const struct part *part))
{
    uint64_t bytes = report_path ? with_part(report_path, "", false, act) : 0;
    bytes += with_part(output_path, OUTPUT_LEFT_OUT, false, act);
    bytes += with_part(output_path, OUTPUT_ROWS, false, act);
    bytes += with_part(output_path, "", true, act);
    return bytes + with_part(output_path, OUTPUT_ORIGIN, false, act);
}

static uint64_t part_bytes(const struct part *part)
{
    struct stat file;
    return stat(part->name, &file) == 0 ? (uint64_t)file.st_size : 0;
}

uint64_t parts_bytes(const char *output_path, const char *report_path)
{
    return with_each_part(output_path, report_path, part_bytes);
}

static uint64_t drop_part(const struct part *part)
{
    unlink(part->name);
    return 0;
}

void parts_drop(const char *output_path, const char *report_path)
{
    with_each_part(output_path, report_path, drop_part);
}

/* Where there is no part it is in its place. Beside the output one without a byte says nothing, and
 * what an earlier run had to say is no longer true. */
static uint64_t name_part(const struct part *part)
{
    struct stat file;
    const bool is_there = stat(part->name, &file) == 0;
    if (!is_there && (!part->is_output || access(part->whole, F_OK) == 0))
        return 0;
    const bool is_needed = part->is_output || file.st_size > 0;
    if (!is_needed)
        unlink(part->whole);
    if ((is_needed ? rename(part->name, part->whole) : unlink(part->name)) != 0)
        program_die("cannot put '%s' in its place: %s", part->whole, strerror(errno));
    output_file_sync_folder(part->whole);
    return 0;
}

void parts_put_in_place(const char *output_path, const char *report_path)
{
    with_each_part(output_path, report_path, name_part);
}
