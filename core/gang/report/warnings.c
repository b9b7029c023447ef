/* SPDX-License-Identifier: Apache-2.0 */
/* Finds oddities of a group that stop nothing. */
#include "core/gang/report/warnings.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pods.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/reason.h"
#include "topology/duration.h"

static void found(struct warnings *w, const char *token, const char *text)
{
    w->n++;
    w->token = token;
    w->add(w->context, text);
}

struct unknown_levels {
    const struct skr_gang *e;
    const struct group *g;
    struct warnings *w;
};

/* A hard rule stops the group: skr_group_state_defect(). */
static void unknown_level(void *context, const struct skr_named_level *level)
{
    const struct unknown_levels *u = context;
    SKR_STRBUF(b);
    skr_group_say_unknown(u->g->spec, level, u->e->topology.tree, &b);
    skr_strbuf_add(&b, ": the rule is ignored");
    found(u->w, SKR_TOKEN_UNKNOWN_LEVEL, b.s);
}

static void unknown_levels(const struct skr_gang *e, const struct group *g, struct warnings *w)
{
    struct unknown_levels context = {e, g, w};
    if (g->spec && e->topology.tree) {
        skr_group_each_unknown(g->spec, e->topology.tree, unknown_level, &context);
    }
}

static void seat_hold(const struct skr_gang *e, const struct group *g, struct warnings *w)
{
    char want[SKR_DURATION_TEXT_MAX], most[SKR_DURATION_TEXT_MAX];
    if (g->spec->seat_hold == SKR_TIME_NEVER || g->spec->seat_hold <= e->settings.seat_hold_max) {
        return;
    }
    SKR_STRBUF(b);
    skr_duration_write(g->spec->seat_hold, want, sizeof want);
    skr_duration_write(e->settings.seat_hold_max, most, sizeof most);
    skr_strbuf_addf(&b,
                    "seat-hold: %s is more than option seatHoldMax allows: seats are held for %s",
                    want, most);
    found(w, SKR_TOKEN_LINT_WARNINGS, b.s);
}

/* What a hard pack says depends on the levels above it, which come with the tree. */
static void split(const struct skr_gang *e, const struct group *g, struct warnings *w)
{
    SKR_STRBUF(b);
    if (e->topology.tree && skr_group_say_split(g->spec, e->topology.tree, &b)) {
        found(w, SKR_TOKEN_LINT_WARNINGS, b.s);
    }
}

/* Members of a group are of one template as a rule, so one of them is looked at. */
static void overridden(const struct skr_gang *e, const struct group *g, struct warnings *w)
{
    const struct pod_entry *p = g->members;
    if (p && skr_entry_overridden(e, p->pod)) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b,
                        "pod %s also names PodGroup %s in spec.schedulingGroup: the label of the "
                        "group wins, and minCount and topology of the PodGroup do not count",
                        p->pod->meta.name, p->pod->scheduling_group);
        found(w, SKR_TOKEN_OVERRIDDEN, b.s);
    }
}

static void of_kubernetes(const struct group *g, struct warnings *w)
{
    const struct skr_podgroup *pg =
        g->source.kind == SOURCE_PODGROUP && g->source.podgroup ? g->source.podgroup->pg : NULL;
    if (pg && *pg->composite) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b,
                        "PodGroup %s is part of CompositePodGroup %.253s, which is not read: it is "
                        "a group of its own",
                        pg->meta.name, pg->composite);
        found(w, SKR_TOKEN_COMPOSITE, b.s);
    }
    if (g->seats.gang_plugin) {
        found(w, SKR_TOKEN_GANG_PLUGIN, SKR_TEXT_GANG_PLUGIN);
    }
}

void skr_warnings_each(const struct skr_gang *e, const struct group *g, struct warnings *w)
{
    for (size_t i = 0; w->lint && g->spec && i < g->spec->n_warnings; i++) {
        found(w, SKR_TOKEN_LINT_WARNINGS, g->spec->warning[i]);
    }
    if (w->lint && g->spec) {
        seat_hold(e, g, w);
        split(e, g, w);
    }
    if (w->levels) {
        unknown_levels(e, g, w);
        overridden(e, g, w);
        of_kubernetes(g, w);
    }
    if (w->levels && g->seats.uneven) {
        found(w, SKR_TOKEN_NOT_UNIFORM, g->seats.uneven);
    }
    if (w->levels && g->roles.n_merged > 0) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b,
                        "its members have %zu roles; the %zu smallest are placed as one, with the "
                        "largest of their requests",
                        g->roles.n + g->roles.n_merged, g->roles.n_merged + 1);
        found(w, SKR_TOKEN_TOO_MANY_ROLES, b.s);
    }
    if (w->lint && g->source.roles_changed) {
        found(w, SKR_TOKEN_ROLES_CHANGED, g->source.roles_changed);
    } else if (w->lint && g->roles.first_foreign) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b, "pod %s runs ", g->roles.first_foreign);
        if (g->roles.earlier) {
            skr_strbuf_addf(&b, "under other roles or sets than those of the map: %s",
                            g->roles.earlier);
        } else {
            skr_strbuf_add(&b, "with a role that key roles does not have");
        }
        skr_strbuf_add(&b, "; other pods wait until it has gone");
        found(w, SKR_TOKEN_ROLES_CHANGED, b.s);
    }
    if (w->difference && g->seats.difference) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b, "%s; each member is given the larger one", g->seats.difference);
        found(w, skr_reason_name(SKR_REASON_PODS_NOT_HOMOGENEOUS), b.s);
    }
}

struct joined {
    struct skr_strbuf *b;
    bool begun;
};

static void join(void *context, const char *text)
{
    struct joined *joined = context;
    skr_strbuf_add(joined->b, joined->begun ? "; " : "");
    skr_strbuf_add(joined->b, text);
    joined->begun = true;
}

const char *skr_warnings_join(const struct skr_gang *e, const struct group *g,
                              struct warnings kinds, struct skr_strbuf *b)
{
    struct joined joined = {.b = b};
    kinds.add = join;
    kinds.context = &joined;
    skr_warnings_each(e, g, &kinds);
    return kinds.token;
}
