/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persisted plans as JSON. The id is FNV-1a (64 bits) over namespace, group and the members sorted
 * by uid. A NUL byte ends every text, so that different inputs hash different bytes. The id
 * distinguishes plans; it does not protect against forgery: an account that may write the
 * annotation may bind pods.
 *
 * Limit: SKR_PLAN_BYTES_MAX. They are read in plan_read.c.
 */
#include "core/gang/state/plan_text.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "topology/base/hash.h"
#include "topology/base/strbuf.h"

static const char *const state_name[] = {
    [SKR_PLAN_PLANNED] = "Planned",       [SKR_PLAN_ADMITTING] = "Admitting",
    [SKR_PLAN_HOLDING] = "Holding",       [SKR_PLAN_BINDING] = "Binding",
    [SKR_PLAN_PREEMPTING] = "Preempting",
};
_Static_assert(sizeof state_name / sizeof state_name[0] == SKR_PLAN_STATE_COUNT,
               "a name per state");

const char *skr_plan_state_name(enum skr_plan_state state)
{
    return (size_t)state < SKR_PLAN_STATE_COUNT ? state_name[state] : "";
}

static int by_uid(const void *a, const void *b)
{
    const struct skr_plan_member *left = a;
    const struct skr_plan_member *right = b;
    return strcmp(left->uid, right->uid);
}

static int by_name(const void *a, const void *b)
{
    const struct skr_plan_node *left = a;
    const struct skr_plan_node *right = b;
    return strcmp(left->node, right->node);
}

static int by_role(const void *a, const void *b)
{
    const struct skr_plan_role *left = a;
    const struct skr_plan_role *right = b;
    int c = strcmp(left->node, right->node);
    return c != 0 ? c : strcmp(left->role, right->role);
}

void skr_plan_record_sort(struct skr_plan_record *plan)
{
    if (plan->n_nodes > 1) {
        qsort(plan->node, plan->n_nodes, sizeof plan->node[0], by_name);
    }
    if (plan->n_roles > 1) {
        qsort(plan->role, plan->n_roles, sizeof plan->role[0], by_role);
    }
    if (plan->n_members > 1) {
        qsort(plan->member, plan->n_members, sizeof plan->member[0], by_uid);
    }
}

static bool is_sorted(const struct skr_plan_member *member, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (strcmp(member[i - 1].uid, member[i].uid) > 0) {
            return false;
        }
    }
    return true;
}

/* The members by uid: a copy to free(), or NULL if they are already in order. Aborts without
 * memory. */
static struct skr_plan_member *sorted_copy(const struct skr_plan_member *member, size_t n)
{
    if (is_sorted(member, n)) {
        return NULL;
    }
    struct skr_plan_member *copy = skr_alloc_array(n, sizeof copy[0]);
    memcpy(copy, member, n * sizeof copy[0]);
    qsort(copy, n, sizeof copy[0], by_uid);
    return copy;
}

/* ---- id ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return skr_hash_bytes(hash, text, strlen(text) + 1);
}

void skr_plan_id(const char *namespace_, const char *group, const struct skr_plan_member *member,
                 size_t n, char ret[SKR_PLAN_ID_LEN + 1])
{
    struct skr_plan_member *copy = sorted_copy(member, n);
    const struct skr_plan_member *sorted = copy ? copy : member;
    uint64_t hash = SKR_HASH_BEGIN;
    hash = hash_text(hash, namespace_);
    hash = hash_text(hash, group);
    for (size_t i = 0; i < n; i++) {
        /* The rank as four bytes, little endian on every machine. */
        uint32_t rank = (uint32_t)sorted[i].rank;
        const unsigned char bytes[4] = {
            (unsigned char)(rank & 0xFF), (unsigned char)(rank >> 8 & 0xFF),
            (unsigned char)(rank >> 16 & 0xFF), (unsigned char)(rank >> 24 & 0xFF)};
        hash = hash_text(hash, sorted[i].uid);
        hash = hash_text(hash, sorted[i].node);
        hash = skr_hash_bytes(hash, bytes, sizeof bytes);
    }
    free(copy);
    snprintf(ret, SKR_PLAN_ID_LEN + 1, "%016llx", (unsigned long long)hash);
}

