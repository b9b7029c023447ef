/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LINT_PARTS_H
#define SKR_SERVER_LINT_PARTS_H
/* What the files of this folder share. */
#include <jansson.h>
#include <uthash.h>

#include "core/group/group.h"
#include "core/pod/pod.h"
#include "server/config/config.h"
#include "server/findings.h"
#include "server/lint/lint.h"
#include "server/manifest/text.h"

#define SKR_LINT_EXAMPLE ".example" /* behind the label that marks a map: switched off */

struct lint_object;

/* A file, or a string of a ConfigMap that some program reads as a file. */
struct lint_text {
    char *name; /* of the file; NULL: a string */
    char *text;
    size_t n;
    const struct lint_object *parent; /* the ConfigMap; NULL: a file */
    char *path;                       /* of the string in it */
    bool is_context;
    size_t number; /* in the order of adding */
    size_t n_objects;
    size_t n_findings; /* of a file, reported or not */
};

struct lint_object {
    struct lint_text *text;
    struct skr_manifest_place place;
    json_t *json;
    struct skr_yaml_mark mark;
    const char *kind, *namespace_, *name; /* borrowed from json; "default", "" when absent */
};

/* A place in a text. */
struct lint_place {
    const struct lint_text *text;
    struct skr_yaml_mark mark; /* line 0: the text as a whole */
    bool in_bytes;
};

struct lint_finding {
    size_t order; /* of telling */
    size_t rule;
    const struct lint_text *file, *see_file;
    struct skr_yaml_mark at, see; /* see.line 0: none */
    char *text;
};

/* A source of a group, and what the files have for it. */
struct lint_group {
    const struct lint_object *object;
    const char *size_path;
    struct skr_group_spec *spec;
    int64_t members;
    const struct lint_object *first; /* whose template the others are compared with */
    struct skr_pod *pod;             /* of first; owned */
};

struct lint_group_name {
    char *key; /* "NAMESPACE/NAME" */
    size_t index;
    UT_hash_handle hh;
};

struct lint_tree {
    const struct lint_object *object;
    struct skr_tree *tree;
};

struct skr_lint {
    struct lint_text **text;
    size_t n_texts, cap_texts, n_nested;
    struct lint_object **object;
    size_t n_objects, cap_objects;
    struct lint_finding *finding;
    size_t n_findings, cap_findings;
    size_t n_errors, n_warnings; /* all, reported or not */
    struct lint_group *group;
    size_t n_groups, cap_groups;
    struct lint_group_name *group_name; /* by namespace and name */
    struct lint_tree *tree;
    size_t n_trees, cap_trees;
    struct skr_config *config;               /* of the files, or the default */
    const struct lint_object *config_object; /* NULL: the default */
    bool has_scenario;                       /* objects come and go later */
    bool selects;
    const char *select_namespace, *select_name;
};

/* ---- report.c ---- */

/* Where the value at path of the object begins, or the deepest above it that is there. */
struct lint_place lint_at(const struct lint_object *object, const char *path);
/* A position inside the string at path, whose text is value; its columns count bytes. */
struct lint_place lint_inside(const struct lint_object *object, const char *path, const char *value,
                              struct skr_position at);
/* about: the object it is about, NULL: none. see NULL: none. */
void lint_tell(struct skr_lint *lint, const struct lint_object *about, const char *code,
               struct lint_place at, const struct lint_place *see, const char *format, ...)
    SKR_PRINTF(6, 7);
/* The error of a decoder, whose key is the path of a field. */
void lint_tell_error(struct skr_lint *lint, const struct lint_object *object, const char *code,
                     const struct skr_error *error);
/* Findings of a parser of whole texts; "NotModelled" is passed over. */
void lint_tell_findings(struct skr_lint *lint, const struct lint_object *object,
                        const struct skr_findings *findings);
/* A receiver of defects of the strings in the object at base ("data", "metadata.labels"). */
struct lint_receiver {
    struct skr_lint *lint;
    const struct lint_object *object;
    const char *base;
    struct skr_defects defects;
};
void lint_receive(struct lint_receiver *receiver, struct skr_lint *lint,
                  const struct lint_object *object, const char *base);

/* ---- the checks, in this order ---- */

void lint_configurations(struct skr_lint *lint); /* configurations.c */
void lint_maps(struct skr_lint *lint);           /* maps.c */
void lint_levels(struct skr_lint *lint);         /* maps.c */
void lint_workloads(struct skr_lint *lint);      /* workloads.c */
void lint_devices(struct skr_lint *lint);        /* devices.c */
void lint_annotations(struct skr_lint *lint);    /* annotations.c */
void lint_spotmix(struct skr_lint *lint);        /* spotmix.c */
void lint_fleet(struct skr_lint *lint);          /* fleet.c */
void lint_schedulers(struct skr_lint *lint);     /* schedulers.c */
void lint_superseded(struct skr_lint *lint);     /* superseded.c */
/* Labels of ours that mean nothing where they stand. base: path of the labels. */
void lint_labels(struct skr_lint *lint, const struct lint_object *object, const char *base,
                 bool is_template); /* labels.c */

void lint_forget_groups(struct skr_lint *lint); /* frees the index */
/* NULL: no such source. */
struct lint_group *lint_find_group(struct skr_lint *lint, const char *namespace_, const char *name);
bool lint_is_ours(const struct skr_lint *lint, const char *scheduler_name);
/* Of this group, in any version of it, and of this kind. report.c */
bool lint_is_kind(const struct lint_object *object, const char *group, const char *kind);

#endif
