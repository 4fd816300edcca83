/* parts.c - see parts.h. */
#include "tools/encode/corpus/parts.h"

#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the order in which they are put in their places. */
static const char *const ENDINGS[] = {OUTPUT_LEFT_OUT, OUTPUT_ROWS, ""};
enum { N_ENDINGS = sizeof ENDINGS / sizeof ENDINGS[0] };

struct part {
    char *whole, *name; /* "out.npy" and "out.npy.part" */
};

/* Parts lie beside the file that a link stands for (output_file.h). */
static struct part find_part(const char *path, const char *ending)
{
    char *named = alloc_text("%s%s", path, ending), *target = realpath(named, NULL);
    struct part part = {.whole = target ? target : named};
    if (target)
        free(named);
    part.name = alloc_text("%s.part", part.whole);
    return part;
}

static void free_part(struct part *part)
{
    free(part->whole);
    free(part->name);
}

static void drop(const char *path, const char *ending)
{
    struct part part = find_part(path, ending);
    unlink(part.name);
    free_part(&part);
}

void parts_drop(const char *output_path, const char *report_path)
{
    for (size_t i = 0; i < N_ENDINGS; i++)
        drop(output_path, ENDINGS[i]);
    if (report_path)
        drop(report_path, "");
}

/* Beside the output one without a byte says nothing, and what an earlier run had to say is no
 * longer true. */
static bool move(const struct part *part, bool is_output)
{
    struct stat file;
    if (stat(part->name, &file) != 0)
        return true;
    if (is_output || file.st_size > 0)
        return rename(part->name, part->whole) == 0;
    unlink(part->whole);
    return unlink(part->name) == 0;
}

static bool place(const char *path, const char *ending, bool is_output)
{
    struct part part = find_part(path, ending);
    const bool is_placed =
        move(&part, is_output) ||
        program_refuse("cannot put '%s' in its place: %s", part.whole, strerror(errno));
    free_part(&part);
    return is_placed;
}

bool parts_place(const char *output_path, const char *report_path)
{
    bool is_placed = !report_path || place(report_path, "", false);
    for (size_t i = 0; i < N_ENDINGS && is_placed; i++)
        is_placed = place(output_path, ENDINGS[i], ENDINGS[i][0] == '\0');
    return is_placed;
}
