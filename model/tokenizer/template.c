/* template.c - a template is a list of pieces, `A`, `B` or a special token's id, each with a token
 * type: "101:0 A:0 102:0 B:1 102:1". Texts of a and b tokens, a + b > r, keep
 *
 *   n1 = min(a, b);  n2 = max(n1, r - n1);  if n1 + n2 > r: n1 = floor(r / 2), n2 = n1 + r mod 2
 *
 * tokens: n1 of the shorter (the first, if they are equal), n2 of the other. Or only one of them is
 * cut; then something of it must be left.
 */
#include "model/tokenizer/template.h"

#include "model/tokenizer/words.h"

#include <string.h>

int32_t template_number(const char *text, size_t len)
{
    int64_t number = 0;
    if (len == 0)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = 10 * number + (text[i] - '0');
        if (number > INT32_MAX)
            return -1;
    }
    return (int32_t)number;
}

static bool parse_piece(struct template_piece *piece, const char *text, size_t len)
{
    const char *colon = memchr(text, ':', len);
    if (colon == NULL)
        return false;
    const size_t id_len = (size_t)(colon - text);
    piece->type = template_number(colon + 1, len - id_len - 1);
    if (piece->type < 0)
        return false;
    if (id_len == 1 && (text[0] == 'A' || text[0] == 'B')) {
        piece->id = text[0] == 'A' ? TEMPLATE_A : TEMPLATE_B;
        return true;
    }
    piece->id = template_number(text, id_len);
    return piece->id >= 0;
}

bool template_parse(struct token_template *template, const char *text, size_t len, size_t n_texts)
{
    struct token_template parsed = {.n_pieces = 0};
    size_t n_a = 0, n_b = 0;
    for (size_t at = 0; at < len;) {
        if (text[at] == ' ') {
            at++;
            continue;
        }
        const char *blank = memchr(text + at, ' ', len - at);
        const size_t piece_len = blank == NULL ? len - at : (size_t)(blank - (text + at));
        struct template_piece piece;
        if (parsed.n_pieces == TEMPLATE_PIECES || !parse_piece(&piece, text + at, piece_len))
            return false;
        parsed.pieces[parsed.n_pieces++] = piece;
        n_a += piece.id == TEMPLATE_A;
        n_b += piece.id == TEMPLATE_B;
        at += piece_len;
    }
    if (n_a != 1 || n_b != n_texts - 1)
        return false;
    parsed.n_special = parsed.n_pieces - n_texts;
    *template = parsed;
    return true;
}

static void keep_longest_first(const size_t counts[2], size_t room, size_t kept[2])
{
    const size_t shorter = counts[0] <= counts[1] ? 0 : 1;
    size_t n1 = counts[shorter];
    size_t n2 = room > n1 && room - n1 > n1 ? room - n1 : n1;
    if (n1 > room || n2 > room - n1) {
        n1 = room / 2;
        n2 = n1 + room % 2;
    }
    kept[shorter] = n1;
    kept[1 - shorter] = n2;
}

const char *template_truncate(enum truncation truncation, bool has_pair, const size_t counts[2],
                              size_t room, size_t kept[2])
{
    const size_t only = truncation == TRUNCATE_ONLY_SECOND;
    kept[0] = counts[0];
    kept[1] = counts[1];
    if (counts[0] <= room && counts[1] <= room - counts[0])
        return NULL;
    if (room == 0) {
        kept[0] = kept[1] = 0;
    } else if (truncation != TRUNCATE_LONGEST_FIRST) {
        if (only == 1 && !has_pair)
            return "only the second text is to be cut, and there is none";
        if (counts[1 - only] >= room)
            return "the text that is to be cut would have to be cut away";
        kept[only] = room - counts[1 - only];
    } else if (has_pair) {
        keep_longest_first(counts, room, kept);
    } else {
        kept[0] = room;
    }
    return NULL;
}

static void split_text(struct word_sink *sink, const char *text, size_t len, char *scratch)
{
    if (len == 0)
        return;
    switch (sink->tokenizer->kind) {
    case TOKENIZER_BLANKS: blanks_split(sink, text, len, scratch); break;
    case TOKENIZER_KERAS: keras_split(sink, text, len, scratch); break;
    case TOKENIZER_WORDPIECE:
    case TOKENIZER_WORDS: pipeline_split(sink, text, len, scratch); break;
    }
}

size_t template_fill(const struct tokenizer *tokenizer, const struct token_input *input,
                     bool special, const struct text_cut cuts[2], struct token *out, size_t cap,
                     void *scratch, struct text_count counts[2])
{
    const struct token_template *template =
        input->pair != NULL ? &tokenizer->pair : &tokenizer->single;
    size_t n = 0;
    for (size_t i = 0; i < template->n_pieces; i++) {
        const struct template_piece piece = template->pieces[i];
        if (piece.id >= 0) {
            if (special && n < cap)
                out[n] = (struct token){.id = piece.id, .type = piece.type, .special = true};
            n += special;
            continue;
        }
        const size_t which = piece.id == TEMPLATE_B;
        const size_t space = n < cap ? cap - n : 0;
        struct word_sink sink = {
            .tokenizer = tokenizer,
            .out = space > 0 ? out + n : NULL,
            .cap = space < cuts[which].kept ? space : cuts[which].kept,
            .skip = cuts[which].skipped,
            .count = &counts[which],
            .type = piece.type,
            .in_pair = which == 1,
        };
        counts[which].reached = SIZE_MAX;
        counts[which].before = 0;
        split_text(&sink, which == 1 ? input->pair : input->text,
                   which == 1 ? input->pair_len : input->text_len, scratch);
        counts[which].n = sink.n;
        const size_t left = sink.n > sink.skip ? sink.n - sink.skip : 0;
        n += left < cuts[which].kept ? left : cuts[which].kept;
    }
    return n;
}
