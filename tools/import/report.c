/* report.c - the plan of an import as text on stdout; see report.h. */
#include "tools/import/report.h"

#include "tools/common/print/display.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_COLUMNS = 22, VALUE_COLUMNS = 200 };

#define title(text) printf("\n%s\n", text)

/* Prints a key and its value, [len]. */
static void line(const char *key, const char *value, size_t len)
{
    fputs("  ", stdout);
    display_cell(stdout, key, strlen(key), KEY_COLUMNS);
    putchar(' ');
    display_text(stdout, value, len, VALUE_COLUMNS);
    putchar('\n');
}

#define text_line(key, value) line(key, value, strlen(value))

static void number_line(const char *key, size_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%zu", number);
    text_line(key, value);
}

static void report_settings(const struct import_tokenizer *tokenizer)
{
    const struct tokenizer_draft *draft = &tokenizer->draft;
    title("tokenizer");
    for (size_t i = 0; i < draft->n_settings; i++)
        line(draft->settings[i].key, draft->settings[i].value, draft->settings[i].len);
    if (tokenizer->single[0] != '\0')
        text_line("single", tokenizer->single);
    if (tokenizer->pair[0] != '\0')
        text_line("pair", tokenizer->pair);
    number_line("tokens", draft->words.n);
    if (tokenizer->note[0] != '\0')
        text_line("note", tokenizer->note);
}

static void report_tensor(const struct planned_tensor *tensor)
{
    static const char *const types[] = {
        [TENSOR_F32] = "f32",    [TENSOR_F16] = "f16",       [TENSOR_BF16] = "bf16",
        [TENSOR_INT8] = "int8",  [TENSOR_INT8A8] = "int8a8", [TENSOR_INT8A7] = "int8a7",
        [TENSOR_INT8K] = "int8k"};
    char shape[64];
    if (tensor->n_dims == 2)
        snprintf(shape, sizeof shape, "[%zu, %zu]", tensor->rows, tensor->cols);
    else
        snprintf(shape, sizeof shape, "[%zu]", tensor->rows);
    fputs("  ", stdout);
    display_cell(stdout, tensor->name, strlen(tensor->name), 40);
    printf(" %-6s %-6s %-14s %10zu", types[tensor->type],
           tensor->layout == LAYOUT_PANELS ? "panels" : "rows", shape,
           tensor_bytes(tensor->type, tensor->layout, tensor->rows, tensor->cols));
    for (size_t i = 0; i < tensor->n_parts; i++) {
        fputs(i == 0 ? "  " : " + ", stdout);
        display_text(stdout, tensor->parts[i]->name, strlen(tensor->parts[i]->name), 80);
    }
    printf(" %s\n", tensor->n_parts > 0 ? tensor->parts[0]->dtype : " decimal numbers");
}

static void report_plan(const struct plan *plan)
{
    char note[INT8_NOTE];
    title("tensors                                   type layout shape               bytes  from");
    for (size_t i = 0; i < plan->n; i++)
        report_tensor(&plan->tensors[i]);
    printf("\n%zu tensors, %" PRIu64 " parameters, %" PRIu64 " bytes\n", plan->n,
           plan->n_parameters, plan->n_bytes);
    int8_layers_note(&plan->int8_layers, note);
    if (note[0] != '\0')
        text_line("", note);
    if (plan->n_left_out > 0)
        title("left out");
    for (size_t i = 0; i < plan->n_left_out; i++)
        text_line("", plan->left_out[i]->name);
}

void report_tokenizer(const struct import_tokenizer *tokenizer, const char *name)
{
    puts("Nothing is written (--dry-run). The file would hold a tokenizer and no model.");
    title("metadata");
    text_line("name", name);
    report_settings(tokenizer);
}

void report_checkpoint(const struct checkpoint *checkpoint, const char *name)
{
    const struct model_config *config = &checkpoint->config.model;
    const struct folder *folder = &checkpoint->folder;
    char value[64];
    const char *key;
    puts("Nothing is written (--dry-run). The file would hold:");
    title("metadata");
    text_line("name", name);
    text_line("architecture", checkpoint->config.architecture->class_name);
    number_line("max_text_tokens", config->max_text_tokens);
    for (size_t i = 0; i < config->labels; i++) {
        const char *label = checkpoint_label(&checkpoint->config, i);
        snprintf(value, sizeof value, "label.%zu", i);
        text_line(value, label != NULL ? label : "");
    }
    title("config");
    for (size_t i = 0; (key = config_get(config, i, value, sizeof value)) != NULL; i++)
        if (config_is_written(config, i))
            text_line(key, value);
    if (checkpoint->has_tokenizer)
        report_settings(&checkpoint->tokenizer);
    if (folder->n > 0)
        title("files read");
    for (size_t i = 0; i < folder->n; i++)
        text_line("", folder->names[i]);
    report_plan(&checkpoint->plan);
}
