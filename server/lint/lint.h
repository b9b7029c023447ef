/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LINT_LINT_H
#define SKR_SERVER_LINT_LINT_H
/*
 * Reports mistakes in files as a compiler does: in topology and group ConfigMaps, PodGroups, pods and
 * their templates, objects of OCM and Karmada, the daemon's configuration and
 * KubeSchedulerConfiguration, also inside the data of a ConfigMap. The rules are those of the
 * daemon's parsers (topology/topology_map.h, core/group/group.h, server/config/config.h,
 * server/manifest/scheduler_config.h). This module adds rules that compare objects with each other.
 *
 * Positions are those in the file, also inside JSON or YAML in a string (scalar_position.h says when
 * they are exact). Columns count characters.
 *
 * One thread. Texts are added, then finished, then written.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/strbuf.h"

enum {
    SKR_LINT_FINDINGS_MAX = 100, /* reported of one file; the rest is counted */
    SKR_LINT_NESTED_MAX = 64,    /* configurations in ConfigMaps of one call */
};

struct skr_lint;

struct skr_lint *skr_lint_create(void);
void skr_lint_destroy(struct skr_lint *lint); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_lint, skr_lint_destroy)

/* text is copied; name stands in front of findings. */
void skr_lint_add(struct skr_lint *lint, const char *name, const char *text, size_t n);
/* The same for objects that are there to compare with: nothing is reported about them, and they are not
 * counted as a file. */
void skr_lint_add_context(struct skr_lint *lint, const char *name, const char *text, size_t n);
/* Findings about this ConfigMap alone are reported; the rest is there to compare with. "": of any
 * namespace. Strings are borrowed. Before finish. */
void skr_lint_select(struct skr_lint *lint, const char *namespace_, const char *name);
/* Looks at everything. Once. Returns the number of objects that skr_lint_select() chose, or of all.
 */
size_t skr_lint_finish(struct skr_lint *lint);
/* Errors and warnings together. */
size_t skr_lint_count(const struct skr_lint *lint);

/* "FILE:LINE:COLUMN: error: text (see LINE:COLUMN) [Code]" in the order of files and positions, and
 * "2 files, 1 error, 1 warning"; nothing when nothing is wrong. */
void skr_lint_write_text(const struct skr_lint *lint, struct skr_strbuf *out);
void skr_lint_write_json(const struct skr_lint *lint, struct skr_strbuf *out);
/* SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/). */
void skr_lint_write_sarif(const struct skr_lint *lint, struct skr_strbuf *out);

/* ---- the table of kinds ---- */

struct skr_lint_rule {
    const char *code;
    bool is_warning;  /* else an error: what is there is refused, or cannot work */
    const char *text; /* what it means */
    const char *cure;
};
extern const struct skr_lint_rule skr_lint_rules[]; /* in byte order of codes */
extern const size_t skr_lint_rule_count;
/* Index, or skr_lint_rule_count. */
size_t skr_lint_rule_find(const char *code);

#endif
