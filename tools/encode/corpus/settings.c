/* settings.c - see settings.h. */
#include "tools/encode/corpus/settings.h"

#include "engine/file/crc32c.h"
#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where results go, and how the work is done; the model counts by what is in it. */
static bool changes_output(const char *name)
{
    static const char *const others[] = {"output",  "threads", "progress", "resume",
                                         "restart", "report",  "model"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

json_t *settings_of_options(const struct option_reading *reading)
{
    json_t *options = json_object();
    for (size_t i = 0; i < reading->n_slots; i++) {
        const struct option_slot *slot = &reading->slots[i];
        if (slot->text && changes_output(slot->row->name))
            json_object_set_new(options, slot->row->name, json_string(slot->text));
    }
    return options;
}

bool file_sum(int fd, off_t from, off_t end, uint32_t *sum)
{
    static char bytes[256 << 10];
    while (from < end) {
        const size_t most = end - from < (off_t)sizeof bytes ? (size_t)(end - from) : sizeof bytes;
        const ssize_t n = pread(fd, bytes, most, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        *sum = crc32c(*sum, bytes, (size_t)n);
        from += n;
    }
    return true;
}

json_t *settings_make(json_t *options, const struct encoder *encoder)
{
    const bool ends_at_long = encoder->options.on_long == ENGINE_ON_LONG_ERROR;
    if (!json_object_get(options, "on-long"))
        json_object_set_new(options, "on-long", json_string(ends_at_long ? "error" : "truncate"));
    return json_pack("{sssIsssO}", "encode", engine_version(), "model",
                     (json_int_t)encoder->info.checksum, "kernels", encoder->info.kernels,
                     "options", options);
}

/* "--normalize", "--pooling mean", or "no --pooling". */
static void describe_option(char *out, size_t cap, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    snprintf(out, cap, "%s--%s%s%.100s", text ? "" : "no ", name, text && *text ? " " : "",
             text ? text : "");
}

/* With error the run would have ended where another value takes effect. */
static bool may_change(const char *name, const json_t *before, const json_t *now)
{
    const char *from = json_string_value(before), *to = json_string_value(now);
    const bool had_ended = !from || strcmp(from, "error") == 0;
    const bool keeps_others = to && strcmp(to, "chunk") != 0; /* what other texts give stays */
    return had_ended && keeps_others &&
           (strcmp(name, "on-long") == 0 || strcmp(name, "on-error") == 0);
}

/* An option may be among either or both. */
static bool have_same_options(json_t *before, json_t *now, char *message)
{
    json_t *all = json_copy(before), *value;
    const char *name;
    bool are_same = true;
    json_object_update_missing(all, now);
    json_object_foreach(all, name, value)
    {
        const json_t *was = json_object_get(before, name), *is = json_object_get(now, name);
        char was_text[160], is_text[160];
        if (!are_same || json_equal(was, is) || may_change(name, was, is))
            continue;
        are_same = false;
        describe_option(was_text, sizeof was_text, name, was);
        describe_option(is_text, sizeof is_text, name, is);
        snprintf(message, SETTINGS_MESSAGE_BYTES, "it was started with %s, and now has %s",
                 was_text, is_text);
    }
    json_decref(all);
    return are_same;
}

bool settings_agree(const json_t *before, const json_t *now, char message[SETTINGS_MESSAGE_BYTES])
{
    const char *version = json_string_value(json_object_get(before, "encode"));
    if (!version || strcmp(version, engine_version()) != 0) {
        snprintf(message, SETTINGS_MESSAGE_BYTES, "it is by encode %s, and this is %s",
                 version ? version : "of another kind", engine_version());
        return false;
    }
    if (!json_equal(json_object_get(before, "model"), json_object_get(now, "model"))) {
        snprintf(message, SETTINGS_MESSAGE_BYTES, "it is of another model");
        return false;
    }
    if (!json_equal(json_object_get(before, "kernels"), json_object_get(now, "kernels"))) {
        const char *kernels = json_string_value(json_object_get(before, "kernels"));
        kernels = kernels ? kernels : "other";
        snprintf(message, SETTINGS_MESSAGE_BYTES,
                 "it was started with %s kernels, and these are %s, whose last bits differ: "
                 "continue it %s",
                 kernels, json_string_value(json_object_get(now, "kernels")),
                 strcmp(kernels, "portable") == 0 ? "with ENGINE_ISA=portable"
                                                  : "without ENGINE_ISA, on such a machine");
        return false;
    }
    return have_same_options(json_object_get(before, "options"), json_object_get(now, "options"),
                             message);
}
