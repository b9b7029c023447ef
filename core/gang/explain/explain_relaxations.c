/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what must change for a group to fit: see explain_relaxations.h.
 *
 * Room, rules, size, closed nodes: each object is a placement that the solver found. If all its
 * changes are made, and nothing else, the group is placed. Left out are changes that cannot be
 * listed completely (more leaves than the solver lists), and room that would make a node larger
 * than any node of the tree.
 */
#include "core/gang/explain/explain_relaxations.h"
#include "core/gang/explain/explain_roles.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/report/explain_held.h"
#include "core/gang/report/sentence.h"
#include "core/gang/report/size_field.h"
#include "core/gang/state/groups.h"

#include "topology/amount_text.h"

#include <string.h>
#include <utlist.h>

void skr_relaxation_begin(struct relaxation *r)
{
    skr_strbuf_init(&r->text);
    skr_strbuf_init(&r->changes);
    skr_strbuf_init(&r->set);
    r->unquoted = true;
}

void skr_relaxation_drop(struct relaxation *r)
{
    skr_strbuf_fini(&r->text);
    skr_strbuf_fini(&r->changes);
    skr_strbuf_fini(&r->set);
}

void skr_relaxation_end(struct relaxation *r, struct skr_strbuf *b, char **ret_set)
{
    skr_strbuf_add(b, b->len > 0 ? "," : "");
    skr_strbuf_add(b, "{\"text\":");
    skr_strbuf_add_json(b, r->text.s);
    skr_strbuf_addf(b, ",\"changes\":[%s]}", r->changes.s);
    if (ret_set && !*ret_set && r->set.len > 0 && r->unquoted) {
        *ret_set = skr_strbuf_take(&r->set, NULL);
    }
    skr_relaxation_drop(r);
}

void skr_relaxation_and(struct relaxation *r)
{
    skr_strbuf_add(&r->text, r->text.len > 0 ? " and " : "");
}

/* Whether a shell takes the path as one word that means itself. */
static bool is_plain(const char *path)
{
    for (const char *c = path; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("._-/", *c);
        if (!plain) {
            return false;
        }
    }
    return true;
}

void skr_relaxation_add(struct relaxation *r, const char *change, const char *path,
                        const char *value, bool is_text)
{
    skr_strbuf_addf(&r->changes, "%s{\"change\":\"%s\",\"path\":", r->changes.len > 0 ? "," : "",
                    change);
    skr_strbuf_add_json(&r->changes, path);
    skr_strbuf_add(&r->changes, ",\"value\":");
    if (is_text) {
        skr_strbuf_add_json(&r->changes, value);
    } else {
        skr_strbuf_add(&r->changes, value);
    }
    skr_strbuf_addc(&r->changes, '}');
    skr_strbuf_addf(&r->set, "%s%s=%s", r->set.len > 0 ? " " : "", path, value);
    r->unquoted = r->unquoted && is_plain(path) && is_plain(value);
}

/* ---- room ---- */

#define AMOUNT_MAX (INT64_MAX / 4) /* larger amounts are reported as this */

/* What members request of resource r if the missing slots existed. */
static int64_t wanted(const struct account *a, const struct skr_missing_slots *slot, size_t r)
{
    int64_t members = (int64_t)skr_explain_role_fit(a, 0, slot->leaf) + slot->slots;
    int64_t demand = a->request->problem.demand[r];
    return members > 0 && demand > AMOUNT_MAX / members ? AMOUNT_MAX : members * demand;
}

static int64_t lacking(const struct account *a, const struct skr_missing_slots *slot, size_t r)
{
    const struct skr_problem *p = &a->request->problem;
    int64_t free_ = p->free[(size_t)slot->leaf * p->n_resources + r];
    int64_t lacks = wanted(a, slot, r) - (free_ < -AMOUNT_MAX ? -AMOUNT_MAX : free_);
    return p->demand[r] > 0 && lacks > 0 ? lacks : 0;
}

/* What the group's own members use on the node; they do not leave. */
static int64_t own_use(const struct account *a, int32_t leaf, size_t r)
{
    const struct skr_tree *tree = a->request->problem.tree;
    const char *node = tree->unit_name[tree->first_leaf + leaf];
    const struct pod_entry *p;
    int64_t sum = 0;
    DL_FOREACH(a->g->members, p)
    {
        const char *at = skr_ledger_find(a->e->ledger, p->uid, NULL);
        int64_t uses = at && strcmp(at, node) == 0
                           ? skr_amounts_get(&p->shape->amounts, a->request->resource[r])
                           : 0;
        sum = sum > AMOUNT_MAX - uses ? AMOUNT_MAX : sum + uses;
    }
    return sum;
}

