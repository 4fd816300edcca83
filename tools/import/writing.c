/* writing.c - see writing.h. */
#include "tools/import/writing.h"

#include "tools/common/options.h"

#include <string.h>

void import_setting(struct weight_writer *writer, engine_settings settings, const char *key,
                    const char *value)
{
    weight_writer_setting(writer, settings, key, value, strlen(value));
}

void import_metadata(struct weight_writer *writer, const char *key, const char *value)
{
    import_setting(writer, ENGINE_SETTINGS_METADATA, key, value);
}

int import_finish(struct weight_writer *writer, bool ok, const engine_error *error,
                  const struct problem *problem)
{
    if (!ok && error->status == ENGINE_OK) {
        weight_writer_abort(writer);
        return program_fail("%s", problem->text);
    }
    if (weight_writer_finish(writer) != ENGINE_OK)
        return program_fail("%s", error->message);
    return PROGRAM_DONE;
}
