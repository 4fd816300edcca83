/* test_fork.c - a forked child of a process that has encoded with two threads encodes too, with the
 * same bits: with its parent's session, and with one of its own. */
#include "tests/owned.h"
#include "tests/support.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 32 };

static engine_session *open_session(const engine_model *model)
{
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 2);
    return support_session(model, &options);
}

static const float *encode_text(engine_session *session)
{
    engine_input input = support_text("I ride bike");
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    return support_encode(session, &input, 1, &mean, NULL);
}

static bool child_encodes(const engine_model *model, engine_session *parents, const float *expected)
{
    alarm(300); /* a child that waits for threads it does not have is killed */
    const bool same =
        memcmp(expected, encode_text(parents), WIDTH * sizeof *expected) == 0 &&
        memcmp(expected, encode_text(open_session(model)), WIDTH * sizeof *expected) == 0;
    owned_release(0); /* sessions can be freed here, too */
    return same;
}

TEST(child)
{
    int status;
    support_allow_threads(2);
    engine_model *model =
        support_new_model("I ride bike", "--layers 2 --width 32 --heads 4 --feed-forward 64");
    engine_session *session = open_session(model);
    const float *expected = encode_text(session);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        support_exit(!child_encodes(model, session, expected));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_memory_equal(encode_text(session), expected, WIDTH * sizeof *expected);
}
