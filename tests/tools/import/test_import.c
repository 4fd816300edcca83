/* encode-import on complete directories, files that are missing or no files, and absurd ones. What
 * the program prints and leaves: tests/cli/import/imports.sh. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(whole)
{
    import_make();
    import_is("layers=2 head=none max_text_tokens=10");
    assert_int_equal(import_checkpoint.plan.n, 5 + TINY_LAYERS * 12);
    assert_false(import_checkpoint.truncate);
    assert_int_equal(import_checkpoint.tensors.tensors[0].used, 1);
    tiny_sentence_transformers(import_directory);
    import_is("pooling=mean projections=1 projection_activation=tanh normalize=yes "
              "max_text_tokens=7");
    assert_true(import_checkpoint.truncate);
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
        import_refused("a link to itself", "Too many levels of symbolic links");
    }
    import_make();
    support_path(path, import_directory, "model.safetensors");
    unlink(path);
    import_write("pytorch_model.bin", "PK");
    import_refused("no archive", "no zip archive ends");
    support_remove_dir(import_directory);
    import_refused("no directory", "No such file");
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
