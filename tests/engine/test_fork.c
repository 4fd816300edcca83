/* test_fork.c - a forked child of a process that has encoded with two threads encodes too, with the
 * same bits. */
#include "tests/support.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 32 };

static void encode_text(const engine_model *model, float out[WIDTH])
{
    engine_session_options options = {.n_threads = 2};
    engine_input input = {.text = "I ride bike", .text_len = 11};
    engine_encode_options mean = {.pooling = ENGINE_POOLING_MEAN};
    engine_session *session;
    assert_int_equal(engine_session_new(model, &options, &session, NULL), 0);
    assert_int_equal(engine_encode(session, &input, 1, &mean, out, WIDTH, NULL, NULL), 0);
    engine_session_free(session);
}

TEST(child_encodes)
{
    char folder[SUPPORT_PATH], path[SUPPORT_PATH];
    float before[WIDTH], after[WIDTH];
    int status;
    support_temp_dir(folder);
    support_path(path, folder, "m.weights");
    support_make_model(path, "I ride bike", "--layers 2 --width 32 --heads 4 --feed-forward 64");
    engine_model *model = support_open(path);
    encode_text(model, before);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(20); /* a child that waits for threads it does not have is killed */
        encode_text(model, after);
        _exit(memcmp(before, after, sizeof before) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    engine_model_close(model);
    support_remove_dir(folder);
}
