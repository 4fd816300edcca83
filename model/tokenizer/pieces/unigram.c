/* unigram.c - Viterbi's search, forwards over the characters of a word: the best path to the end of
 * character i is the best path to the start of a piece, plus that piece. Sums are in double and
 * absolute, starts ascend, then lengths do, and a later path must be better: so ties resolve as in
 * the reference (encode_optimized of HuggingFace tokenizers). A character that is no piece by
 * itself is unknown, and costs 10 more than the worst piece; unknown characters in a row are one
 * token.
 *
 * A word may be longer than the memory. Every path through it passes one of the nodes from which
 * pieces are not tried yet, or a later node that pieces have reached. If the best paths to all of
 * these are the same up to some node, its tokens are certain, and are added. If not (a repeated
 * letter: the word's length decides where its odd piece is), only the scores of these nodes are
 * stored, and for each the earlier stored node that it comes from; at the end of the word all are
 * decided backwards, and the text is read again, with the decisions.
 */
#include "model/tokenizer/pieces/unigram.h"

#include "model/tokenizer/tokenizer.h"

/* ---- The best way ---- */

/* Flags of n_chars: a path starts here; used by find_certain. */
enum { ROOT = 1 << 14, MARK = 1 << 15 };

static void relax(struct unigram_node *from, size_t n_chars, double score, int32_t id)
{
    struct unigram_node *node = from + n_chars;
    if (node->n_chars == 0 || score > node->score)
        *node = (struct unigram_node){score, id, (uint16_t)n_chars, from->root};
}

/* Tries all pieces that start with character i. */
static void extend(struct unigram *unigram, const struct tokenizer *tokenizer,
                   const struct word *word, size_t i)
{
    const struct unigram_pieces *pieces = &tokenizer->unigram;
    struct unigram_node *from = &unigram->nodes[i];
    struct trie_state state = trie_root(&pieces->trie);
    bool is_piece = false;
    size_t at = word->chars[i].at, n = 0;
    for (bool goes_on = true; i + n < word->n_chars;) {
        const size_t end = word_at(word, i + n + 1);
        while (at < end && goes_on)
            goes_on = trie_step(&pieces->trie, &state, (uint8_t)word->bytes[at++]);
        if (!goes_on)
            break;
        n++;
        const uint32_t id = state.is_end ? trie_value(&pieces->trie, state) : UINT32_MAX;
        if (id >= pieces->n)
            continue;
        relax(from, n, from->score + pieces->scores[id], (int32_t)id);
        is_piece = is_piece || n == 1;
    }
    if (!is_piece)
        relax(from, 1, from->score + pieces->unknown_score, tokenizer->unknown);
}

/* Tries pieces from each character that is followed by at least `ahead` bytes of the word. */
static void search(struct unigram *unigram, const struct tokenizer *tokenizer,
                   const struct word *word, size_t ahead)
{
    if (unigram->n_nodes == 0) {
        unigram->nodes[0] = (struct unigram_node){.n_chars = ROOT};
        unigram->n_nodes = 1;
        unigram->next = unigram->base = 0;
    }
    for (; unigram->n_nodes <= word->n_chars; unigram->n_nodes++)
        unigram->nodes[unigram->n_nodes].n_chars = 0;
    for (; unigram->next < word->n_chars; unigram->next++) {
        if (word->len - word->chars[unigram->next].at < ahead)
            break;
        extend(unigram, tokenizer, word, unigram->next);
    }
}

/* ---- Tokens ---- */

static void end_unknown(struct word_sink *sink, struct unigram *unigram)
{
    for (size_t i = unigram->first; unigram->in_unknown && i < sink->n; i++)
        word_sink_extend(sink, i, unigram->end);
    unigram->in_unknown = false;
}

/* Adds a token for each byte of the characters; its span covers the adjacent unknown characters. */
static void add_bytes(struct word_sink *sink, const struct unigram *unigram,
                      const struct word *word, size_t first, size_t n)
{
    for (size_t at = word_at(word, first); at < word_at(word, first + n); at++) {
        const int32_t id = sink->tokenizer->bytes[(uint8_t)word->bytes[at]];
        word_sink_token(sink, id >= 0 ? id : sink->tokenizer->unknown, unigram->begin,
                        unigram->end);
    }
}

