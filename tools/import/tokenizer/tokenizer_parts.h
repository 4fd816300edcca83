/* tokenizer_parts.h - the tokenizer of a checkpoint, and putting it together: texts by id and
 * settings, whichever file they come from.
 */
#ifndef TOOLS_IMPORT_TOKENIZER_PARTS_H
#define TOOLS_IMPORT_TOKENIZER_PARTS_H

#include "tools/common/options.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"

#include <stdio.h>

enum { TEMPLATE_BYTES = 512 };

struct import_tokenizer {
    /* TOKN without the templates, which depend on the model's token types, and VOCB. */
    struct tokenizer_draft draft;
    char single[TEMPLATE_BYTES], pair[TEMPLATE_BYTES]; /* templates, or "": the defaults */
    /* Facts for the rest of the import. */
    int64_t max_length; /* model_max_length of tokenizer_config.json; 0: it says none */
    bool lowercases;    /* capitals and small letters give the same tokens */
    bool gives_types;   /* else the type of every token is 0 */
    char note[512];     /* something that the user should hear, or "" */
    /* While it is read: the file, for messages, and where they go. */
    const char *name;
};

/* Gives an id its text ("": it has none). Refused: another text there, the same text under another
 * id, numbers that no vocabulary needs. */
void parts_place(struct import_tokenizer *tokenizer, uint64_t id, const char *text, size_t len);

/* The id of a special token, which must be there. */
size_t parts_special(const struct import_tokenizer *tokenizer, const char *text);

/* Whether a tokenizer_class is the one of that name, fast or not. */
bool parts_is_class(const char *tokenizer_class, const char *name);

/* The line at text[*at], [*len] without its end, LF or CR LF, or NULL; *at moves behind it. */
const char *parts_next_line(const char *text, size_t text_len, size_t *at, size_t *len);

/* Whether the vocabulary has the tokens <0x00> to <0xFF>. Refused: it has some of them, for then
 * the reference decides text by text. */
bool parts_have_bytes(const struct import_tokenizer *tokenizer);

/* The templates of one text and of two, with a token before them and one behind each text. */
enum frame { FRAME_BERT /* types 0 and 1 */, FRAME_ROBERTA /* type 0, two tokens between texts */ };
void parts_frame(struct import_tokenizer *tokenizer, size_t first, size_t last, enum frame frame);

/* A setting that is a list, put together piece by piece with blanks between them. */
struct blank_list {
    char *text; /* [len], then a NUL; NULL at first */
    size_t len, cap, n;
};
void list_add(struct blank_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Continues the last item. */
void list_append(struct blank_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the list, unless it is empty. */
void list_set(struct blank_list *list, struct tokenizer_draft *draft, const char *key);

/* ---- What a Unigram tokenizer has beside its vocabulary, as sections of the weight file: pieces
 * with their scores (PIEC), sentencepiece's map of characters (CMAP) ---- */

/* Of the pieces that are placed: the kind, and the section. scores: [words.n], by id. */
void unigram_set(struct import_tokenizer *tokenizer, const double *scores, size_t unknown,
                 bool byte_fallback);

/* A map as sentencepiece has it; the tokenizer has none before. */
void charsmap_set(struct import_tokenizer *tokenizer, const void *map, size_t len);

/* The same in base64. */
void charsmap_set_base64(struct import_tokenizer *tokenizer, const char *text, size_t len);

#endif
