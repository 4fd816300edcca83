/* families.h - all classes that can be imported. */
#ifndef TOOLS_IMPORT_FAMILIES_H
#define TOOLS_IMPORT_FAMILIES_H

#include "tools/import/families/architecture.h"

/* The class of that name, or NULL. */
const struct architecture *architecture_find(const char *class_name);

/* The class that is the body of a model_type alone, or NULL. */
const struct architecture *architecture_of_type(const char *model_type);

/* The index-th, or NULL: for listing. */
const struct architecture *architecture_at(size_t index);

#endif
