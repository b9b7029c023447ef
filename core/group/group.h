/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_GROUP_H
#define SKR_CORE_GROUP_GROUP_H
/*
 * What a user asks for: name, size, priority and the rules per level, read from a group ConfigMap,
 * a PodGroup or pod labels. Rules are kept by level *name*; skr_group_rules() resolves them against
 * a tree. A struct is immutable and owns its memory.
 */
#include "core/group/podgroup.h"
#include "core/group/roles.h"
#include "core/solver/solver.h"
#include "topology/base/strbuf.h"
#include "topology/defect.h"
#include "topology/object.h"
#include "topology/tree.h"

#define SKR_GROUP_LABEL       "sakkara.group"        /* marks the ConfigMap; value ignored */
#define SKR_GROUP_WITHIN      "sakkara.group.within" /* annotation: as the key within of a map */
#define SKR_GROUP_CONSTRAINTS "sakkara.group.constraints" /* annotation: as the key constraints */
#define SKR_GROUP_PREFIX      "sakkara.group."            /* of annotations: before other keys */
#define SKR_GROUP_MINIMUM     SKR_GROUP_PREFIX "minimum"

enum {
    SKR_GROUP_SIZE_MAX = 100000,           /* members of one group */
    SKR_GROUP_CONSTRAINTS_MAX = 16 * 1024, /* bytes of the keys constraints and roles together */
    SKR_GROUP_VARIANTS_MAX = 8, /* spellings of one member name in one level ("min", "MIN", ...) */
    SKR_GROUP_RULES_MAX = 64,   /* levels named by one group */
    SKR_GROUP_LINT_MAX = 32,    /* warnings kept of one group; the last one counts those cut off */
};

/* The keys of a group ConfigMap that users write; NULL at the end. */
extern const char *const skr_group_keys[];

/* What becomes of members on lost nodes before their pods are gone. */
enum skr_group_replace {
    SKR_REPLACE_NOT,
    SKR_REPLACE_EARLY, /* they are evicted if there is a place for them */
    SKR_REPLACE_WHOLE  /* else all members, if there is one for all elsewhere */
};

/* A level that the user named, and where. */
struct skr_named_level {
    const char *name;
    struct skr_position at; /* line 0: from labels */
};

struct skr_group_spec {
    struct skr_arena *arena;
    const char *name; /* of a map: data.name, "" when absent (skr_group_map_name()) */
    int32_t size;
    bool open;          /* size is a minimum: more pods are members as well */
    int32_t most;       /* of an open group: so many members; 0: no limit (PodGroups, workloads) */
    int32_t step;       /* of an open group: beyond size so many start together; else 1 */
    int32_t priority;   /* of the group, not of pods */
    skr_time seat_hold; /* key seat-hold; SKR_TIME_NEVER: unset */
    skr_time run_limit, run_estimate; /* keys of these names; SKR_TIME_NEVER: unset */
    bool movable;                     /* key of this name: it may be evicted and placed elsewhere */
    enum skr_group_replace replace;   /* key of this name */
    /* Level of which one unit holds all members, whatever levels stand above it; NULL: unset. */
    const char *within;
    size_t n_rules;
    struct skr_level_rule *rule; /* order of the document; one entry a level */
    size_t n_roles;              /* of key roles, in role order; 0: without the key */
    struct skr_group_role *role; /* their sizes add up to size */
    size_t n_role_rules;
    struct skr_role_rules *role_rules; /* constraints.roles, order of the document */
    size_t n_sets;
    struct skr_group_set *set;   /* constraints.sets */
    const char *constraints_key; /* where they come from, for messages; constant */
    size_t n_warnings;           /* lint, never blocking; each "constraints: 1:12: text" */
    const char **warning;
    const struct skr_defects *defects; /* while it is read; NULL afterwards */
};

/* Errors (SKR_INVALID, SKR_LIMIT) name key, line:column inside its value, and the defect: the map
 * is malformed. */
int skr_group_spec_parse(const struct skr_labels *data, struct skr_group_spec **ret,
                         struct skr_error *error);
/* The same, for lint: tells every defect and warning, not the first defect alone. *ret NULL when
 * there was a defect. The error is that of the last one; needed when defects is not NULL. */
int skr_group_spec_check(const struct skr_labels *data, const struct skr_defects *defects,
                         struct skr_group_spec **ret, struct skr_error *error);
/* priority: spec.priority of the oldest member. The annotations of the PodGroup have the rules; without
 * them: pack everywhere. minMember is a minimum: the group is open. level: the level that the topology
 * key of a native PodGroup means, in one unit of which all members are placed; NULL: it has no key. */
int skr_group_spec_from_podgroup(const struct skr_podgroup *pg, int32_t priority, const char *level,
                                 struct skr_group_spec **ret, struct skr_error *error);
