/* The fuzz target of encode-new, on command lines made from sound ones. */
#include "tests/fuzz/fuzz_new.c"

#include "tests/support.h"

#define SHAPE  "--layers\n1\n--width\n8\n--feed-forward\n12\n--max-tokens\n9\n"
#define TOKENS "--words\n[CLS] [SEP] I ride bike\n--template-single\n[CLS]:0 A:0 [SEP]:0\n"
#define TEXT   "\nI ride a bike [CLS]"
#define SET    "--set\n"

TEST(replay)
{
    static const char *const lines[] = {
        ".." SHAPE TOKENS "--token-types\n2\n--position\nlearned\n--position-offset\n2\n"
        "--template-pair\n[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1\n--pooling\npooler\n--head\npooler\n"
        "--head-dense\ntanh\n--norm-place\npre\n--final-norm\nyes\n--norm\nrms\n" TEXT,
        "0@" SHAPE "--gate\nsecond\n--activation\nsilu\n--type\nint8\n--labels\nneg,pos\n--heads\n"
        "4\n--head-norm\nyes\n--embedding-norm\nlayer\n--mask\ncausal\n--keras\n" TEXT,
        "\n\x81" SHAPE "--head\ntoken\n--labels\n3\n--scores\nsigmoid\n--truncate\nyes\n--lower\n"
        "yes\n--projections\n2\n--projection-activation\nrelu\n--position\nbinary\n" TEXT,
        "p\xFF" SHAPE "--head\nmask\n--head-tied\nyes\n--add-token\n[MASK]\n--position\nfourier\n"
        "--frequencies\n.5,.25\n--position-scale\n2\n--embedding-scale\nsqrt\n--type\nbf16\n" TEXT,
        "01" SHAPE SET "layers=3\n" SET "attention_position=rotary\n" SET "window=1\n" SET
        "global_every=2\n" SET "rotary_local_base=50\n" SET "rotary_trained=2\n" SET
        "rotary_factor=2\n--norm-place\npre\n" SET "first_norm=no\n" SET "rotary_width=2\n" TEXT,
        "02" SHAPE SET "layers=3\n" SET "layer_groups=2\n" SET "attention_position=alibi\n" SET
        "key_value_heads=1\n" SET "head_width=5\n" SET "query_key_norm=yes\n--norm-place\n"
        "sandwich\n" SET "score_scale=0.5\n" SET "token_vectors=4\n--mask\ncausal\n" TEXT,
        "03" SHAPE SET "attention_position=distance\n" SET "distances=2\n" SET
        "feed_forward_in_bias=no\n" SET "sparse=linear\n" SET "rotary_pairs=half\n--embedding-width"
        "\n4\n" SET "head=mask\n" SET "head_dense=gelu\n" SET "head_dense_bias=no\n" TEXT,
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        replay(lines[i], strlen(lines[i]), 4000);
}
