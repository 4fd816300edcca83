/* fonts.h - characters that no font of this machine has. */
#ifndef TOOLS_PLOT_FONTS_H
#define TOOLS_PLOT_FONTS_H

#include <stddef.h>

/* Puts U+25A1 (a box; ? where there is less room) in the place of each character of a script that
 * no font has, and says so once. Returns the new length, at most len. */
size_t fonts_replace_missing(char *script, size_t len);

#endif
