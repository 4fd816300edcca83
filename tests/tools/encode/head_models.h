/* head_models.h - weight files with a head of each kind, whose answers can be worked out by hand.
 *
 * They have no layers: a token's hidden state is its row of the embedding table, and that is the
 * unit vector of its id. So the mean of "dog cat" is half of dog's and half of cat's, and a head's
 * logits for a token are column `id` of its output layer.
 *
 *     id    0      1      2      3       4   5    6    7    8     9      10  11    12   13
 *     text  [UNK]  [CLS]  [SEP]  [MASK]  dog cat  good bad  paul  smith  in  rome  the  .
 *
 * Templates: [CLS] A [SEP]; [CLS] A [SEP] B [SEP]. 12 tokens at most; texts are split at blanks.
 */
#ifndef TESTS_TOOLS_HEAD_MODELS_H
#define TESTS_TOOLS_HEAD_MODELS_H

/* Writes into the current folder
 *   plain.emb      pooling mean; prompts query, passage ("the "), style; default_prompt style
 *   bare.emb       no pooling, no prompts
 *   projected.emb  pooling mean, then a projection to 3 values: the first three of the mean
 *   pooler.emb     a pooler: tanh of the first token's state
 *   token.head     softmax of 4 labels, O B-PER I-PER B-LOC: 4 for the right one of paul, smith,
 *                  rome, and of O for all others
 *   pieces.head    like token.head, by WordPiece at punctuation: "pauldog" is paul ##dog (id 5),
 *                  and "." is B-LOC
 *   sequence.head  softmax of 3 labels of the first token, BAD and GOOD and one without a name;
 *                  templates without [CLS]; "good" has 2 for GOOD, "bad" 3 for BAD
 *   pair.head      one label; a pair begins with the second text, whose first token scores:
 *                  dog 1.5, cat -0.5, rome 3, others 0
 *   mask.head      for [MASK]: logits rome 5, paul 4, dog 3, others 0
 *   lexical.emb    pooling cls; sparse linear: [CLS] 9, dog 2, cat 0.5, bad -1, others 0, without
 *                  [CLS] and [SEP]; vectors of tokens, but not of the first: [SEP] (1, 1), dog
 *                  (2, 0), cat (0, 3), good (3, 4), bad (-1, 0), before they get length 1
 *   colbert.emb    no pooling; vectors of tokens as above, [CLS] and [SEP] (1, 0), "." (0, 1),
 *                  which documents skip; prompts query "good ", document "bad ", the default one
 *   splade.head    sparse mask: logits of token paul are rome 3 and paul 1, of dog rome 1 and
 *                  cat -5
 *   words.alone    the tokenizer without a model
 */
void head_models_write(void);

#endif
