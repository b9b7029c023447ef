/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_PLAN_TEXT_H
#define SKR_CORE_GANG_STATE_PLAN_TEXT_H
/*
 * The persisted plan: annotation sakkara.plan of the group's object, and a small one on every
 * member. Written before anything depends on it, read after a restart.
 *
 *   {"v":1,"id":"<hash>","state":"Planned","nodes":{"node-0":3},"members":{"<uid>":"node-0"},
 *    "victims":["ns/name"],"victimPods":[3]}
 *   {"id":"<hash>","node":"node-0"}                              on a member
 *
 * A member of a group with key roles, or with sets, keeps what it was placed as (skr_group_composition()
 * and the number of its set): ,"roles":"leader:0:1,worker:0:7","set":1 follow "node".
 *
 * If members have roles, "roles":{"node-0":{"leader":1,"worker":2}} follows "nodes". Nodes, roles
 * and members are in byte order; an empty "nodes", "roles" or "victims" is left out. "victimPods"
 * has one entry per victim; texts of older versions lack it. Victims that move have their places in
 * "moved":{"ns/name":{"node-0":2}} behind it. If the text would not fit, "members"
 * is left out, then "nodes" and "roles" (skr_plan_write).
 */
#include "core/pod/pod.h"

enum skr_plan_state {
    SKR_PLAN_PLANNED,
    SKR_PLAN_ADMITTING,
    SKR_PLAN_HOLDING,
    SKR_PLAN_BINDING, /* point of no return */
    SKR_PLAN_PREEMPTING,
    SKR_PLAN_STATE_COUNT
};

enum {
    SKR_PLAN_ID_LEN = 16, /* hex digits */
    /* of the annotation; the API's limit is 256 KiB for all annotations of an object */
    SKR_PLAN_BYTES_MAX = 200 * 1024,
    SKR_PLAN_READ_MAX = 256 * 1024, /* bytes of an annotation that is parsed */
};

struct skr_plan_member {
    const char *uid;
    const char *node;
    int32_t rank; /* is part of the id, not of the text; -1 after parsing */
};

struct skr_plan_node {
    const char *node;
    int32_t count; /* members planned there, > 0 */
};

struct skr_plan_role {
    const char *node;
    const char *role;
    int32_t count; /* members of the role planned there, > 0 */
};

struct skr_plan_record {
    struct skr_arena *arena; /* NULL when the caller owns the arrays */
    char id[SKR_PLAN_ID_LEN + 1];
    enum skr_plan_state state;
    bool has_members; /* false: left out for size, rebuild from the pods' annotations */
    size_t n_members; /* sorted by uid */
    struct skr_plan_member *member;
    /* set by parsing, sorted by name; skr_plan_write ignores it when there are members and
     * counts those */
    size_t n_nodes;
    struct skr_plan_node *node;
    size_t n_roles; /* sorted by node, then role; 0: the members are equal */
    struct skr_plan_role *role;
    size_t n_victims;
    const char **victim;
    int32_t *victim_pods; /* [n_victims] running when chosen, >= 0; NULL: unknown */
    const char **moved; /* [n_victims] where it goes, {"node-0":2}; NULL: it does not move; NULL */
};

/* Hash of group, uids, nodes and ranks: FNV-1a 64 over the members sorted by uid. The order of
 * member does not matter. */
void skr_plan_id(const char *namespace_, const char *group, const struct skr_plan_member *member,
                 size_t n, char ret[SKR_PLAN_ID_LEN + 1]);
/* Text to free(). If it would exceed SKR_PLAN_BYTES_MAX, "members" is left out, then "nodes"
 * (*ret_dropped true; NULL allowed). has_members is not read: a record without members writes its
 * nodes. Aborts without memory. O(members log members). */
char *skr_plan_write(const struct skr_plan_record *plan, bool *ret_dropped);
/* *ret owns its memory. Errors: SKR_INVALID with position or field, SKR_LIMIT. */
int skr_plan_parse(const char *text, struct skr_plan_record **ret, struct skr_error *error);
void skr_plan_record_destroy(struct skr_plan_record *plan); /* NULL allowed */

/* Sorts the arrays as the text has them. */
void skr_plan_record_sort(struct skr_plan_record *plan);

/* The annotation of a member; free() it. roles NULL, set -1: it has none. */
char *skr_member_plan_write(const char *id, const char *node, const char *roles, int32_t set);
/* "roles" of an annotation that skr_member_plan_write() wrote; *ret_n its bytes. NULL: none. */
const char *skr_member_plan_roles(const char *text, size_t *ret_n);
/* "set" of it; -1: none. */
int32_t skr_member_plan_set(const char *text);
/* Also for the oldest member of a group from labels, whose annotation holds the whole plan beside
 * "node". ret_id has SKR_PLAN_ID_LEN + 1 bytes, ret_node at least 254; either may be NULL. */
int skr_member_plan_parse(const char *text, char *ret_id, char *ret_node, size_t node_size,
                          struct skr_error *error);

const char *skr_plan_state_name(enum skr_plan_state state);

#endif