static int64_t desired_keys_with_own(const struct account *a, const struct skr_missing_slots *slot,
                                     size_t r)
{
    int64_t want = wanted(a, slot, r);
    return a->request->problem.demand[r] > 0 ? want + own_use(a, slot->leaf, r) : want;
}

/* Whether it needs more than the node has without pods other than the group's. */
static bool exceeds_node(const struct account *a, const struct skr_missing_slots *slot)
{
    const struct skr_problem *p = &a->request->problem;
    for (size_t r = 0; p->capacity && r < p->n_resources; r++) {
        if (desired_keys_with_own(a, slot, r) >
            p->capacity[(size_t)slot->leaf * p->n_resources + r]) {
            return true;
        }
    }
    return false;
}

/* Whether it needs more than any empty node of the tree has. */
static bool exceeds_all_nodes(const struct account *a, const struct skr_missing_slots *slot)
{
    const struct skr_problem *p = &a->request->problem;
    for (size_t r = 0; p->capacity && r < p->n_resources; r++) {
        int64_t want = desired_keys_with_own(a, slot, r), most = 0;
        for (size_t i = 0; i < (size_t)p->tree->n_leaves; i++) {
            int64_t has = p->capacity[i * p->n_resources + r];
            most = has > most ? has : most;
        }
        if (want > most) {
            return true;
        }
    }
    return false;
}

static void add_room_change(const struct account *a, const struct skr_missing_slots *slot,
                            struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    bool first = true;
    skr_strbuf_addf(b, "%s{\"change\":\"free\",\"node\":", b->len > 0 ? "," : "");
    skr_strbuf_add_json(b, p->tree->unit_name[p->tree->first_leaf + slot->leaf]);
    skr_strbuf_addf(b, ",\"slots\":%d,\"amounts\":{", slot->slots);
    for (size_t r = 0; r < p->n_resources; r++) {
        int64_t amount = lacking(a, slot, r);
        if (amount <= 0) {
            continue;
        }
        skr_strbuf_add(b, first ? "" : ",");
        skr_strbuf_add_json(b, skr_account_resource(a, r));
        skr_strbuf_addf(b, ":%lld", (long long)amount);
        first = false;
    }
    skr_strbuf_add(b, "}}");
}

/* "2 GPU and 8 CPU" over all leaves, the scarcest first. */
static void say_amounts(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_problem *p = &a->request->problem;
    size_t said = 0;
    for (size_t k = 0; k <= p->n_resources; k++) {
        size_t r = k == 0 ? a->scarce : k - 1;
        int64_t sum = 0;
        if (k > 0 && r == a->scarce) {
            continue;
        }
        for (size_t i = 0; i < a->x->n_slot_leaves; i++) {
            int64_t amount = lacking(a, &a->x->slot[i], r);
            sum = sum > INT64_MAX - amount ? INT64_MAX : sum + amount;
        }
        if (sum <= 0) {
            continue;
        }
        skr_strbuf_add(b, said++ > 0 ? " and " : "");
        skr_amount_add(b, skr_account_resource(a, r), sum);
    }
}

