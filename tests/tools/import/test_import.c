/* encode-import on complete directories, and the program around it: what is written, wrong use,
 * files that are missing or no files, and that a failure leaves no files. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(whole)
{
    import_make();
    assert_true(import_read());
    assert_int_equal(import_checkpoint.config.model.layers, TINY_LAYERS);
    assert_int_equal(import_checkpoint.config.model.head, HEAD_NONE);
    assert_int_equal(import_checkpoint.plan.n, 5 + TINY_LAYERS * 12);
    assert_int_equal(import_checkpoint.config.model.max_text_tokens, TINY_POSITIONS);
    assert_false(import_checkpoint.truncate);
    assert_int_equal(import_checkpoint.tensors.tensors[0].used, 1);
    import_free();
    tiny_sentence_transformers(import_directory);
    assert_true(import_read());
    assert_int_equal(import_checkpoint.config.model.pooling, POOLING_MEAN);
    assert_int_equal(import_checkpoint.config.model.projections, 1);
    assert_int_equal(import_checkpoint.config.model.projection_activation, DENSE_TANH);
    assert_int_equal(import_checkpoint.config.model.normalize, 1);
    assert_int_equal(import_checkpoint.config.model.max_text_tokens, 7);
    assert_true(import_checkpoint.truncate);
    import_free();
}

/* Without a tokenizer in the directory the output says so; the model then takes ids. */
TEST(no_tokenizer)
{
    char path[SUPPORT_PATH];
    import_make();
    support_path(path, import_directory, "vocab.txt");
    unlink(path);
    assert_contains(shell_expect(0, "$IMPORT %s -o ids.weights", import_directory)->err,
                    "has no tokenizer: the file will take token ids only");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->err,
                    "has no tokenizer");
    shell_expect(0, "echo '{\"ids\": [1, 2, 3]}' | $ENCODE -m ids.weights --input jsonl -f json");
    shell_expect(1, "$ENCODE -m ids.weights text");
}

