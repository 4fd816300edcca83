/* tasks.h - what encode does with texts, a function for each way of going through them. */
#ifndef TOOLS_ENCODE_TASKS_H
#define TOOLS_ENCODE_TASKS_H

#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/encode_options.h"

struct notes;
struct corpus;

/* What all of them are given. */
struct job {
    const struct encode_options *options;
    struct encoder *encoder;
    struct reader *reader;
    struct output *output;
    struct notes *notes;
    struct corpus *corpus; /* NULL: the run leaves no journal */
};

/* Each returns the program's exit code; what went wrong has been said, except of writes that
 * failed, which output_end says. */

/* Result by result, in order and in constant memory: vectors, tokens, labels, entities, words. */
int encode_texts(const struct job *job);

/* Two texts: which vectors of the words that both have differ, and why. */
int compare_texts(const struct job *job);

/* How well each text answers a query: best first, or as they come with --in-order. Memory grows by
 * a score per text; the texts wait in a temporary file. */
int rank_texts(const struct job *job);

/* The cosine of every text's vector with every other's, when all are read. */
int print_similarities(const struct job *job);

/* The cosine of the two texts of each pair, pair by pair. */
int print_pair_similarities(const struct job *job);

/* The masks of all texts, padded to one length: the longest text's unless --pad-to says another. */
int show_masks(const struct job *job);

#endif