/* Adds characters first .. first + n - 1, which are unknown. is_last: the next ones are not. */
static void add_unknown(struct word_sink *sink, struct unigram *unigram, const struct word *word,
                        size_t first, size_t n, bool is_last)
{
    const bool is_token = n > 1 && !unigram->in_unknown && is_last; /* the text "<unk>" */
    const bool in_bytes = sink->tokenizer->byte_fallback && !is_token;
    const bool is_first = !unigram->in_unknown;
    if (is_first) {
        unigram->in_unknown = true;
        unigram->first = sink->n;
        unigram->begin = word->chars[first].begin;
    }
    unigram->end = word->chars[first + n - 1].end;
    if (in_bytes)
        add_bytes(sink, unigram, word, first, n);
    else if (is_first)
        word_sink_token(sink, sink->tokenizer->unknown, unigram->begin, unigram->end);
    if (is_last)
        end_unknown(sink, unigram);
}

/* Reverses the best path to a node: each node on it then has the piece that starts there. */
static void turn_around(struct unigram_node *nodes, size_t last)
{
    struct unigram_node piece = nodes[last];
    for (size_t at = last; !(piece.n_chars & ROOT);) {
        at -= piece.n_chars;
        const struct unigram_node before = nodes[at];
        nodes[at].id = piece.id;
        nodes[at].n_chars = piece.n_chars;
        piece = before;
    }
}

/* Adds the tokens of the best path from the base to the end of character n - 1. at_end: the word
 * ends there. */
static void add_tokens(struct word_sink *sink, struct unigram *unigram, const struct word *word,
                       size_t n, bool at_end)
{
    const int32_t unknown = sink->tokenizer->unknown;
    struct unigram_node *nodes = unigram->nodes;
    turn_around(nodes, n);
    for (size_t at = unigram->base, end; at < n; at = end) {
        end = at + nodes[at].n_chars;
        const bool next_is_known = end < n ? nodes[end].id != unknown : at_end;
        if (nodes[at].id == unknown) {
            add_unknown(sink, unigram, word, at, nodes[at].n_chars, next_is_known);
            continue;
        }
        end_unknown(sink, unigram);
        word_sink_token(sink, nodes[at].id, word->chars[at].begin, word->chars[end - 1].end);
    }
}

/* ---- Long words ---- */

/* Returns the last node on the best paths to all nodes from which the search may continue. */
static size_t find_certain(struct unigram *unigram)
{
    struct unigram_node *nodes = unigram->nodes;
    size_t n_marked = 0, at = unigram->n_nodes - 1;
    for (size_t i = unigram->next; i < unigram->n_nodes; i++)
        if (nodes[i].n_chars > 0) {
            nodes[i].n_chars |= MARK;
            n_marked++;
        }
    for (; at > unigram->base; at--) {
        if (!(nodes[at].n_chars & MARK))
            continue;
        nodes[at].n_chars &= (uint16_t)~MARK;
        if (n_marked == 1)
            break;
        struct unigram_node *before = &nodes[at - nodes[at].n_chars];
        n_marked -= (before->n_chars & MARK) != 0;
        before->n_chars |= MARK;
    }
    nodes[at].n_chars &= (uint16_t)~MARK;
    return at;
}

/* Drops the characters before n: the word continues from there. */
static void forget(struct unigram *unigram, struct word *word, size_t n)
{
    unigram->n_nodes -= n;
    unigram->next -= n;
    unigram->base = 0;
    memmove(unigram->nodes, unigram->nodes + n, unigram->n_nodes * sizeof *unigram->nodes);
    unigram->nodes[0].n_chars = ROOT;
    word_forget(word, n);
}

