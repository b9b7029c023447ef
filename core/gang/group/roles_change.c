/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/roles_change.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/plan_text.h"

#include <string.h>
#include <utlist.h>

static bool has_same_names(const struct group *g, const struct skr_group_spec *next)
{
    bool same = g->roles.n == next->n_roles;
    for (size_t r = 0; same && r < next->n_roles; r++) {
        same = strcmp(g->roles.item[r].name, next->role[r].name) == 0;
    }
    return same;
}

/* Roles that the pods make keep their names. */
static bool names_change(const struct group *g, const struct skr_group_spec *next)
{
    const bool keyed = next->n_roles > 0;
    return g->roles.n > 0 && (g->roles.keyed || keyed) && !(keyed && has_same_names(g, next));
}

static bool sets_change(const struct group *g, const struct skr_group_spec *next)
{
    int32_t kind[SKR_ROLES_MAX];
    for (size_t r = 0; r < g->roles.n; r++) {
        const struct role *role = &g->roles.item[r];
        const int32_t each = skr_group_set_each(next, role->name, &kind[r]);
        if (each != role->each) {
            return true;
        }
        for (size_t k = 0; k < r; k++) { /* in one kind before and after, or neither */
            if ((kind[k] == kind[r]) != (g->roles.item[k].kind == role->kind)) {
                return true;
            }
        }
    }
    return false;
}

bool skr_roles_change_waits(const struct group *g, const struct skr_group_spec *next,
                            struct skr_strbuf *why)
{
    const bool names = names_change(g, next);
    if (!g->spec || (!names && !sets_change(g, next)) || !skr_membership_runs(g)) {
        return false;
    }
    skr_strbuf_add(why, "the map changes ");
    if (names) {
        skr_strbuf_add(why, "the roles from ");
        for (size_t r = 0; r < g->roles.n; r++) {
            skr_strbuf_addf(why, "%s%s", r > 0 ? ", " : "", g->roles.item[r].name);
        }
        skr_strbuf_add(why, " to ");
        for (size_t r = 0; r < next->n_roles; r++) {
            skr_strbuf_addf(why, "%s%s", r > 0 ? ", " : "", next->role[r].name);
        }
        skr_strbuf_add(why, next->n_roles == 0 ? "those of the pods" : "");
    } else {
        skr_strbuf_add(why, "the members of a set");
    }
    skr_strbuf_add(why, " while members run; it takes effect when all of them have gone");
    return true;
}

/* "leader (1 a set), worker (7 a set)" of "leader:0:1,worker:0:7". */
static char *say_earlier(const char *text, size_t n)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    for (size_t at = 0; at < n; at++) {
        const size_t length = strcspn(text + at, ",\"");
        const size_t name = strcspn(text + at, ":,\"");
        const char *each = name < length ? strchr(text + at + name + 1, ':') : NULL;
        skr_strbuf_addf(&b, "%s%.*s", at > 0 ? ", " : "", (int)name, text + at);
        if (each && each < text + at + length) {
            skr_strbuf_addf(&b, " (%.*s a set)", (int)(text + at + length - each - 1), each + 1);
        }
        at += length;
    }
    return skr_strbuf_take(&b, NULL);
}

static bool lacks_role(const struct group *g, const struct pod_entry *p)
{
    return g->spec->n_roles > 0 &&
           (!p->role_name || skr_group_role_find(g->spec, p->role_name) == g->spec->n_roles);
}

void skr_roles_change_note_running(struct group *g)
{
    SKR_AUTO_FREE char *now = g->spec ? skr_group_composition(g->spec) : NULL;
    const struct pod_entry *p, *first = NULL;
    const char *earlier = NULL;
    size_t n_earlier = 0;
    free(g->roles.first_foreign);
    free(g->roles.earlier);
    g->roles.first_foreign = g->roles.earlier = NULL;
    DL_FOREACH(g->spec ? g->members : NULL, p)
    {
        size_t n;
        const char *was = skr_member_plan_roles(skr_pods_annotation(p), &n);
        const bool known = p->seated && was && skr_pods_is_bound(p);
        const bool other = known && !(now && strlen(now) == n && memcmp(now, was, n) == 0);
        if ((other || (p->seated && lacks_role(g, p))) &&
            (!first || strcmp(p->pod->meta.name, first->pod->meta.name) < 0)) {
            first = p;
            earlier = lacks_role(g, p) ? NULL : was;
            n_earlier = n;
        }
    }
    if (first) {
        g->roles.first_foreign = skr_strdup(first->pod->meta.name);
        g->roles.earlier = earlier ? say_earlier(earlier, n_earlier) : NULL;
    }
}
