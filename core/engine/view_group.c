/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One group for people: what was asked for, how far it is, where its members are, and how its rules
 * are met there. Where members are is counted along their leaves, sorted: leaf order is tree order,
 * so the members below one unit stand together on every level.
 */
#include "core/engine/view.h"

#include <string.h>
#include <utlist.h>

enum { TERMS_MAX = 8 }; /* of "4 + 4 + ..." */

struct seat {
    const struct pod_entry *pod;
    const char *node;
    int32_t leaf; /* -1: outside the tree */
    int32_t rank; /* -1: none */
};

struct seats {
    struct seat *item; /* sorted by leaf, rank, name; those outside the tree last */
    size_t n;
    size_t n_inside;
};

/* Members below one unit of a level. */
struct run {
    int32_t unit;
    int32_t count;
    size_t first; /* of seats */
};

const char *view_node_of(const struct pod_entry *p)
{
    if (!skr_pod_is_live(p->pod))
        return NULL;
    if (pods_is_bound(p))
        return p->pod->node_name;
    return p->plan && !p->plan->aborting ? p->plan_node : NULL;
}

/* ---- seats ---- */

static int by_place(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if ((x->leaf < 0) != (y->leaf < 0))
        return x->leaf < 0 ? 1 : -1;
    if (x->leaf != y->leaf)
        return x->leaf < y->leaf ? -1 : 1;
    if (x->leaf < 0 && strcmp(x->node, y->node) != 0)
        return strcmp(x->node, y->node);
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->pod->pod->meta.name, y->pod->pod->meta.name);
}

static struct seats seats_of(const struct skr_engine *e, const struct group *g)
{
    struct seats s = {.item = skr_alloc_array(g->n_members + 1, sizeof *s.item)};
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = view_node_of(p);
        if (!node)
            continue;
        const int32_t leaf = e->tree ? skr_tree_find_leaf(e->tree, node) : -1;
        s.item[s.n++] =
            (struct seat){.pod = p, .node = node, .leaf = leaf, .rank = status_rank_of(p)};
        s.n_inside += leaf >= 0;
    }
    if (s.n > 0)
        qsort(s.item, s.n, sizeof *s.item, by_place);
    return s;
}

static int32_t unit_at(const struct skr_tree *t, int32_t leaf, int32_t level)
{
    int32_t unit = t->first_leaf + leaf;
    for (int32_t l = t->n_levels; l > level; l--)
        unit = t->parent[unit];
    return unit;
}

/* Array to free(); in tree order. */
static struct run *runs_of(const struct skr_tree *t, const struct seats *s, int32_t level,
                           size_t *ret_n)
{
    struct run *run = skr_alloc_array(s->n_inside + 1, sizeof *run);
    size_t n = 0;
    for (size_t i = 0; i < s->n_inside; i++) {
        const int32_t unit = unit_at(t, s->item[i].leaf, level);
        if (n == 0 || run[n - 1].unit != unit)
            run[n++] = (struct run){.unit = unit, .first = i};
        run[n - 1].count++;
    }
    *ret_n = n;
    return run;
}

/* ---- rules ---- */

static bool count_is_allowed(const struct skr_rule *rule, int32_t count)
{
    if (rule->hard)
        return rule->type != SKR_RULE_SPREAD || count == 1;
    const bool range = rule->min <= 0 || rule->max <= 0 || rule->min <= rule->max;
    return !(range && rule->min > 0 && count < rule->min) &&
           !(range && rule->max > 0 && count > rule->max) &&
           !(rule->factor > 1 && count % rule->factor != 0);
}

static bool width_is_allowed(const struct skr_rule *rule, int32_t used)
{
    if (rule->hard)
        return rule->type != SKR_RULE_PACK || used == 1;
    return rule->partitions <= 0 || used == rule->partitions;
}

struct use {
    bool met;
    int32_t parents;     /* used units of the level above */
    int32_t widest;      /* most used children of one of them */
    int32_t least, most; /* members in one unit */
};