/* ---- writing ---- */

struct node_count {
    UT_hash_handle hh; /* by node */
    const char *node;
    int64_t count;
};

/* The number of members on each node, by node name; free() it. Sorts node names: fewer than
 * members. */
static struct skr_plan_node *count_nodes(const struct skr_plan_record *plan, size_t *ret_n)
{
    struct node_count *all = skr_alloc_array(plan->n_members + 1, sizeof *all);
    struct node_count *table = NULL, *c;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_members; i++) {
        const char *node = plan->member[i].node;
        HASH_FIND_STR(table, node, c);
        if (!c) {
            c = &all[n++];
            c->node = node;
            HASH_ADD_KEYPTR(hh, table, node, strlen(node), c);
        }
        c->count++;
    }
    HASH_CLEAR(hh, table);
    struct skr_plan_node *node = skr_alloc_array(n + 1, sizeof *node);
    for (size_t i = 0; i < n; i++) {
        node[i] = (struct skr_plan_node){all[i].node, (int32_t)all[i].count};
    }
    free(all);
    if (n > 1) {
        qsort(node, n, sizeof *node, by_name);
    }
    *ret_n = n;
    return node;
}

static void write_nodes(struct skr_strbuf *b, const struct skr_plan_node *node, size_t n)
{
    skr_strbuf_add(b, ",\"nodes\":{");
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(b, i == 0 ? "" : ",");
        skr_strbuf_add_json(b, node[i].node);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_int(b, node[i].count);
    }
    skr_strbuf_addc(b, '}');
}

static void write_roles(struct skr_strbuf *b, const struct skr_plan_role *role, size_t n)
{
    skr_strbuf_add(b, ",\"roles\":{");
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || strcmp(role[i - 1].node, role[i].node) != 0;
        if (first) {
            skr_strbuf_add(b, i == 0 ? "" : "},");
            skr_strbuf_add_json(b, role[i].node);
        }
        skr_strbuf_add(b, first ? ":{" : ",");
        skr_strbuf_add_json(b, role[i].role);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_int(b, role[i].count);
    }
    skr_strbuf_add(b, "}}");
}

static void write_members(struct skr_strbuf *b, const struct skr_plan_record *plan)
{
    SKR_AUTO_FREE struct skr_plan_member *copy = sorted_copy(plan->member, plan->n_members);
    const struct skr_plan_member *member = copy ? copy : plan->member;
    skr_strbuf_add(b, ",\"members\":{");
    for (size_t i = 0; i < plan->n_members; i++) {
        skr_strbuf_add(b, i > 0 ? "," : "");
        skr_strbuf_add_json(b, member[i].uid);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_json(b, member[i].node);
    }
    skr_strbuf_addc(b, '}');
}

