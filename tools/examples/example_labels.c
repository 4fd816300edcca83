/* example_labels.c - scores of a classifier's labels for a text. The default weights have none:
 * name a classifier that encode-import made, or one of random numbers:
 *
 *     encode-new --width 32 --labels bad,good -o classifier.weights
 *     cc example_labels.c $(pkg-config --cflags --libs engine) && ./a.out classifier.weights TEXT
 */
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    engine_encode_options as_labels = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS);
    engine_info info = ENGINE_INFO();
    engine_input text = engine_text(argc > 2 ? argv[2] : "what a fine day");
    engine_model *model;
    engine_session *session;
    engine_error error;
    if (engine_model_open(argc > 1 ? argv[1] : NULL, NULL, &model, &error) ||
        engine_model_info(model, &info, &error) ||
        engine_session_new(model, NULL, &session, &error))
        return puts(error.message), 1;
    if (info.head != ENGINE_HEAD_SEQUENCE)
        return printf("%s has no labels of texts\n", info.path), 1;

    float *scores = malloc(info.n_labels * sizeof *scores);
    if (engine_encode(session, &text, 1, &as_labels, scores, info.n_labels, NULL, NULL))
        return puts(engine_session_message(session)), 1;
    for (size_t i = 0; i < info.n_labels; i++) {
        const char *name = engine_label(model, i); /* NULL: the file has no names */
        printf("%-10s %.4f\n", name != NULL ? name : "(no name)", scores[i]);
    }
    free(scores);
    engine_session_free(session);
    engine_model_close(model);
    return 0;
}
