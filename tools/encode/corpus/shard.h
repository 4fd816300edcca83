/* shard.h - one of N parts of a corpus, made by a run of its own: of the lines of a file those that
 * begin in bytes [size * (I - 1) / N, size * I / N). All parts together have each line once.
 *
 * The output of shard I of FILE is FILE.I-of-N. It is complete when its mark is there,
 * FILE.I-of-N.done: a line of JSON like those of a journal (journal.h), which says what made the
 * part, what of the input it has, and how long and with which checksum each of its files is.
 */
#ifndef TOOLS_ENCODE_SHARD_H
#define TOOLS_ENCODE_SHARD_H

#include "tools/common/texts/reader.h"
#include "tools/encode/corpus/journal.h"
#include "tools/encode/encode_options.h"

struct shard {
    struct shard_number number;
    char *path, *mark_path; /* FILE.I-of-N, and with .done */
    uint64_t input_size;    /* of the whole file */
    uint64_t begin; /* where its first line begins; of a shard without lines, the next one's */
    uint64_t limit; /* its lines begin before this byte */
    int fd;         /* the file, at `begin` */
};

/* The name of a part, or with the ending ".done" of its mark; to be freed. */
char *shard_path(const char *output_path, struct shard_number number, const char *ending);

/* Finds the lines of the shard in the file on stdin, or ends the program. */
void shard_open(struct shard *shard, const struct encode_options *options);
void shard_close(struct shard *shard);

/* What all shards of a run have in common: {"of": …, "input_size": …}. */
json_t *shard_common(const struct shard *shard);

/* The reader, from stdin, reads these lines alone. */
void shard_limit(const struct shard *shard, struct reader *reader);

/* Writes the mark, or ends the program: all files of the part are in their places. */
void shard_mark(const struct shard *shard, const json_t *settings,
                const struct journal_entry *reached);

/* Whether the input still has the lines that the mark tells of, which are read for it. */
bool shard_has_lines_of(const struct shard *shard, const json_t *mark);

void shard_remove_mark(const struct shard *shard);

/* The mark of a part, to be released; NULL: there is none, or it is not whole. */
json_t *shard_read_mark(const char *output_path, struct shard_number number);

#endif