static void say_nodes(const struct skr_tree *tree, const int32_t *leaf, size_t n,
                      struct skr_strbuf *b)
{
    if (n > SKR_EXPLAIN_PHRASE_NODES_MAX) {
        skr_strbuf_addf(b, "%zu nodes", n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(b, "%s%s",
                        i == 0      ? ""
                        : i + 1 < n ? ", "
                                    : " and ",
                        tree->unit_name[tree->first_leaf + leaf[i]]);
    }
}

static void say_room(const struct account *a, bool beyond, struct skr_strbuf *b)
{
    const struct skr_tree *tree = a->request->problem.tree;
    int32_t leaf[SKR_MISSING_SLOTS_MAX], level = a->x->level;
    bool together = level > 0 && level < tree->n_levels && a->x->n_slot_leaves > 1;
    for (size_t i = 0; i < a->x->n_slot_leaves; i++) {
        leaf[i] = a->x->slot[i].leaf;
        together = together &&
                   skr_tree_unit_at(tree, leaf[i], level) == skr_tree_unit_at(tree, leaf[0], level);
    }
    say_amounts(a, b);
    skr_strbuf_add(b, beyond ? " were added" : " free up");
    if (together) {
        skr_strbuf_add(b, " in ");
        skr_account_unit_name(tree, skr_tree_unit_at(tree, leaf[0], level), b);
    }
    skr_strbuf_add(b, together ? ", on " : " on ");
    say_nodes(tree, leaf, a->x->n_slot_leaves, b);
}

static void write_room(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_explanation *x = a->x;
    bool beyond = false;
    if (!(x->parts & SKR_EXPLAIN_SLOTS) || x->slots <= 0 || x->n_slot_leaves == 0 ||
        x->n_slot_leaves > SKR_MISSING_SLOTS_MAX) {
        return;
    }
    for (size_t i = 0; i < x->n_slot_leaves; i++) {
        if (exceeds_node(a, &x->slot[i]) && exceeds_all_nodes(a, &x->slot[i])) {
            return;
        }
    }
    struct relaxation r;
    skr_relaxation_begin(&r);
    for (size_t i = 0; i < x->n_slot_leaves; i++) {
        beyond = beyond || exceeds_node(a, &x->slot[i]);
        add_room_change(a, &x->slot[i], &r.changes);
    }
    say_room(a, beyond, &r.text);
    skr_relaxation_end(&r, b, NULL);
}

/* ---- rules ---- */

static const char *const relaxation_key[] = {"hard", "max", "min", "factor", "partitions"};
_Static_assert(sizeof relaxation_key / sizeof *relaxation_key == SKR_RELAXATION_KIND_COUNT,
               "names");

static int32_t value_now(const struct skr_rule *rule, enum skr_relaxation_kind kind)
{
    const int32_t now[] = {0, rule->max, rule->min, rule->factor, rule->partitions};
    return now[kind];
}

/* Whether the hard pack that the atom drops is one of the group's key `within`. */
static bool is_of_within(const struct account *a, const struct skr_relaxation_atom *atom)
{
    const char *within = a->g->spec ? a->g->spec->within : NULL;
    return atom->what == SKR_ATOM_RULE && atom->role < 0 && atom->kind == SKR_RELAX_HARD &&
           within && atom->level <= skr_tree_find_level(a->request->problem.tree, within);
}

/* The key `within` names the level above the highest one that is dropped, or is removed. Atoms that are
 * not of it are left out. */
static void add_within(const struct account *a, const struct skr_relaxation *from,
                       struct relaxation *r)
{
    const struct skr_tree *tree = a->request->problem.tree;
    int32_t level = 0;
    for (size_t j = 0; j < from->n_atoms; j++) {
        const struct skr_relaxation_atom *atom = &from->atom[j];
        if (is_of_within(a, atom) && (level == 0 || atom->level < level)) {
            level = atom->level;
        }
    }
    if (level > 0) {
        skr_relaxation_and(r);
        skr_strbuf_addf(&r->text, "the group may use several %ss", tree->level_name[level]);
        const char *above = level > 1 ? tree->level_name[level - 1] : NULL;
        skr_relaxation_add(r, "constraint", "within", above ? above : "null", above);
    }
}

/* alone: the nearest value was verified with no other rule dropped. */
static void add_rule(const struct account *a, const struct skr_relaxation_atom *atom, bool alone,
                     struct relaxation *r)
{
    const struct skr_problem *p = &a->request->problem;
    const char *level = p->tree->level_name[atom->level], *key = relaxation_key[atom->kind];
    const char *role = atom->role < 0 ? NULL : skr_explain_role_at(a, (size_t)atom->role)->name;
    int32_t value =
        alone && !(atom->kind == SKR_RELAX_FACTOR && atom->value <= 1) ? atom->value : 0;
    SKR_STRBUF(path);
    char text[32] = "null";
    skr_strbuf_addf(&path, "constraints.%s%s%s%s.%s", role ? "roles." : "", role ? role : "",
                    role ? "." : "", level, key);
    skr_relaxation_and(r);
    if (atom->kind == SKR_RELAX_HARD) {
        skr_strbuf_addf(&r->text, "the %s constraint%s%s is soft", level, role ? " of role " : "",
                        role ? role : "");
        snprintf(text, sizeof text, "false");
    } else if (value > 0) {
        skr_strbuf_addf(&r->text, "%s of %s is %d, not %d", key, level, value,
                        value_now(&p->rule[atom->level - 1], atom->kind));
        snprintf(text, sizeof text, "%d", (int)value);
    } else {
        skr_strbuf_addf(&r->text, "%s has no %s%s%s", level, key, role ? " of role " : "",
                        role ? role : "");
    }
    skr_relaxation_add(r, "constraint", path.s, text, false);
}

void skr_explain_relaxations(const struct account *a, struct skr_strbuf *b, char **ret_set)
{
    *ret_set = NULL;
    if (!a->roles) {
        write_room(a, b);
    }
    for (size_t i = 0; i < a->x->n_relaxations; i++) {
        const struct skr_relaxation *from = &a->x->relaxation[i];
        struct relaxation r;
        if (!skr_relaxation_is_possible(a, from)) {
            continue;
        }
        skr_relaxation_begin(&r);
        for (size_t j = 0; j < from->n_atoms; j++) {
            if (from->atom[j].what != SKR_ATOM_RULE) {
                skr_relaxation_add_kind(a, &from->atom[j], &r);
            } else if (!is_of_within(a, &from->atom[j])) {
                add_rule(a, &from->atom[j], from->n_atoms == 1, &r);
            }
        }
        add_within(a, from, &r);
        skr_relaxation_end(&r, b, ret_set);
    }
}

/* ---- size ---- */

void skr_explain_size(const struct account *a, struct skr_strbuf *b, char **ret_set)
{
    const struct skr_explanation *x = a->x;
    *ret_set = NULL;
    if (x->largest + a->request->outside <= 0 || x->largest >= a->request->problem.n ||
        x->largest < skr_held_in_all(&a->request->problem)) {
        return;
    }
    struct relaxation r;
    skr_relaxation_begin(&r);
    int32_t outside = a->request->outside, size = x->largest + outside;
    skr_size_field_add(a->g, NULL, &r.text);
    skr_strbuf_addf(&r.text, " is %d, not %d", size, a->request->problem.n + outside);
    const char *change = a->g->spec->most > 0 ? "minimum" : "size";
    skr_strbuf_addf(&r.changes, "{\"change\":\"%s\",\"value\":%d}", change, size);
    skr_strbuf_addf(&r.set, "%s=%d", change, size);
    skr_relaxation_end(&r, b, ret_set);
}

/* ---- the whole group ---- */

void skr_explain_moved(const struct account *a, struct skr_strbuf *b)
{
    const struct skr_solution *moved = a->request->moved;
    const struct skr_tree *tree = a->request->problem.tree;
    int32_t level = skr_explain_tying_level(a->x, &a->request->problem);
    if (!moved) {
        return;
    }
    struct relaxation r;
    skr_relaxation_begin(&r);
    skr_strbuf_addf(&r.text, "all %d members start anew, in ", a->request->problem.n);
    skr_held_say_units(tree, moved->count, level > 0 ? level : 1, &r.text);
    skr_strbuf_addf(&r.changes, "{\"change\":\"move\",\"members\":%d,\"nodes\":{",
                    a->request->problem.n);
    int32_t n = 0;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (moved->count[leaf] > 0 && n++ < SKR_EXPLAIN_MOVED_MAX) {
            skr_strbuf_add(&r.changes, n > 1 ? "," : "");
            skr_strbuf_add_json(&r.changes, tree->unit_name[tree->first_leaf + leaf]);
            skr_strbuf_addf(&r.changes, ":%d", moved->count[leaf]);
        }
    }
    skr_strbuf_addf(&r.changes, "},\"otherNodes\":%d}",
                    n > SKR_EXPLAIN_MOVED_MAX ? n - SKR_EXPLAIN_MOVED_MAX : 0);
    skr_relaxation_end(&r, b, NULL);
}

