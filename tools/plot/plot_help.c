/* plot_help.c - what encode-plot --help and encode-plot PICTURE --help print. */
#include "tools/plot/plot_options.h"

const char PLOT_HELP[] =
    "Usage: encode-plot PICTURE [OPTION ...] [TEXT ...]\n"
    "Positions, attention and words in pictures and numbers. gnuplot draws; numbers need none.\n"
    "\n"
    "  position     position vectors: heat map, waves, correlation, cosine, distance\n"
    "  attention    which token looks at which: a head, all heads of a layer, rollout\n"
    "  words        words in the plane (PCA), without and with positions\n"
    "  layers       how far each layer moves each token\n"
    "  order        a sentence and its permutations: distances of their vectors\n"
    "  similarity   cosines of a list of texts\n"
    "\n"
    "  encode-plot attention \"I ride bike\"                 on the terminal\n"
    "  encode-plot attention \"I ride bike\" -o heads.pdf    a picture: .png, .svg or .pdf\n"
    "  encode-plot words \"I ride bike\" \"bike ride I\" --data words.tsv\n"
    "  encode-plot position --width 512 --kind waves --dims 0:512:64 -o waves.svg\n"
    "\n"
    "Without TEXT the texts are lines of stdin.\n"
    "encode-plot PICTURE --help tells the options of each. Manual: man encode-plot.\n";

const char PLOT_COMMON_HELP[] =
    "\n"
    "Positions\n"
    "      --position SCHEME  model (default), none, sinusoidal, learned, index, binary, fourier,\n"
    "                         exponential\n"
    "      --position-base B, --frequencies F,F,..., --position-scale W2\n"
    "\n"
    "Output\n"
    "  -o, --output FILE      .png, .svg, .pdf, .txt or .tsv by its end; without: the terminal\n"
    "  -f, --format KIND      png, svg, pdf, text, or data (the numbers)\n"
    "      --data FILE        write the numbers too (alone: only these), with tabs; FILE -: to\n"
    "                         standard output\n"
    "      --size WxH         in pixels, or as 160x100mm or 6.3x4in; default fits a page\n"
    "      --dpi N            pixels per inch of a PNG (default 200; 96 where --size is in "
    "pixels)\n"
    "      --title TEXT       another title; \"\" for none\n"
    "  -h, --help             this text\n"
    "      --version          version and build\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 misused.\n";

#define MODEL_OPTIONS                                                                              \
    "  -m, --model FILE       weight file; default $ENCODE_MODEL, else the default weights\n"      \
    "      --mask KIND        model, full or causal: which tokens a token sees\n"                  \
    "      --embedding-scale W1   weight of the words, or sqrt: the root of their width\n"         \
    "      --no-special       no special tokens around texts\n"                                    \
    "  -t, --threads N        threads\n"

#define COLOR_OPTION "      --colors MAP       RdBu, viridis or Blues\n"

const char *const PLOT_COMMAND_HELP[N_PLOT_COMMANDS] = {
    [PLOT_POSITION] =
        "Usage: encode-plot position [OPTION ...]\n"
        "The position vectors of a scheme, or of a weight file.\n"
        "\n"
        "  -m, --model FILE       the file's scheme or table; without -m and without --position "
        "those\n"
        "                         of the default weights\n"
        "      --kind KIND        heatmap (default), waves, correlation (PE·PEᵀ), cosine, "
        "distance\n"
        "      --width D          numbers per position (default 128; a file has its own)\n"
        "  -n, --positions N      positions (default 100; all of a learned table); N x D is at "
        "most\n"
        "                         16777216, and N at most 4096 where all pairs are compared\n"
        "      --dims LIST        waves: columns as 6,7,8,9 or from:below:step (default: eight)\n"
        "      --beside WHAT      another panel: a scheme, or a weight file; may be repeated\n"
        "      --transpose        heatmap: positions to the right, dimensions "
        "upwards\n" COLOR_OPTION,
    [PLOT_ATTENTION] =
        "Usage: encode-plot attention [OPTION ...] [TEXT]\n"
        "Attention weights: rows look at columns. Without --head all heads of the layer.\n"
        "\n" MODEL_OPTIONS "      --layer L          layer, from 1 (default 1; with --rollout the "
        "last one it takes in)\n"
        "      --head H           head, from 1; or mean\n"
        "      --rollout          attention over all layers: products of 0.5 mean + 0.5 I\n"
        "      --pad-to N         show padding up to N tokens: its rows and columns are 0\n"
        "      --pad-side SIDE    right (default) or left\n" COLOR_OPTION,
    [PLOT_WORDS] =
        "Usage: encode-plot words [OPTION ...] [TEXT [TEXT]]\n"
        "Words in the plane of their two principal components, without and with positions (with\n"
        "--position only as that says).\n"
        "\n" MODEL_OPTIONS
        "      --layer L          after layer L (default 0: the embedding step)\n"
        "      --fit HOW          together (default): both texts have the same axes; or each\n"
        "      --link A:B         join two words by a line with its length; may be repeated\n",
    [PLOT_LAYERS] =
        "Usage: encode-plot layers [OPTION ...] [TEXT]\n"
        "How far each layer moves each token.\n"
        "\n" MODEL_OPTIONS
        "      --measure M        distance (default) or cosine: 1 - cosine\n" COLOR_OPTION,
    [PLOT_ORDER] =
        "Usage: encode-plot order [OPTION ...] [TEXT]\n"
        "How far the vectors of a sentence's permutations are from its own, with positions and\n"
        "without. All of them, if there are at most 119; else random ones.\n"
        "\n" MODEL_OPTIONS
        "  -p, --pooling KIND     model, mean, cls, max, mean_sqrt, weighted_mean, last, pooler\n"
        "      --permutations N   at most so many (default 40 if random)\n"
        "      --seed S           of the random ones (default 1)\n"
        "      --measure M        distance (default) or cosine: 1 - cosine\n",
    [PLOT_SIMILARITY] = "Usage: encode-plot similarity [OPTION ...] [TEXT ...]\n"
                        "Cosines of the vectors of texts; without TEXT of the lines of stdin.\n"
                        "\n" MODEL_OPTIONS "  -p, --pooling KIND     model, mean, cls, max, "
                        "mean_sqrt, weighted_mean, last, pooler\n" COLOR_OPTION,
};
