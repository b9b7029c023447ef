/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_GUARD_H
#define SKR_SERVER_MANIFEST_GUARD_H
/*
 * What goes before libyaml's document loader: it looks through all anchors at each anchor and
 * alias, and its scanner through all open brackets at each token, so that a file of one megabyte
 * could keep it busy for minutes. Here its tokens are counted, and the first one beyond a limit
 * ends the matter.
 */
#include <stdbool.h>
#include <stddef.h>

#include "server/findings.h"

enum {
    SKR_YAML_DEPTH_MAX = 64,    /* lists and mappings within each other */
    SKR_YAML_ANCHORS_MAX = 256, /* anchors of one file */
};

/* text: n bytes. False, and a finding with position, beyond a limit. What is no YAML is left to the
 * loader, which reports it. O(n). */
bool skr_yaml_guard(const char *text, size_t n, struct skr_findings *findings);

#endif