static void write_plan(struct skr_strbuf *b, const struct skr_plan_record *plan,
                       const struct skr_plan_node *node, size_t n_nodes, bool members)
{
    skr_strbuf_reset(b);
    skr_strbuf_add(b, "{\"v\":1,\"id\":");
    skr_strbuf_add_json(b, plan->id);
    skr_strbuf_add(b, ",\"state\":");
    skr_strbuf_add_json(b, skr_plan_state_name(plan->state));
    if (n_nodes > 0) {
        write_nodes(b, node, n_nodes);
    }
    if (n_nodes > 0 && plan->n_roles > 0) {
        write_roles(b, plan->role, plan->n_roles);
    }
    if (members) {
        write_members(b, plan);
    }
    for (size_t i = 0; i < plan->n_victims; i++) {
        skr_strbuf_add(b, i == 0 ? ",\"victims\":[" : ",");
        skr_strbuf_add_json(b, plan->victim[i]);
    }
    for (size_t i = 0; plan->victim_pods && i < plan->n_victims; i++) {
        skr_strbuf_add(b, i == 0 ? "],\"victimPods\":[" : ",");
        skr_strbuf_add_int(b, plan->victim_pods[i]);
    }
    skr_strbuf_add(b, plan->n_victims > 0 ? "]" : "");
    bool moved = false;
    for (size_t i = 0; plan->moved && i < plan->n_victims; i++) {
        if (plan->moved[i]) {
            skr_strbuf_add(b, moved ? "," : ",\"moved\":{");
            skr_strbuf_add_json(b, plan->victim[i]);
            skr_strbuf_addf(b, ":%s", plan->moved[i]);
            moved = true;
        }
    }
    skr_strbuf_add(b, moved ? "}}" : "}");
}

/* Whether the members can fit: each takes its texts, four quotes, colon and comma. */
static bool members_may_fit(const struct skr_plan_record *plan)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->n_members && bytes <= SKR_PLAN_BYTES_MAX; i++) {
        bytes += strlen(plan->member[i].uid) + strlen(plan->member[i].node) + strlen("\"\":\"\",");
    }
    return bytes <= SKR_PLAN_BYTES_MAX;
}

char *skr_plan_write(const struct skr_plan_record *plan, bool *ret_dropped)
{
    struct skr_strbuf b;
    bool members = (plan->n_members > 0 || plan->has_members) && members_may_fit(plan);
    bool dropped = !members;
    size_t n = plan->n_nodes;
    struct skr_plan_node *counted = plan->n_members > 0 ? count_nodes(plan, &n) : NULL;
    const struct skr_plan_node *node = counted ? counted : plan->node;
    skr_strbuf_init(&b);
    write_plan(&b, plan, node, n, members);
    if (b.len > SKR_PLAN_BYTES_MAX && members) {
        dropped = true;
        write_plan(&b, plan, node, n, false);
    }
    if (b.len > SKR_PLAN_BYTES_MAX) {
        write_plan(&b, plan, NULL, 0, false);
    }
    free(counted);
    if (ret_dropped) {
        *ret_dropped = dropped;
    }
    return skr_strbuf_take(&b, NULL);
}

enum { ROLES_BYTES_MAX = 1024 }; /* eight roles with the longest names are less */

/* Roles are label values, which need no escapes. */
#define ROLES_KEY ",\"roles\":\""
#define SET_KEY   ",\"set\":"

char *skr_member_plan_write(const char *id, const char *node, const char *roles, int32_t set)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_add(&b, "{\"id\":");
    skr_strbuf_add_json(&b, id);
    skr_strbuf_add(&b, ",\"node\":");
    skr_strbuf_add_json(&b, node);
    if (roles) {
        skr_strbuf_add(&b, ROLES_KEY);
        skr_strbuf_addf(&b, "%s\"", roles);
    }
    if (set >= 0) {
        skr_strbuf_addf(&b, SET_KEY "%d", (int)set);
    }
    skr_strbuf_addc(&b, '}');
    return skr_strbuf_take(&b, NULL);
}

const char *skr_member_plan_roles(const char *text, size_t *ret_n)
{
    const char *at = strstr(text, ROLES_KEY);
    at = at ? at + strlen(ROLES_KEY) : NULL;
    *ret_n =
        at ? strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:,") : 0;
    return *ret_n > 0 && *ret_n <= ROLES_BYTES_MAX && at[*ret_n] == '"' ? at : NULL;
}

int32_t skr_member_plan_set(const char *text)
{
    const char *at = strstr(text, SET_KEY);
    at = at ? at + strlen(SET_KEY) : "";
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 && digits <= 9 ? (int32_t)strtol(at, NULL, 10) : -1;
}
