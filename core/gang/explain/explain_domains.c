/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the domains of an explanation: the solver's bottlenecks with their free room and the
 * holders of the rest. If no level decides, because there is too little room in total, the domains
 * are the units below the root, and fits is the sum over their nodes.
 *
 * Blockers are pods that are charged on eligible nodes of the domain, by group; and nodes closed to
 * the members, with their free room.
 */
#include "core/gang/cache/pod_walk.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/explain/explain_roles.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/report/sentence.h"
#include "core/gang/state/groups.h"

#include <string.h>

struct row {
    int32_t unit;
    int32_t fits, needs; /* needs 0: unknown */
    int32_t first, end;  /* leaves */
};

struct rows {
    size_t n, cap;
    struct row *item;
    int32_t level;
    int32_t *at; /* [unit of the level, from its first] index of its row, or -1 */
};

/* ---- which domains ---- */

static void add_row(struct rows *rows, const struct skr_tree *tree, struct row row)
{
    skr_account_leaves(tree, row.unit, &row.first, &row.end);
    skr_grow(&rows->item, &rows->cap, rows->n + 1, sizeof *rows->item);
    rows->item[rows->n++] = row;
}

static int by_fits(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->fits != y->fits) {
        return x->fits > y->fits ? -1 : 1;
    }
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Slots of a leaf; with roles the sum over them, each as if it were alone. */
static int64_t fit_of(const struct account *a, int32_t leaf)
{
    int64_t fits = 0;
    for (size_t r = 0; r < skr_problem_n_roles(&a->request->problem); r++) {
        fits += skr_explain_role_fit(a, r, leaf);
    }
    return fits;
}

/* Units below the root, those with the most room first. */
static void list_by_room(const struct account *a, struct rows *rows)
{
    const struct skr_tree *tree = a->request->problem.tree;
    for (int32_t unit = tree->level_first[1]; unit < tree->level_first[2]; unit++) {
        struct row row = {.unit = unit};
        int64_t fits = 0;
        skr_account_leaves(tree, unit, &row.first, &row.end);
        for (int32_t leaf = row.first; leaf < row.end; leaf++) {
            fits += fit_of(a, leaf);
        }
        row.fits = fits < a->request->problem.n ? (int32_t)fits : a->request->problem.n;
        add_row(rows, tree, row);
    }
    qsort(rows->item, rows->n, sizeof *rows->item, by_fits);
    if (rows->n > SKR_BOTTLENECKS_MAX) {
        rows->n = SKR_BOTTLENECKS_MAX;
    }
}

static void list_rows(const struct account *a, struct rows *rows)
{
    const struct skr_explanation *x = a->x;
    const struct skr_tree *tree = a->request->problem.tree;
    rows->level = x->level > 0 ? x->level : 1;
    for (size_t i = 0; i < x->n_bottlenecks; i++) {
        add_row(rows, tree,
                (struct row){.unit = x->bottleneck[i].unit,
                             .fits = x->bottleneck[i].fits,
                             .needs = x->bottleneck[i].needs});
    }
    if (x->level == 0) {
        list_by_room(a, rows);
    }
    int32_t first = tree->level_first[rows->level], end = tree->level_first[rows->level + 1];
    rows->at = skr_alloc_array((size_t)(end - first) + 1, sizeof *rows->at);
    for (int32_t i = 0; i < end - first; i++) {
        rows->at[i] = -1;
    }
    for (size_t i = 0; i < rows->n; i++) {
        rows->at[rows->item[i].unit - first] = (int32_t)i;
    }
}

/* ---- holders ---- */

struct blocker {
    size_t row;
    const char *group; /* key; NULL: a single pod */
    const char *name;  /* of the pod (among keys), or of the group */
    size_t key;        /* index of the pod's name among keys, until they are complete */
    int32_t priority;
    int64_t amount;
    size_t pods;
    bool terminating;
};

struct blockers {
    size_t n, cap;
    struct blocker *item;
    struct skr_strbuf keys; /* of pods, each ended by a NUL */
};

static int by_holder(const void *a, const void *b)
{
    const struct blocker *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (!x->group != !y->group) {
        return x->group ? -1 : 1;
    }
    return strcmp(x->group ? x->group : x->name, y->group ? y->group : y->name);
}