static struct use use_of(const struct skr_tree *t, const struct skr_rule *rule,
                         const struct run *run, size_t n)
{
    struct use u = {.met = true, .least = INT32_MAX};
    int32_t width = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t parent = t->parent[run[i].unit];
        u.met = u.met && count_is_allowed(rule, run[i].count);
        u.least = run[i].count < u.least ? run[i].count : u.least;
        u.most = run[i].count > u.most ? run[i].count : u.most;
        width++;
        if (i + 1 < n && t->parent[run[i + 1].unit] == parent)
            continue;
        u.met = u.met && width_is_allowed(rule, width);
        u.widest = width > u.widest ? width : u.widest;
        u.parents++;
        width = 0;
    }
    return u;
}

static void say_counts(const struct run *run, size_t n, const struct use *u, const char *level,
                       struct skr_strbuf *b)
{
    if (n > TERMS_MAX && u->least == u->most)
        skr_strbuf_addf(b, "%zu x %d", n, u->most);
    else if (n > TERMS_MAX)
        skr_strbuf_addf(b, "%zu %ss, %d to %d each", n, level, u->least, u->most);
    for (size_t i = 0; n <= TERMS_MAX && i < n; i++)
        skr_strbuf_addf(b, "%s%d", i ? " + " : "", run[i].count);
}

/* How the members lie on the level: their numbers, or for plain pack how many units they take. */
static void say_use(const struct skr_tree *t, const struct skr_rule *rules, int32_t level,
                    const struct run *run, size_t n, const struct use *u, struct skr_strbuf *b)
{
    const struct skr_rule *rule = &rules[level - 1];
    const bool numbers =
        !rule->hard && (rule->partitions > 0 || rule->min > 0 || rule->max > 0 || rule->factor > 1);
    if (numbers || rule->type == SKR_RULE_SPREAD) {
        say_counts(run, n, u, t->level_name[level], b);
        return;
    }
    skr_strbuf_addf(b, "%d %s%s", u->widest, t->level_name[level], u->widest == 1 ? "" : "s");
    if (level > 1 && !rules[level - 2].hard && rules[level - 2].partitions > 0)
        skr_strbuf_add(b, " per partition");
    else if (u->parents > 1)
        skr_strbuf_addf(b, " per %s", t->level_name[level - 1]);
}

static void write_rule(struct skr_json_writer *w, const struct skr_level_rule *r)
{
    skr_json_string(w, "level", r->level);
    skr_json_string(w, "type", r->rule.type == SKR_RULE_SPREAD ? "spread" : "pack");
    skr_json_bool(w, "hard", r->rule.hard);
    skr_json_int(w, "partitions", r->rule.partitions);
    skr_json_int(w, "min", r->rule.min);
    skr_json_int(w, "max", r->rule.max);
    skr_json_int(w, "factor", r->rule.factor);
}

static void write_use(struct view *v, const struct skr_rule *rules, int32_t level,
                      const struct seats *s)
{
    const struct skr_tree *t = v->e->tree;
    size_t n = 0;
    struct run *run = runs_of(t, s, level, &n);
    const struct use u = use_of(t, &rules[level - 1], run, n);
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    say_use(t, rules, level, run, n, &u, &b);
    skr_json_bool(&v->w, "met", u.met);
    skr_json_string(&v->w, "use", b.s ? b.s : "");
    skr_strbuf_fini(&b);
    free(run);
}

static void write_constraint(struct view *v, const struct skr_level_rule *r,
                             const struct skr_rule *rules, const struct seats *s,
                             enum view_depth depth)
{
    const int32_t level = v->e->tree ? skr_tree_find_level(v->e->tree, r->level) : -1;
    skr_json_open(&v->w, NULL, '{');
    write_rule(&v->w, r);
    skr_json_bool(&v->w, "known", level > 0);
    if (depth == VIEW_WHOLE && level > 0 && s->n_inside > 0) {
        write_use(v, rules, level, s);
    } else if (depth == VIEW_WHOLE) {
        skr_json_raw(&v->w, "met", NULL);
        skr_json_string(&v->w, "use", NULL);
    }
    skr_json_close(&v->w, '}');
}