/* Decides all undecided turns, given the right node of the last one. */
static void decide(struct unigram *unigram, size_t root)
{
    for (size_t turn = unigram->n_turns;
         !unigram->is_second_time && turn-- > unigram->first_lost;) {
        unigram->chosen[turn] = (uint16_t)root;
        root = unigram->roots[turn * unigram->width + root];
    }
    if (unigram->is_lost)
        unigram->base = unigram->chosen[unigram->n_turns - 1];
    unigram->is_lost = false;
    unigram->first_lost = unigram->n_turns;
}

/* Decides if all nodes from which the search may continue come from one root, the right one. */
static void decide_early(struct unigram *unigram)
{
    const uint16_t root = unigram->nodes[unigram->next].root;
    for (size_t i = unigram->next; i < unigram->n_nodes; i++)
        if (unigram->nodes[i].n_chars > 0 && unigram->nodes[i].root != root)
            return;
    decide(unigram, root);
}

/* If nothing is certain: makes each node from which the search may continue a root. */
static void turn(struct word_sink *sink, struct unigram *unigram, struct word *word)
{
    const size_t next = unigram->next;
    uint16_t *roots = unigram->roots + unigram->n_turns * unigram->width;
    const uint16_t chosen = unigram->chosen[unigram->n_turns++];
    if (unigram->is_second_time)
        add_tokens(sink, unigram, word, next + chosen, false);
    for (size_t i = next; i < unigram->n_nodes; i++) {
        struct unigram_node *node = &unigram->nodes[i];
        roots[i - next] = node->root;
        node->root = (uint16_t)(i - next);
        node->n_chars = node->n_chars > 0 ? ROOT : 0;
    }
    forget(unigram, word, next);
    unigram->is_lost = true;
    unigram->base = unigram->is_second_time ? chosen : 0;
}

void unigram_add_part(struct word *word)
{
    struct word_sink *sink = word->sink;
    struct unigram *unigram = word->work.unigram;
    word_spell(word);
    search(unigram, sink->tokenizer, word, sink->tokenizer->unigram.longest);
    meter_take(sink->meter, unigram->n_nodes);
    if (unigram->is_lost)
        decide_early(unigram);
    size_t n = unigram->is_lost ? unigram->base : find_certain(unigram);
    if (n == unigram->base && unigram->n_turns < UNIGRAM_TURNS) {
        turn(sink, unigram, word);
        return;
    }
    if (n == unigram->base) { /* no memory for more: a piece ends where the search is */
        n = unigram->next;
        decide(unigram, unigram->nodes[n].root);
        for (size_t i = n + 1; i < unigram->n_nodes; i++)
            unigram->nodes[i].n_chars = 0;
    }
    add_tokens(sink, unigram, word, n, false);
    unigram->nodes[n].root = 0;
    for (size_t i = n + 1; i < unigram->n_nodes; i++)
        unigram->nodes[i].root = 0;
    forget(unigram, word, n);
}

void unigram_add(struct word *word)
{
    struct unigram *unigram = word->work.unigram;
    word_spell(word);
    search(unigram, word->sink->tokenizer, word, 0);
    decide(unigram, unigram->nodes[word->n_chars].root);
    add_tokens(word->sink, unigram, word, word->n_chars, true);
    unigram->in_unknown = false;
    unigram->n_nodes = 0;
}

/* ---- A text ---- */

void unigram_carve(struct unigram *unigram, const struct unigram_pieces *pieces,
                   struct arena *arena)
{
    const size_t width = pieces->longest + 1;
    *unigram = (struct unigram){.width = width};
    unigram->nodes = arena_cut(arena, UNIGRAM_CHARS + 1, sizeof *unigram->nodes);
    unigram->roots = arena_cut(arena, width, UNIGRAM_TURNS * sizeof *unigram->roots);
    unigram->chosen = arena_cut(arena, UNIGRAM_TURNS, sizeof *unigram->chosen);
}

void unigram_begin(struct unigram *unigram, bool is_second_time)
{
    unigram->n_turns = unigram->first_lost = 0;
    unigram->is_lost = false;
    unigram->is_second_time = is_second_time;
}