/* Rules of a derived group, and the annotations that have them. Texts are borrowed; NULL: none. */
struct skr_group_asked {
    const char *constraints_key, *constraints; /* JSON as in the key constraints */
    const char *within_key, *within;           /* a level */
    const struct skr_labels *own;              /* all annotations, for our other keys */
    bool fewer;                                /* the number may be below key minimum */
    const char *unknown_key, *unknown;         /* a warning about the annotation of that key */
    const struct skr_defects *defects;         /* what lint gives; NULL: no lint */
};
/* Those of our own annotations. */
struct skr_group_asked skr_group_asked_of(const struct skr_labels *annotations);
/* A derived group: size is its minimum, and the group is open. */
int skr_group_spec_from_workload(const char *name, int64_t minimum, int32_t priority,
                                 const struct skr_group_asked *asked, struct skr_group_spec **ret,
                                 struct skr_error *error);
/* The minimum that annotation sakkara.group.size claims; 0: there is none. Errors: SKR_INVALID with the
 * position, SKR_LIMIT. */
int skr_group_claimed_size(const struct skr_labels *annotations, int32_t *ret,
                           struct skr_error *error);
/* Labels of the oldest member (SKR_LABEL_GROUP_SIZE,
 * SKR_LABEL_CONSTRAINT{type,partitions,min,max,factor}.LEVEL); size is required. */
int skr_group_spec_from_labels(const char *name, const struct skr_labels *labels, int32_t priority,
                               struct skr_group_spec **ret, struct skr_error *error);
/* The same, for lint. */
int skr_group_labels_check(const char *name, const struct skr_labels *labels,
                           const struct skr_defects *defects, struct skr_group_spec **ret,
                           struct skr_error *error);
/* Reads the text of annotation sakkara.group.constraints into a spec of another source, which has
 * no rules yet. about names the annotation in messages. Size and key roles, if there is one, are
 * set. Errors: SKR_INVALID with the position, SKR_LIMIT; the spec is then destroyed only. */
int skr_group_spec_add_constraints(struct skr_group_spec *spec, const char *about, const char *text,
                                   struct skr_error *error);
/*
 * All members in one unit of a level: a hard pack on that level and on every level that the tree has
 * above it. Adds to the rules of the spec, which are set before. about: the key or annotation that
 * holds the level. level is copied. To be called while the spec is made, before anything reads it.
 * Errors: SKR_INVALID (no name of a level; the rule of that level excludes it), SKR_LIMIT.
 */
int skr_group_spec_set_within(struct skr_group_spec *spec, struct skr_subject about,
                              const char *level, struct skr_error *error);
void skr_group_spec_destroy(struct skr_group_spec *spec); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_group_spec, skr_group_spec_destroy)
bool skr_group_spec_equal(const struct skr_group_spec *a, const struct skr_group_spec *b);

/* The names of a rule's members in the key constraints, for messages; *ret_n: how many. */
const char *const *skr_group_member_names(size_t *ret_n);

/* data.name of a group map; when absent, map_name, which is its metadata.name. Borrowed. NULL: it
 * cannot be the value of a label, and the error says so (NULL allowed). Used to index maps before
 * parsing. */
const char *skr_group_map_name(const struct skr_labels *data, const char *map_name,
                               struct skr_error *error);

/* Why the group is malformed on this tree, appended to why; false: it is not. A rule that must hold
 * is not dropped because its level is misspelt: the first hard rule, or `within`, of a level that
 * the tree does not have; a rule above `within` that excludes one unit for all members; sets
 * of an unknown level. */
bool skr_group_misfit(const struct skr_group_spec *spec, const struct skr_tree *tree,
                      struct skr_strbuf *why);
/*
 * Finds the first hard pack, from the top of the tree, that does not mean one unit in all. A rule
 * applies inside each used unit of the level above. If a level above has more than one unit and no
 * rule of the group, the pack means one unit in each of them. An empty rule counts as a rule. Appends
 * "constraints: 1:9: hard pack of level "rack" is one rack in each zone that is used; ...". False: the
 * group has no such pack.
 */
bool skr_group_say_split(const struct skr_group_spec *spec, const struct skr_tree *tree,
                         struct skr_strbuf *b);
/* Calls each with every level of a rule that is not hard which the tree does not have. */
void skr_group_each_unknown(const struct skr_group_spec *spec, const struct skr_tree *tree,
                            void (*each)(void *context, const struct skr_named_level *level),
                            void *context);
/* "constraints: 1:9: no level "rak" (did you mean "rack"?); the tree has rack, node", appended. */
void skr_group_say_unknown(const struct skr_group_spec *spec, const struct skr_named_level *level,
                           const struct skr_tree *tree, struct skr_strbuf *b);

/* Fills rules[0 .. tree->n_levels - 1] with the rules of the group (role NULL) or the own rules of a
 * role, level 1 first, and has_rule (NULL allowed) with 1 where there is an entry. Other levels are soft
 * pack; of the group, those from the top to `within` hard pack. Returns the number of entries whose
 * level the tree does not have; their names, comma separated, go to unknown (NULL allowed). */
size_t skr_group_rules(const struct skr_group_spec *spec, const char *role,
                       const struct skr_tree *tree, struct skr_rule *rules, uint8_t *has_rule,
                       struct skr_strbuf *unknown);

#endif
