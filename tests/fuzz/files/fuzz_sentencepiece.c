/* Any bytes as a model of sentencepiece; the first byte chooses the class that the files beside it
 * name. What passes has as many scores as words, and finite ones. */
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/import/refusals.h"
#include "tools/import/tokenizer/tokenizer_file.h"

#include <math.h>
#include <string.h>

static const char *const CLASSES[] = {"XLMRobertaTokenizer", "CamembertTokenizer",
                                      "AlbertTokenizer", "DebertaV2Tokenizer", "T5Tokenizer"};
enum { N_CLASSES = sizeof CLASSES / sizeof *CLASSES, SCORES = 24 };

static void read_model(struct import_tokenizer *tokenizer, unsigned choice, const char *data,
                       size_t len)
{
    static struct tokenizer_beside beside;
    const bool is_lower = choice / N_CLASSES % 2 == 1;
    beside = (struct tokenizer_beside){
        .config.name = "tokenizer_config.json",
        .config.root = json_pack("{s:s, s:b, s:b}", "tokenizer_class", CLASSES[choice % N_CLASSES],
                                 "do_lower_case", (int)is_lower, "keep_accents", (int)is_lower)};
    *tokenizer = (struct import_tokenizer){.draft = DRAFT_EMPTY, .name = "spiece.model"};
    sentencepiece_read(tokenizer, data, len, &beside);
}

static void check_scores(const struct tokenizer_draft *draft)
{
    const struct draft_section *section = &draft->sections[0];
    must(strcmp(section->tag, "PIEC") == 0 && section->len >= SCORES + 8 * draft->words.n);
    for (size_t id = 0; id < draft->words.n; id++) {
        double score;
        memcpy(&score, (const char *)section->data + SCORES + 8 * id, sizeof score);
        must(isfinite(score));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct import_tokenizer tokenizer;
    static bool is_right;
    if (size == 0)
        return 0;
    READ_OR_REFUSE(&is_right, read_model(&tokenizer, data[0], (const char *)data + 1, size - 1));
    if (is_right)
        check_scores(&tokenizer.draft);
    import_free();
    return 0;
}