static int by_weight(const void *a, const void *b)
{
    const struct blocker *x = a, *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (x->amount != y->amount) {
        return x->amount > y->amount ? -1 : 1;
    }
    return by_holder(a, b);
}

static void merge(struct blockers *list)
{
    size_t n = 0;
    if (list->n == 0) {
        return;
    }
    qsort(list->item, list->n, sizeof *list->item, by_holder);
    for (size_t i = 0; i < list->n; i++) {
        if (n > 0 && list->item[i].group && by_holder(&list->item[n - 1], &list->item[i]) == 0) {
            list->item[n - 1].amount += list->item[i].amount;
            list->item[n - 1].pods += list->item[i].pods;
        } else {
            list->item[n++] = list->item[i];
        }
    }
    list->n = n;
    qsort(list->item, list->n, sizeof *list->item, by_weight);
}

static size_t add_key(const struct account *a, const struct pod_walk *p, struct skr_strbuf *b)
{
    const size_t at = b->len;
    skr_pod_ref_add_key(a->e, skr_pod_walk_ref(p), b);
    skr_strbuf_addc(b, '\0');
    return at;
}

/* Whether the leaf lists the scarcest resource. */
static bool is_counted(const struct account *a, int32_t leaf)
{
    const struct skr_problem *p = &a->request->problem;
    return p->n_resources == 0 ||
           p->free[(size_t)leaf * p->n_resources + a->scarce] != SKR_ROOM_UNLIMITED;
}

static void find_blockers(const struct account *a, const struct rows *rows, struct blockers *list)
{
    const struct skr_problem *problem = &a->request->problem;
    const struct skr_tree *tree = problem->tree;
    int resource = skr_resource_names_find(a->e->resources, skr_account_resource(a, a->scarce));
    struct pod_walk p = {0};
    while (skr_pod_walk_next(a->e, &p)) {
        const struct group *g = p.entry ? p.entry->group : NULL;
        bool left = g == a->g && p.deleting; /* no longer a member, and still on its node */
        const char *node = g == a->g && !left ? NULL
                           : p.entry          ? skr_ledger_find(a->e->ledger, p.entry->uid, NULL)
                                              : p.node;
        int32_t leaf = node ? skr_tree_find_leaf(tree, node) : -1;
        if (leaf < 0 || !problem->eligible[leaf] || !is_counted(a, leaf)) {
            continue;
        }
        int32_t row =
            rows->at[skr_tree_unit_at(tree, leaf, rows->level) - tree->level_first[rows->level]];
        int64_t amount = resource >= 0 ? skr_amounts_get(&p.shape->amounts, (uint16_t)resource) : 0;
        if (row < 0 || amount <= 0) {
            continue;
        }
        skr_grow(&list->item, &list->cap, list->n + 1, sizeof *list->item);
        list->item[list->n++] =
            (struct blocker){.row = (size_t)row,
                             .group = g && !left ? g->key : NULL,
                             .name = g && !left ? g->key : NULL,
                             .key = g && !left ? 0 : add_key(a, &p, &list->keys),
                             .priority = g && g->spec ? g->spec->priority : p.priority,
                             .amount = amount,
                             .pods = 1,
                             .terminating = left || (!g && p.deleting)};
    }
    for (size_t i = 0; i < list->n; i++) {
        struct blocker *x = &list->item[i];
        x->name = x->name ? x->name : list->keys.s + x->key;
    }
    merge(list);
}

/* ---- JSON ---- */

static void write_holders(const struct blockers *list, size_t row, bool *first,
                          struct skr_strbuf *b)
{
    size_t n = 0, others = 0;
    int64_t amount = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct blocker *x = &list->item[i];
        if (x->row != row) {
            continue;
        }
        if (n++ >= SKR_EXPLAIN_BLOCKERS_MAX) {
            others += x->pods;
            amount += x->amount;
            continue;
        }
        skr_strbuf_addf(b, "%s{\"%s\":", *first ? "" : ",", x->group ? "group" : "pod");
        skr_strbuf_add_json(b, x->name);
        skr_strbuf_addf(b, ",\"priority\":%d,\"pods\":%zu,\"amount\":%lld%s}", x->priority, x->pods,
                        (long long)x->amount, x->terminating ? ",\"terminating\":true" : "");
        *first = false;
    }
    if (others > 0) {
        skr_strbuf_addf(b, "%s{\"others\":%zu,\"amount\":%lld}", *first ? "" : ",", others,
                        (long long)amount);
        *first = false;
    }
}

