/* request.h - what a call asks for, read once: its options with every default resolved, the prompt
 * before its texts, and the form of the answer; and a text's tokens under these options. */
#ifndef ENGINE_REQUEST_H
#define ENGINE_REQUEST_H

#include "engine/session.h"
#include "model/tokenizer/tokenize.h"

/* Words before texts, because the model was trained with them ("query: "). A file stores its
 * prompts in META as prompt.NAME, and the name of the default one as default_prompt. A text and its
 * prompt are tokenized as one text. */
struct prompt {
    const char *text; /* [len], borrowed; NULL: no prompt */
    size_t len;
};

enum answer_kind {
    ANSWER_NOTHING,      /* the caller reads the pass itself */
    ANSWER_TOKENS,       /* [T, D] */
    ANSWER_POOLED,       /* [D], or [output_width] by the model's own pooling */
    ANSWER_LABELS,       /* [labels] of the sequence */
    ANSWER_TOKEN_LABELS, /* [T, labels] */
    ANSWER_SPARSE,       /* [V] */
    ANSWER_VECTORS,      /* [tokens with a vector, W] */
    ANSWER_MAX_SIM,      /* [1]: score of these vectors against a query's */
};

struct request {
    engine_encode_options options; /* as the caller set them */
    /* Answer. */
    engine_pooling answer; /* neither MODEL nor TEXT */
    enum answer_kind kind;
    size_t width;         /* floats of an answer row */
    enum pooling pooling; /* of ANSWER_POOLED */
    engine_metric metric; /* by which its vectors are compared */
    bool is_own;          /* the model's own pooling: with all of its steps */
    bool normalize;
    /* ANSWER_SPARSE of a query, if the model has weights for its ids: of these alone, without
     * special tokens. */
    bool by_ids;
    bool is_query;
    const float *query; /* ANSWER_MAX_SIM: the query's vectors, [n_query, width of a vector] */
    size_t n_query, query_width;
    bool *have_text;    /* [inputs of the call]: set to engine_has_text of each; NULL: not asked */
    enum scores scores; /* of labels */
    /* Texts. */
    size_t first_input; /* index of the first input in messages; 0 except in engine_rank */
    size_t n_inputs;    /* of all encode() calls of one engine_rank; 0: a single call */
    struct prompt prompt, pair_prompt; /* before each text, and before the second one of a pair */
    bool special, truncate;
};

static inline bool answers_per_token(const struct request *request)
{
    return request->kind == ANSWER_TOKENS || request->kind == ANSWER_TOKEN_LABELS ||
           request->kind == ANSWER_VECTORS;
}

static inline bool gives_vectors(const struct request *request)
{
    return request->kind == ANSWER_VECTORS || request->kind == ANSWER_MAX_SIM;
}

/* What a call needs of its options: the answer that they ask for, what they say of texts alone, or
 * labels or rows of tokens of a head, which ignores their pooling, normalize and dimensions. */
enum request_part { REQUEST_ANSWER, REQUEST_TEXTS, REQUEST_LABELS, REQUEST_TOKENS };

/* Reads the options of a call of engine_encode. */
engine_status request_read(const engine_model *model, const engine_encode_options *options,
                           enum request_part part, struct request *request, engine_error *error);

/* Refuses a model whose own answer is labels: its body's vectors mean nothing. */
engine_status refuse_labels(const engine_model *model, engine_error *error);
engine_status no_head(const engine_model *model, const char *wanted, engine_error *error);

/* Returns the most tokens of a text. */
size_t request_token_limit(const struct request *request, const engine_model *model);

/* Tokenizes inputs[index], a text or a pair, after its prompt. A longer text is cut if the request
 * says so; count->n includes tokens that did not fit. On failure the message is in the session's
 * error. */
struct token_room {
    engine_token *tokens; /* [cap] */
    size_t cap, limit;    /* limit: of the text */
};
engine_status read_tokens(engine_session *session, const struct request *request,
                          const engine_input *input, size_t index, struct token_room room,
                          struct token_count *count);

#endif