/* Those of the tree's levels from the top, then those of levels it does not have. */
static void write_constraints(struct view *v, const struct group *g, const struct seats *s,
                              enum view_depth depth)
{
    const struct skr_tree *t = v->e->tree;
    const struct skr_group_spec *spec = g->spec;
    struct skr_rule rules[SKR_LEVELS_MAX];
    skr_json_open(&v->w, "constraints", '[');
    if (spec && t)
        skr_group_rules(spec, t, rules, NULL);
    for (int32_t l = 1; spec && t && l <= t->n_levels; l++) {
        for (size_t i = 0; i < spec->n_rules; i++) {
            if (skr_tree_find_level(t, spec->rule[i].level) == l)
                write_constraint(v, &spec->rule[i], rules, s, depth);
        }
    }
    for (size_t i = 0; spec && i < spec->n_rules; i++) {
        if (!t || skr_tree_find_level(t, spec->rule[i].level) <= 0)
            write_constraint(v, &spec->rule[i], rules, s, depth);
    }
    skr_json_close(&v->w, ']');
}

/* ---- what both depths have ---- */

static const struct skr_meta *meta_of(const struct group *g)
{
    if (g->source == SOURCE_MAP && g->map)
        return &g->map->map->meta;
    return g->source == SOURCE_PODGROUP && g->podgroup ? &g->podgroup->pg->meta : NULL;
}

static void write_identity(struct view *v, const struct group *g)
{
    static const char *const source[] = {"None", "ConfigMap", "PodGroup", "Labels"};
    _Static_assert(sizeof source / sizeof *source == SOURCE_COUNT, "names");
    const struct skr_meta *meta = meta_of(g);
    const struct pod_entry *oldest = membership_oldest(g);
    skr_json_string(&v->w, "namespace", g->namespace_);
    skr_json_string(&v->w, "name", g->name);
    skr_json_string(&v->w, "source", source[g->source]);
    skr_json_string(&v->w, "object", meta ? meta->name : NULL);
    view_time(v, "created", meta ? meta->created : oldest ? oldest->pod->meta.created : 0);
    skr_json_open(&v->w, "labels", '{');
    for (size_t i = 0; meta && i < meta->labels.n; i++)
        skr_json_string(&v->w, meta->labels.item[i].key, meta->labels.item[i].value);
    skr_json_close(&v->w, '}');
}

static int32_t tries_of(const struct group *g)
{
    int64_t most = g->trials > INT32_MAX ? INT32_MAX : (int64_t)g->trials;
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *text = skr_labels_get(&p->pod->meta.labels, SKR_LABEL_RETRIES);
        const int64_t told = text ? strtoll(text, NULL, 10) : 0;
        most = told > most && told <= INT32_MAX ? told : most;
        most = p->plan_retries > most ? p->plan_retries : most;
    }
    return (int32_t)most;
}

/* A group that is due and was not tried since this process began still has the reason that was
 * written down before. */
static bool reason_is_recorded(const struct group *g)
{
    const char *status = restore_object_key(g, "status");
    return g->status == SKR_STATUS_READY && g->reason == SKR_REASON_NONE && g->trials == 0 &&
           status && strcmp(status, skr_group_status_name(SKR_STATUS_READY)) == 0;
}