static void write_closed(const struct account *a, const struct row *row, bool *first,
                         struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    size_t n = 0, others = 0;
    for (int32_t leaf = row->first; leaf < row->end; leaf++) {
        bool opens;
        const char *why =
            p->eligible[leaf] ? NULL : skr_account_closed(a, leaf, SKR_ROLE_OF_ALL, &opens);
        int64_t room = p->n_resources > 0 ? p->free[(size_t)leaf * p->n_resources + a->scarce] : 0;
        if (!why) {
            continue;
        }
        if (n++ >= SKR_EXPLAIN_BLOCKERS_MAX) {
            others++;
            continue;
        }
        skr_strbuf_addf(b, "%s{\"node\":", *first ? "" : ",");
        skr_strbuf_add_json(b, p->tree->unit_name[p->tree->first_leaf + leaf]);
        skr_strbuf_addf(b, ",\"why\":\"%s\",\"amount\":%lld}", why,
                        (long long)skr_room_counted(room));
        *first = false;
    }
    if (others > 0) {
        skr_strbuf_addf(b, "%s{\"otherNodes\":%zu}", *first ? "" : ",", others);
        *first = false;
    }
}

static void write_row(const struct account *a, const struct rows *rows, const struct blockers *list,
                      size_t i, struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    const struct row *row = &rows->item[i];
    int64_t free_ = 0;
    bool first = true;
    for (int32_t leaf = row->first; p->n_resources > 0 && leaf < row->end; leaf++) {
        int64_t here = p->free[(size_t)leaf * p->n_resources + a->scarce];
        free_ = skr_amount_sum(free_, p->eligible[leaf] ? skr_room_counted(here) : 0);
    }
    struct skr_strbuf name;
    skr_strbuf_init(&name);
    skr_account_unit_name(p->tree, row->unit, &name);
    skr_strbuf_addf(b, "%s{\"name\":", i ? "," : "");
    skr_strbuf_add_json(b, name.s);
    skr_strbuf_fini(&name);
    /* The solver's numbers of bottlenecks include the group's own seats. */
    int32_t held = skr_held_below(p, row->unit), short_ = row->needs - row->fits;
    int32_t own = row->needs > 0 ? held : 0, fits = row->fits > own ? row->fits - own : 0;
    skr_strbuf_addf(b, ",\"free\":%lld", (long long)free_);
    if (!a->roles || row->needs > 0) {
        skr_strbuf_addf(b, ",\"fits\":%d", fits);
    }
    if (row->needs > 0) {
        skr_strbuf_addf(b, ",\"needs\":%d,\"short\":%d", fits + short_, short_);
    }
    if (held > 0) {
        skr_strbuf_addf(b, ",\"held\":%d", held);
    }
    if (a->roles) {
        skr_explain_roles_unit(a, row->unit, row->needs > 0 ? (int)i : -1, b);
    }
    skr_strbuf_add(b, ",\"blockedBy\":[");
    write_holders(list, i, &first, b);
    write_closed(a, row, &first, b);
    skr_strbuf_add(b, "]}");
}

void skr_explain_domains(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_tree *tree = a->request->problem.tree;
    struct rows rows = {0};
    struct blockers list = {0};
    skr_strbuf_init(&list.keys);
    list_rows(a, &rows);
    if (rows.n > 0 && a->request->problem.n_resources > 0) {
        find_blockers(a, &rows, &list);
    }
    skr_strbuf_add(b, ",\"domainLevel\":");
    skr_strbuf_add_json(b, tree->level_name[rows.level]);
    skr_strbuf_addf(b, ",\"domainsInAll\":%d,\"domains\":[",
                    rows.n > 0 ? tree->level_first[rows.level + 1] - tree->level_first[rows.level]
                               : 0);
    for (size_t i = 0; i < rows.n; i++) {
        write_row(a, &rows, &list, i, b);
    }
    skr_strbuf_addc(b, ']');
    free(rows.item);
    free(rows.at);
    free(list.item);
    skr_strbuf_fini(&list.keys);
}
