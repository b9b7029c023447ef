/* SPDX-License-Identifier: Apache-2.0 */
/* What roles need, and what there is of them: see explain_roles.h. */
#include "core/gang/explain/explain_roles.h"

#include "core/gang/report/sentence.h"
#include "core/gang/state/groups.h"

static const struct skr_roles *roles_of(const struct account *a)
{
    return a->request->problem.roles;
}

const struct role *skr_explain_role_at(const struct account *a, size_t r)
{
    return &a->g->roles.item[a->request->roles->role[r]];
}

void skr_explain_roles_count_claims(struct account *a)
{
    for (size_t r = 0; r < roles_of(a)->n_roles; r++) {
        a->claims[r] =
            skr_role_claims(&roles_of(a)->role[r], 0, a->request->problem.tree->n_leaves);
    }
}

static void open_role(const struct account *a, size_t r, bool first, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "%s{\"name\":", first ? "" : ",");
    skr_strbuf_add_json(b, skr_explain_role_at(a, r)->name);
}

/* ---- need and have ---- */

int64_t skr_explain_roles_wanted(const struct account *a, size_t r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < roles_of(a)->n_roles; i++) {
        const struct skr_role *role = &roles_of(a)->role[i];
        sum = skr_amount_sum(sum, skr_amount_times(role->n - a->claims[i], role->demand[r]));
    }
    return sum;
}

int32_t skr_explain_role_fit(const struct account *a, size_t r, int32_t leaf)
{
    const struct skr_problem *p = &a->request->problem;
    const struct skr_role role = skr_problem_role(p, r);
    const int32_t most = role.n - a->claims[r];
    return skr_role_room(p, &role, leaf, most > 0 ? most : 0);
}

void skr_explain_roles_need(const struct account *a, struct skr_strbuf *b)
{
    skr_strbuf_add(b, ",\"roles\":[");
    for (size_t r = 0; r < roles_of(a)->n_roles; r++) {
        const int32_t held = a->claims[r];
        open_role(a, r, r == 0, b);
        skr_strbuf_addf(b, ",\"slots\":%d", (int)(roles_of(a)->role[r].n - held));
        if (held > 0) {
            skr_strbuf_addf(b, ",\"held\":%d", (int)held);
        }
        skr_account_amounts(a, "each", roles_of(a)->role[r].demand, b);
        skr_strbuf_addc(b, '}');
    }
    skr_strbuf_addc(b, ']');
}

void skr_explain_roles_have(const struct account *a, struct skr_strbuf *b)
{
    bool first = true;
    skr_strbuf_add(b, ",\"roles\":[");
    for (size_t r = 0; r < roles_of(a)->n_roles; r++) {
        if (a->roles->largest_of_role[r] >= 0) {
            open_role(a, r, first, b);
            skr_strbuf_addf(b, ",\"largest\":%d}", (int)a->roles->largest_of_role[r]);
            first = false;
        }
    }
    skr_strbuf_add(b, "],\"sets\":[");
    for (size_t k = 0; k < roles_of(a)->n_kinds; k++) {
        skr_strbuf_addf(b, "%s%d", k > 0 ? "," : "", (int)a->roles->largest_of_sets[k]);
    }
    skr_strbuf_addc(b, ']');
}

/* ---- units ---- */

/* Roles of the same set kind lack members together. */
static bool lacks(const struct account *a, size_t r, int of)
{
    if ((int)r == of) {
        return true;
    }
    for (size_t k = 0; of >= 0 && k < roles_of(a)->n_kinds; k++) {
        if (roles_of(a)->kind[k].each[r] > 0 && roles_of(a)->kind[k].each[of] > 0) {
            return true;
        }
    }
    return false;
}

static void write_short(const struct account *a, const struct skr_bottleneck *unit, int32_t first,
                        int32_t end, struct skr_strbuf *b)
{
    const int of = skr_explain_short_role(roles_of(a), unit);
    for (size_t r = 0; r < roles_of(a)->n_roles; r++) {
        const int32_t held = skr_role_claims(&roles_of(a)->role[r], first, end);
        const int32_t needs = unit->needs_of[r] > held ? unit->needs_of[r] - held : 0;
        const int32_t all = lacks(a, r, of) ? unit->fits_of[r] : unit->needs_of[r];
        const int32_t fits = all > held ? all - held : 0;
        open_role(a, r, r == 0, b);
        if (of >= 0) {
            skr_strbuf_addf(b, ",\"fits\":%d", (int)(fits < needs ? fits : needs));
        }
        skr_strbuf_addf(b, ",\"needs\":%d}", (int)needs);
    }
}

void skr_explain_roles_unit(const struct account *a, int32_t unit, int i, struct skr_strbuf *b)
{
    int32_t first, end;
    skr_account_leaves(a->request->problem.tree, unit, &first, &end);
    skr_strbuf_add(b, ",\"roles\":[");
    if (i >= 0) {
        write_short(a, &a->x->bottleneck[i], first, end, b);
    }
    for (size_t r = 0; i < 0 && r < roles_of(a)->n_roles; r++) {
        const int32_t most = roles_of(a)->role[r].n - a->claims[r];
        int64_t fits = 0;
        for (int32_t leaf = first; leaf < end; leaf++) {
            fits += skr_explain_role_fit(a, r, leaf);
        }
        open_role(a, r, r == 0, b);
        skr_strbuf_addf(b, ",\"fits\":%d}", fits < most ? (int)fits : (int)most);
    }
    skr_strbuf_addc(b, ']');
}
