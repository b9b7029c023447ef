/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_LINT_H
#define SKR_CORE_GROUP_LINT_H
/*
 * Making of group specs: what the three sources (ConfigMap, PodGroup, labels) share, and the lint,
 * which never refuses anything. Used by the files of this folder alone.
 */
#include "core/group/group.h"

enum { SKR_QUOTE_MAX = 64 }; /* bytes of a user's text inside a message, NUL included */

/* An empty spec with its arena, without room for rules; name is copied. NULL without memory. */
struct skr_group_spec *skr_group_spec_create(const char *name, struct skr_error *error);
/* Room for that many rules, SKR_GROUP_RULES_MAX at most; spec has none yet. Errors: SKR_LIMIT. */
int skr_group_rules_room(struct skr_group_spec *spec, size_t n, struct skr_error *error);
/* Sets SKR_LIMIT: the arena is full. */
int skr_group_no_room(struct skr_error *error);

/* Keys run-limit, run-estimate, movable and replace. prefix: of all keys in texts; NULL: a map. */
int skr_group_run_parse(struct skr_group_spec *spec, const char *prefix,
                        const struct skr_labels *texts, struct skr_error *error);
/* Keys minimum and step, after size and roles are read: what is left of size is the minimum. Of an
 * open group the most is not known. fewer: a minimum above the size is the size. */
int skr_group_elastic_parse(struct skr_group_spec *spec, const char *prefix,
                            const struct skr_labels *texts, bool fewer, struct skr_error *error);

/* s as it may stand in a message: control characters become '?', the end is cut off. */
void skr_group_quote(const char *s, char buffer[SKR_QUOTE_MAX]);

/* A decimal integer with blanks around it tolerated, in low..high, of the key that about has.
 * Errors: SKR_INVALID with the position. */
int skr_group_integer_parse(struct skr_subject about, const char *text, int64_t low, int64_t high,
                            int32_t *ret, struct skr_error *error);
/* size: 1..SKR_GROUP_SIZE_MAX. Errors: also SKR_LIMIT. */
int skr_group_size_parse(struct skr_subject about, const char *text, int32_t *ret,
                         struct skr_error *error);

/* As in the configuration (topology/duration.h), up to a day. Errors: SKR_INVALID with the position. */
int skr_group_duration_parse(const char *key, const char *text, skr_time *ret,
                             struct skr_error *error);

/* Adds a warning; code: its kind, for lint. Beyond SKR_GROUP_LINT_MAX only their number is kept. */
void skr_group_warn(struct skr_group_spec *spec, const char *code, struct skr_subject about,
                    const char *format, ...) SKR_PRINTF(4, 5);
/* Tells the defect that has just been written to error, if anybody wants to know. Returns rc. */
int skr_group_defect(const struct skr_group_spec *spec, const char *code, int rc,
                     const struct skr_error *error);
/* Whether to look for more after a step that ended with rc. */
bool skr_group_go_on(const struct skr_group_spec *spec, int rc);

/* Type of a rule from its word; anything but spread is pack, unknown words give a warning. */
enum skr_rule_type skr_group_type_parse(struct skr_group_spec *spec, struct skr_subject about,
                                        const char *level, const char *word);
/* A number as it counts: negative ones are ignored with a warning, large ones saturate. */
int32_t skr_group_number(struct skr_group_spec *spec, struct skr_subject about, const char *level,
                         const char *member, int64_t number);
/* Findings about a whole rule; a pair min > max is set to 0. about: the level. role: whose rule it
 * is; NULL: the group's. size: members that it is about; 0: not known. */
void skr_group_lint_rule(struct skr_group_spec *spec, struct skr_subject about, const char *role,
                         int32_t size, struct skr_level_rule *rule);

/* The first level that the tree does not have though a hard rule, of the group or of a role, or a
 * set kind names it. false: none. */
bool skr_group_hard_unknown(const struct skr_group_spec *spec, const struct skr_tree *tree,
                            struct skr_named_level *ret);
/* "no level "rak" (did you mean "rack"?); the tree has rack, node", appended. */
void skr_group_say_no_level(const char *level, const struct skr_tree *tree, struct skr_strbuf *b);

/* Key roles of a ConfigMap into spec->role. */
int skr_group_roles_key_parse(struct skr_group_spec *spec, const char *text,
                              struct skr_error *error);
/* constraints into spec->rule, role_rules and set. Size and key roles are read before. */
int skr_group_constraints_parse(struct skr_group_spec *spec, const char *text,
                                struct skr_error *error);

#endif