static void write_progress(struct view *v, const struct group *g)
{
    const bool recorded = reason_is_recorded(g);
    const char *reason = recorded ? restore_object_key(g, "reason") : skr_reason_name(g->reason);
    const char *message = recorded                       ? restore_object_key(g, "message")
                          : g->reason != SKR_REASON_NONE ? g->message
                                                         : NULL;
    skr_json_int(&v->w, "size", membership_size(g));
    skr_json_int(&v->w, "priority", g->spec ? g->spec->priority : 0);
    skr_json_string(&v->w, "status", skr_group_status_name(g->status));
    view_time(v, "since", g->status_since);
    skr_json_string(&v->w, "reason", reason ? reason : "");
    skr_json_string(&v->w, "message", message ? message : "");
    skr_json_open(&v->w, "pods", '{');
    skr_json_int(&v->w, "present", (int64_t)(g->n_bound + g->n_seated_new));
    skr_json_int(&v->w, "bound", (int64_t)g->n_bound);
    skr_json_close(&v->w, '}');
    skr_json_int(&v->w, "tries", tries_of(g));
    skr_json_int(&v->w, "solveMicroseconds",
                 g->solver_ns > 0 ? g->solver_ns / 1000 : g->solver_ms * 1000);
    if (g->begin_at > 0 && g->end_at > 0)
        skr_json_int(&v->w, "totalMilliseconds", (g->end_at - g->begin_at) / SKR_MILLISECOND);
    else
        skr_json_raw(&v->w, "totalMilliseconds", NULL);
}

/* Units of the level above the nodes, or the nodes where that is the root. */
static void write_domains(struct view *v, const struct seats *s)
{
    const struct skr_tree *t = v->e->tree;
    skr_json_open(&v->w, "domains", '[');
    if (t && s->n_inside > 0) {
        size_t n = 0;
        struct run *run = runs_of(t, s, t->n_levels > 1 ? t->n_levels - 1 : 1, &n);
        for (size_t i = 0; i < n; i++)
            skr_json_string(&v->w, NULL, t->unit_name[run[i].unit]);
        free(run);
    }
    skr_json_close(&v->w, ']');
}

/* ---- the whole ---- */

static void write_timing(struct view *v, const struct group *g)
{
    static const int kind[] = {CONDITION_COMPLETE, CONDITION_PLACED};
    static const char *const key[] = {"complete", "placed"};
    skr_json_open(&v->w, "timing", '{');
    view_time(v, "firstPod", g->begin_at);
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        const struct condition *c = &g->condition[kind[i]];
        view_time(v, key[i], c->set && strcmp(c->status, "True") == 0 ? c->since : 0);
    }
    view_time(v, "bound", g->end_at);
    skr_json_close(&v->w, '}');
}

