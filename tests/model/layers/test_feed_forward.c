/* tags: numbers aarch64 */
/* The middle of the feed-forward layer: the gate chooses what the activation is applied to and what
 * it is multiplied with. The activations themselves are test_kernels.c's, so here the results are
 * the same to the last bit. */
#include "tests/model/plain.h"

#include "model/layers/feed_forward.h"

static const enum activation activations[] = {CONSTANTS_OF(ACTIVATIONS)};

static void check_middle(const struct kernels *kernels, enum activation activation, enum gate gate,
                         size_t width)
{
    struct model_config config;
    config = CONFIG_DEFAULTS;
    config.feed_forward = width;
    config.activation = activation;
    config.gate = gate;
    size_t columns = gate == GATE_NONE ? width : 2 * width;
    assert_int_equal(feed_forward_columns(&config), width % PANEL == 0 ? width : columns);

    float *row = random_floats(&(uint64_t){width}, columns, 4), *before = copy_floats(row, columns);
    float *activated = copy_floats(before, columns);
    kernels->activate(activation, activated, columns);
    feed_forward_middle(kernels, &config, row);
    for (size_t i = 0; i < width; i++) {
        float expected = gate == GATE_NONE    ? activated[i]
                         : gate == GATE_FIRST ? activated[i] * before[width + i]
                                              : before[i] * activated[width + i];
        double formula =
            gate == GATE_NONE ? plain_activation(activation, (double)before[i])
            : gate == GATE_FIRST
                ? plain_activation(activation, (double)before[i]) * (double)before[width + i]
                : (double)before[i] * plain_activation(activation, (double)before[width + i]);
        assert_true(row[i] == expected);
        assert_true((double)row[i] - formula <= 2e-6 && formula - (double)row[i] <= 2e-6);
    }
}

TEST(middle)
{
    for (size_t s = 0; float_kernels(s) != NULL; s++)
        for (size_t a = 0; a < sizeof activations / sizeof *activations; a++)
            for (int gate = GATE_NONE; gate <= GATE_SECOND; gate++)
                for (size_t width = 1; width <= 71; width++)
                    check_middle(float_kernels(s), activations[a], (enum gate)gate,
                                 width <= 70 ? width : 1536);
}
