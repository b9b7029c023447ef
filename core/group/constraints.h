/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_CONSTRAINTS_H
#define SKR_CORE_GROUP_CONSTRAINTS_H
/*
 * Reading of the key constraints: the rules of levels, which the group and each role have in the
 * same form, and the members roles and sets. Used by the files of this folder alone.
 */
#include <jansson.h>

#include "core/group/group.h"

#define SKR_GROUP_ROLES "roles" /* members of the key constraints that are no levels */
#define SKR_GROUP_SETS  "sets"

/* Rules of levels inside a text. */
struct skr_rules_text {
    struct skr_group_spec *spec;
    const char *text; /* the whole key */
    const char *role; /* whose rules they are, under the member roles; NULL: those of the group */
    int32_t size;     /* members that they are about; 0: not known, which satisfies every rule */
};

/* Names of JSON members are equal in any case. */
bool skr_rules_same_key(const char *a, const char *b);
/* SKR_INVALID "NAME must be WHAT, got TYPE" about a place of any key. text: its value. */
int skr_group_refuse_type(const struct skr_group_spec *spec, const char *text,
                          struct skr_subject about, const char *name, const char *what,
                          const json_t *value, struct skr_error *error);

/* Adds the rules of an object level -> rule to rule[*n ..], which has room for as many as the object
 * has members, SKR_GROUP_RULES_MAX at most. */
int skr_rules_read(const struct skr_rules_text *t, json_t *object, struct skr_level_rule *rule,
                   size_t *n, struct skr_error *error);

/* Members roles and sets of the constraints into spec. Names are compared with the roles of the
 * spec by skr_group_roles_check() afterwards. */
int skr_group_role_constraints_read(struct skr_group_spec *spec, const char *text,
                                    const json_t *root, struct skr_error *error);

#endif