static void write_conditions(struct view *v, const struct group *g)
{
    static const char *const type[] = {"Complete", "Placed", "Bound", "Valid"};
    _Static_assert(sizeof type / sizeof *type == CONDITION_KIND_COUNT, "names");
    skr_json_open(&v->w, "conditions", '[');
    for (int i = 0; i < CONDITION_KIND_COUNT; i++) {
        const struct condition *c = &g->condition[i];
        if (!c->set)
            continue;
        skr_json_open(&v->w, NULL, '{');
        skr_json_string(&v->w, "type", type[i]);
        skr_json_string(&v->w, "status", c->status);
        skr_json_string(&v->w, "reason", c->reason);
        skr_json_string(&v->w, "message", c->message);
        view_time(v, "since", c->since);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

static void write_ranks(struct view *v, const struct seats *s, size_t first, size_t end)
{
    skr_json_open(&v->w, "ranks", '[');
    for (size_t i = first; i < end; i++) {
        if (s->item[i].rank >= 0)
            skr_json_int(&v->w, NULL, s->item[i].rank);
    }
    skr_json_close(&v->w, ']');
}

static void open_used(struct view *v, const char *name, const char *level, int32_t depth,
                      size_t pods)
{
    skr_json_open(&v->w, NULL, '{');
    skr_json_string(&v->w, "name", name);
    skr_json_string(&v->w, "level", level);
    skr_json_int(&v->w, "depth", depth);
    skr_json_int(&v->w, "pods", (int64_t)pods);
}

/* Members of the same unit of a level, from this seat on. */
static size_t end_of_unit(const struct skr_tree *t, const struct seats *s, size_t from,
                          int32_t level)
{
    const int32_t unit = unit_at(t, s->item[from].leaf, level);
    size_t end = from + 1;
    while (end < s->n_inside && unit_at(t, s->item[end].leaf, level) == unit)
        end++;
    return end;
}

/* Every used unit, depth first: a unit is opened at its first seat. */
static void write_units(struct view *v, const struct seats *s)
{
    const struct skr_tree *t = v->e->tree;
    skr_json_open(&v->w, "units", '[');
    for (size_t i = 0; i < s->n_inside; i++) {
        for (int32_t l = 1; l <= t->n_levels; l++) {
            const int32_t unit = unit_at(t, s->item[i].leaf, l);
            if (i > 0 && unit_at(t, s->item[i - 1].leaf, l) == unit)
                continue;
            const size_t end = end_of_unit(t, s, i, l);
            open_used(v, t->unit_name[unit], t->level_name[l], l, end - i);
            if (l == t->n_levels)
                write_ranks(v, s, i, end);
            skr_json_close(&v->w, '}');
        }
    }
    for (size_t i = s->n_inside, end; i < s->n; i = end) { /* nodes outside the tree */
        for (end = i + 1; end < s->n && strcmp(s->item[end].node, s->item[i].node) == 0;)
            end++;
        open_used(v, s->item[i].node, NULL, 1, end - i);
        write_ranks(v, s, i, end);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
}

/* Edges between nodes, from the member of rank 0 to every other one; in tenths, rounded. */
static void write_distance(struct view *v, const struct seats *s)
{
    const struct seat *master = NULL;
    int64_t sum = 0, others = 0, most = 0;
    for (size_t i = 0; i < s->n_inside && !master; i++)
        master = s->item[i].rank == 0 ? &s->item[i] : NULL;
    for (size_t i = 0; master && i < s->n_inside; i++) {
        if (&s->item[i] == master)
            continue;
        const int64_t d = skr_tree_distance(v->e->tree, master->leaf, s->item[i].leaf) -
                          2; /* of pods: two more */
        sum += d;
        others++;
        most = d > most ? d : most;
    }
    if (!master) {
        skr_json_raw(&v->w, "distance", NULL);
        return;
    }
    const int64_t tenths = others ? (sum * 20 / others + 1) / 2 : 0;
    char mean[48];
    snprintf(mean, sizeof mean, "%lld.%lld", (long long)(tenths / 10), (long long)(tenths % 10));
    skr_json_open(&v->w, "distance", '{');
    skr_json_raw(&v->w, "mean", mean);
    skr_json_int(&v->w, "max", most);
    skr_json_close(&v->w, '}');
}

static int by_name(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    return strcmp(p->pod->meta.name, q->pod->meta.name);
}

static void write_members(struct view *v, const struct group *g)
{
    struct pod_entry **list = skr_alloc_array(g->n_members + 1, sizeof *list), *p;
    size_t n = 0;
    DL_FOREACH(g->members, p) list[n++] = p;
    qsort(list, n, sizeof *list, by_name);
    skr_json_open(&v->w, "members", '[');
    for (size_t i = 0; i < n; i++) {
        p = list[i];
        skr_json_open(&v->w, NULL, '{');
        skr_json_string(&v->w, "name", p->pod->meta.name);
        skr_json_string(&v->w, "node", view_node_of(p));
        if (status_rank_of(p) >= 0)
            skr_json_int(&v->w, "rank", status_rank_of(p));
        else
            skr_json_raw(&v->w, "rank", NULL);
        skr_json_string(&v->w, "status", skr_labels_get(&p->pod->meta.labels, SKR_LABEL_STATUS));
        skr_json_bool(&v->w, "bound", pods_is_bound(p));
        skr_json_bool(&v->w, "seated", p->seated);
        skr_json_close(&v->w, '}');
    }
    skr_json_close(&v->w, ']');
    free(list);
}

void view_group(struct view *v, const struct group *g, enum view_depth depth)
{
    struct seats s = seats_of(v->e, g);
    write_identity(v, g);
    write_progress(v, g);
    write_constraints(v, g, &s, depth);
    write_domains(v, &s);
    if (depth == VIEW_WHOLE) {
        write_timing(v, g);
        write_conditions(v, g);
        skr_json_raw(&v->w, "placement", g->placement);
        write_units(v, &s);
        write_distance(v, &s);
        write_members(v, g);
    }
    free(s.item);
}
