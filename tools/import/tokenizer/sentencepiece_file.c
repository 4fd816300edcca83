/* sentencepiece_file.c - a message is a row of fields: a number that says which and of what form
 * (0 a variable number of 7 bits a byte, 1 eight bytes, 2 a length and so many bytes, 5 four
 * bytes), and the value. Fields that are not needed are passed over.
 */
#include "tools/import/tokenizer/sentencepiece_file.h"

#include "tools/common/alloc.h"
#include "tools/common/print/utf8.h"

#include <string.h>

/* ---- Fields ---- */

struct message {
    const struct import_tokenizer *tokenizer; /* for refusals */
    const uint8_t *data, *end;
};

struct field {
    uint64_t key;         /* the field's number */
    uint64_t value;       /* of forms 0 and 5 */
    struct message bytes; /* of form 2 */
};

_Noreturn static void message_die(const struct message *message)
{
    file_die(message->tokenizer->name, "no model of sentencepiece, or a damaged one: its fields "
                                       "do not lie in the file");
}

static uint64_t read_number(struct message *message)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && message->data < message->end; shift += 7) {
        uint8_t byte = *message->data++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return number;
    }
    message_die(message);
}

static const uint8_t *read_bytes(struct message *message, uint64_t n)
{
    if (n > (uint64_t)(message->end - message->data))
        message_die(message);
    message->data += n;
    return message->data - n;
}

/* False at the end of the message. */
static bool next_field(struct message *message, struct field *field)
{
    if (message->data == message->end)
        return false;
    uint64_t key = read_number(message);
    *field = (struct field){.key = key >> 3};
    switch (key & 7) {
    case 0: field->value = read_number(message); return true;
    case 1: read_bytes(message, 8); return true;
    case 2: {
        uint64_t n = read_number(message);
        const uint8_t *data = read_bytes(message, n);
        field->bytes = (struct message){message->tokenizer, data, data + n};
        return true;
    }
    case 5: {
        uint32_t bits;
        memcpy(&bits, read_bytes(message, sizeof bits), sizeof bits);
        field->value = bits;
        return true;
    }
    default: message_die(message);
    }
}

/* ---- The parts of a model ---- */

enum { MODEL_PIECE = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3 };

/* One field of a part of the model; of a piece it goes there. */
static void take_field(struct sentencepiece_file *file, struct sentencepiece_piece *piece,
                       uint64_t part, const struct field *field)
{
    const uint8_t *data = field->bytes.data;
    const size_t len = data != NULL ? (size_t)(field->bytes.end - data) : 0;
    const uint32_t bits = (uint32_t)field->value;
    float score;
    if (part == MODEL_PIECE && field->key == 1 && data != NULL) {
        piece->text = (const char *)data;
        piece->len = len;
    } else if (part == MODEL_PIECE && field->key == 2) {
        memcpy(&score, &bits, sizeof score);
        piece->score = (double)score;
    } else if (part == MODEL_PIECE && field->key == 3) {
        piece->type = field->value;
    } else if (part == MODEL_TRAINER && field->key == 3) {
        file->model_type = field->value;
    } else if (part == MODEL_TRAINER && field->key == 40) {
        file->unknown = field->value;
    } else if (part == MODEL_NORMALIZER && field->key == 2 && len > 0) {
        file->map = data;
        file->map_len = len;
    }
}

void sentencepiece_file_read(struct sentencepiece_file *file,
                             const struct import_tokenizer *tokenizer, const char *data, size_t len)
{
    const uint8_t *bytes = (const uint8_t *)data;
    struct message message = {tokenizer, bytes, bytes + len};
    struct field part, field;
    size_t cap = 0;
    *file = (struct sentencepiece_file){.model_type = 1};
    while (next_field(&message, &part)) {
        struct sentencepiece_piece piece = {.text = "", .type = 1};
        while (part.bytes.data != NULL && next_field(&part.bytes, &field))
            take_field(file, &piece, part.key, &field);
        if (part.key != MODEL_PIECE || part.bytes.data == NULL)
            continue;
        if (!utf8_is_valid(piece.text, piece.len) || memchr(piece.text, '\0', piece.len) != NULL)
            file_die(tokenizer->name, "a piece is not UTF-8, or has a NUL byte");
        if (file->n == cap)
            file->pieces = alloc_resize(file->pieces, cap = 2 * cap + 1024, sizeof *file->pieces);
        file->pieces[file->n++] = piece;
    }
    if (file->n == 0)
        file_die(tokenizer->name, "no model of sentencepiece: it has no pieces");
}
