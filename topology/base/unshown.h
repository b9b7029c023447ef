/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_BASE_UNSHOWN_H
#define SKR_TOPOLOGY_BASE_UNSHOWN_H
/*
 * Characters that a terminal obeys instead of showing them, or that make text read otherwise than it is. What
 * one user writes into an object must not act on the screen of another user.
 *
 *   C0, DEL, C1       escape sequences; U+009B alone begins one in UTF-8 terminals
 *   U+061C U+200E-F U+202A-E U+2066-9   change the direction of what follows (Unicode TR 9, 36)
 *   U+200B-D U+2060-5 U+FEFF            no width: two names that look the same
 *   U+2028-9          ends of lines
 */
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at s when it is such a one, 1 to 3; else 0, also at the end and for what is no UTF-8.
 * *ret: its code point; NULL allowed. */
size_t skr_unshown(const char *s, uint32_t *ret);
/* Each becomes one '?', in place. */
void skr_unshown_replace(char *s);

#endif