/* Files that are not there, or not files. */
TEST(files)
{
    static const char *const names[] = {"config.json", "model.safetensors"};
    char path[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        import_make();
        support_path(path, import_directory, names[i]);
        unlink(path);
        import_refused("a missing file", names[i]);
        mkdir(path, 0700);
        import_refused("a directory for a file", "is a directory");
        rmdir(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        import_refused("a FIFO", "not a regular file");
        unlink(path);
        assert_int_equal(symlink(names[i], path), 0);
        import_refused("a link to itself", names[i]);
    }
    import_make();
    support_path(path, import_directory, "model.safetensors");
    unlink(path);
    import_write("pytorch_model.bin", "PK");
    import_refused("no archive", "no zip archive ends");
    support_remove_dir(import_directory);
    import_refused("no directory", "No such file");
}

TEST(program)
{
    import_make_modules();
    shell_expect(0, "$IMPORT %s -o a.weights --name 'Tiny one'", import_directory);
    const struct shell_result *result =
        shell_expect(0, "$INSPECT --verify a.weights >i && tr -s ' ' <i");
    assert_contains(result->out, "Tiny one");
    assert_contains(result->out, "made_by encode-import");
    assert_contains(result->out, "BertModel");
    assert_contains(result->out, "prompt.query \"ride \"");
    assert_contains(result->out, "default_prompt query");
    assert_contains(result->out, "projection.0.weight");
    result = shell_expect(0, "sha256sum %s/model.safetensors | cut -c 1-64 | tr -d '\\n'",
                          import_directory);
    char hash[80];
    snprintf(hash, sizeof hash, "%s", result->out);
    assert_contains(shell_expect(0, "$INSPECT a.weights")->out, hash);
    shell_expect(0, "$IMPORT %s -o b.weights --name 'Tiny one' && cmp a.weights b.weights",
                 import_directory);
    result = shell_expect(0, "$IMPORT %s --dry-run && ls", import_directory);
    assert_contains(result->out, "layers.1.feed_forward.out.weight");
    assert_contains(result->out, "max_text_tokens        7");
    shell_expect(0, "$IMPORT %s --dry-run -o c.weights && [ ! -e c.weights ]", import_directory);
    shell_expect(0,
                 "for t in f32 f16 bf16 int8; do $IMPORT %s --weights $t -o $t.weights && $INSPECT "
                 "--verify $t.weights >/dev/null || exit 1; done",
                 import_directory);
}

/* Failures exit with 1, say why, and leave no file, nor harm the one that stood there. */
TEST(no_partial_output)
{
    struct tiny_tensors tensors;
    size_t len;
    import_make();
    shell_expect(0, "rm -rf out && mkdir out && echo old > out/old.weights");
    tiny_tensors_bert(&tensors, "bert.");
    char *file = tiny_tensors_file(&tensors, &len);
    const uint32_t nan = 0x7FC00000;
    memcpy(file + len - 4, &nan, 4); /* found when it is read: half the file is written by then */
    support_write_in(import_directory, "model.safetensors", file, len);
    const struct shell_result *result =
        shell_expect(1, "$IMPORT %s -o out/old.weights", import_directory);
    assert_contains(result->err, "output.LayerNorm.bias");
    assert_contains(result->err, "nan");
    const float large = 1e9f;
    memcpy(file + 8 + (len - tensors.n_data - 8), &large, 4);
    memcpy(file + len - 4, &large, 4);
    support_write_in(import_directory, "model.safetensors", file, len);
    result = shell_expect(1, "$IMPORT %s --weights f16 -o out/new.weights", import_directory);
    assert_contains(result->err, "1e+09 does not fit; take f32");
    support_write_in(import_directory, "model.safetensors", file, len - 1);
    shell_expect(1, "$IMPORT %s -o out/old.weights", import_directory);
    result = shell_expect(0, "ls -A out; cat out/old.weights");
    assert_string_equal(result->out, "old.weights\nold\n");
    support_write_in(import_directory, "model.safetensors", file, len);
    for (size_t i = 0; i < 2; i++) { /* the directory's own files */
        static const char *const names[] = {"model.safetensors", "config.json"};
        result = shell_expect(2, "ln -sf %s/%s linked && $IMPORT %s -o linked", import_directory,
                              names[i], import_directory);
        assert_contains(result->err, "is read");
    }
    shell_expect(2, "$IMPORT --tokenizer-only %s -o %s/vocab.txt", import_directory,
                 import_directory);
    result = shell_expect(1, "$IMPORT %s -o absent/a.weights", import_directory);
    assert_contains(result->err, "absent/a.weights");
    free(file);
    tiny_tensors_free(&tensors);
}

TEST(misuse)
{
    import_make();
    assert_contains(shell_expect(2, "$IMPORT")->err, "directory");
    assert_contains(shell_expect(2, "$IMPORT %s", import_directory)->err, "-o FILE");
    assert_contains(shell_expect(2, "$IMPORT %s elsewhere -o a", import_directory)->err, "not 2");
    assert_contains(shell_expect(2, "$IMPORT %s -o a --weights f8", import_directory)->err,
                    "--weights");
    shell_expect(2, "$IMPORT --nonsense");
    shell_expect(2, "$IMPORT %s --tokenizer-only %s -o a", import_directory, import_directory);
    assert_contains(shell_expect(0, "$IMPORT --help")->out, "--tokenizer-only");
    assert_contains(shell_expect(0, "$IMPORT --version")->out, "encode-import");
    assert_contains(shell_expect(1, "$IMPORT nowhere -o a")->err, "nowhere");
    assert_contains(shell_expect(1, "$IMPORT toy.weights -o a")->err, "not a directory");
}

/* A file with a tokenizer and no model. */
TEST(tokenizer_only)
{
    import_make();
    shell_expect(0, "$IMPORT --tokenizer-only %s -o t.weights", import_directory);
    shell_expect(0, "$IMPORT --tokenizer-only %s/vocab.txt -o v.weights", import_directory);
    shell_expect(0, "$IMPORT %s --tokenizer-only u.weights && cmp t.weights u.weights",
                 import_directory);
    shell_expect(1, "$IMPORT --tokenizer-only nowhere.json -o w.weights");
    assert_contains(shell_expect(0, "$INSPECT --verify t.weights")->out, "vocabulary");
}

/* The absurd, with little memory: 10^9 layers, a header of 2 GB that is not there. */
TEST(bounded_memory)
{
    if (support_sanitized()) {
        print_message("skipped: sanitizers reserve more memory than this allows\n");
        skip();
    }
    import_make();
    import_config("'num_hidden_layers': 1000000000");
    assert_contains(shell_expect(1, "ulimit -v 1000000; $IMPORT %s -o a", import_directory)->err,
                    "encoder.layer.2.");
    import_make();
    support_write_in(import_directory, "model.safetensors", "\xff\xff\xff\x7f\0\0\0\0{}", 10);
    shell_expect(0, "truncate -s 3G %s/model.safetensors", import_directory);
    assert_contains(shell_expect(1, "ulimit -v 1000000; $IMPORT %s -o a", import_directory)->err,
                    "at most");
}

SET_UP()
{
    import_setup();
}