/* ---- closed nodes ---- */

/* Why the leaf is closed to a member that s places on it; NULL: it is not. */
static const char *closed_to(const struct account *a, const struct skr_solution *s, int32_t leaf)
{
    const struct skr_problem *p = &a->request->problem;
    const char *closed = NULL;
    bool opens;
    for (size_t r = 0; !closed && r < skr_problem_n_roles(p); r++) {
        if (skr_solution_added(p, s, r, leaf) > 0) {
            closed = skr_account_closed(a, leaf, a->request->roles->role[r], &opens);
        }
    }
    return closed;
}

void skr_explain_opened(const struct account *a, const struct skr_solution *s, struct skr_strbuf *b)
{
    const struct skr_tree *tree = a->request->problem.tree;
    int32_t leaf[SKR_EXPLAIN_OPENED_MAX];
    const char *why[SKR_EXPLAIN_OPENED_MAX];
    bool spare = true;
    size_t n = 0;
    for (int32_t i = 0; i < tree->n_leaves; i++) {
        const char *closed = closed_to(a, s, i);
        if (!closed) {
            continue;
        }
        if (n == SKR_EXPLAIN_OPENED_MAX) {
            return;
        }
        spare = spare && strcmp(closed, SKR_ACCOUNT_SPARE) == 0;
        why[n] = closed;
        leaf[n++] = i;
    }
    if (n == 0) {
        return;
    }
    struct relaxation r;
    skr_relaxation_begin(&r);
    say_nodes(tree, leaf, n, &r.text);
    skr_strbuf_addf(&r.text, spare ? " %s no spare" : " %s usable again", n > 1 ? "are" : "is");
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(&r.changes, "%s{\"change\":\"node\",\"node\":", i ? "," : "");
        skr_strbuf_add_json(&r.changes, tree->unit_name[tree->first_leaf + leaf[i]]);
        skr_strbuf_addf(&r.changes, ",\"why\":\"%s\",\"value\":\"usable\"}", why[i]);
    }
    skr_relaxation_end(&r, b, NULL);
}
