/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that name roles or sets: see explain_roles.h. Each was tried by the solver. */
#include "core/gang/cache/entry.h"
#include "core/gang/explain/explain_relaxations.h"
#include "core/gang/explain/explain_roles.h"
#include "core/gang/report/size_field.h"
#include "core/gang/state/groups.h"
#include "core/group/label_value.h"

/* ---- sets ---- */

void skr_relaxation_add_kind(const struct account *a, const struct skr_relaxation_atom *atom,
                             struct relaxation *r)
{
    const struct skr_set_kind *kind = &a->request->problem.roles->kind[atom->set_kind];
    const unsigned at = a->request->roles->kind[atom->set_kind];
    const char *level = a->request->problem.tree->level_name[kind->level];
    const bool exclusive = atom->what == SKR_ATOM_EXCLUSIVE;
    char path[64];
    skr_relaxation_and(r);
    skr_strbuf_add(&r->text, exclusive ? "several sets of " : "a set of ");
    skr_explain_say_counts(a->g, a->request, kind->each, "", &r->text);
    skr_strbuf_addf(&r->text, exclusive ? " may share a %s" : " may use several %ss", level);
    snprintf(path, sizeof path, "constraints.sets.%u%s", at, exclusive ? ".exclusive" : "");
    skr_relaxation_add(r, "constraint", path, exclusive ? "false" : "null", false);
}

bool skr_relaxation_is_possible(const struct account *a, const struct skr_relaxation *of)
{
    bool sets = false, runs = false;
    for (size_t i = 0; i < of->n_atoms; i++) {
        sets = sets || of->atom[i].what == SKR_ATOM_SETS;
    }
    for (size_t r = 0; r < skr_problem_n_roles(&a->request->problem); r++) {
        runs = runs || a->claims[r] > 0;
    }
    return !sets || !runs;
}

/* ---- sizes ---- */

/* The role has so many members; those that the problem leaves out stay. 0: that is not possible. */
static int32_t size_of(const struct account *a, size_t r, int32_t largest)
{
    const struct role *role = skr_explain_role_at(a, r);
    const int32_t was = role->minimum < role->size ? role->minimum : role->size;
    const int32_t size = was - (a->request->problem.roles->role[r].minimum - largest);
    return size < 1 || largest < a->claims[r] ? 0 : size;
}

static void set_size(const struct account *a, size_t r, int32_t size, struct relaxation *to)
{
    const struct role *role = skr_explain_role_at(a, r);
    char path[SKR_LABEL_VALUE_MAX + 32], value[32];
    snprintf(path, sizeof path, "roles.%.63s.%s", role->name,
             role->minimum < role->size ? "minimum" : "size");
    snprintf(value, sizeof value, "%d", (int)size);
    skr_relaxation_add(to, "role", path, value, false);
}

/* One role is smaller. */
static void write_role(const struct account *a, size_t r, struct skr_strbuf *b, char **ret_set)
{
    const struct role *role = skr_explain_role_at(a, r);
    const bool is_minimum = role->minimum < role->size;
    const int32_t size = size_of(a, r, a->roles->largest_of_role[r]);
    struct relaxation to;
    if (size > 0) {
        skr_relaxation_begin(&to);
        skr_strbuf_addf(&to.text, "%s of role %s is %d, not %d",
                        is_minimum ? "the minimum" : "the size", role->name, (int)size,
                        (int)(is_minimum ? role->minimum : role->size));
        if (skr_entry_is_derived(a->g->name)) {
            skr_strbuf_add(&to.text, " (");
            skr_size_field_add(a->g, role->name, &to.text);
            skr_strbuf_addc(&to.text, ')');
        }
        set_size(a, r, size, &to);
        skr_relaxation_end(&to, b, a->g->roles.keyed ? ret_set : NULL);
    }
}

/* There are fewer sets of a kind. */
static void write_kind(const struct account *a, size_t k, struct skr_strbuf *b, char **ret_set)
{
    const struct skr_set_kind *kind = &a->request->problem.roles->kind[k];
    const int32_t sets = a->roles->largest_of_sets[k];
    int32_t were = 0;
    bool possible = sets > 0;
    struct relaxation to;
    skr_relaxation_begin(&to);
    for (size_t r = 0; r < a->request->problem.roles->n_roles && possible; r++) {
        if (kind->each[r] > 0) {
            const int32_t size = size_of(a, r, sets * kind->each[r]);
            were = a->request->problem.roles->role[r].n / kind->each[r];
            possible = size > 0;
            set_size(a, r, size, &to);
        }
    }
    if (!possible || sets >= were) {
        skr_relaxation_drop(&to);
        return;
    }
    skr_strbuf_addf(&to.text, "there %s %d set%s of ", sets == 1 ? "is" : "are", (int)sets,
                    sets == 1 ? "" : "s");
    skr_explain_say_counts(a->g, a->request, kind->each, "", &to.text);
    skr_strbuf_addf(&to.text, ", not %d", (int)were);
    skr_relaxation_end(&to, b, a->g->roles.keyed ? ret_set : NULL);
}

void skr_explain_roles_sizes(const struct account *a, struct skr_strbuf *b, char **ret_set)
{
    const struct skr_roles *roles = a->request->problem.roles;
    *ret_set = NULL;
    for (size_t r = 0; r < roles->n_roles; r++) {
        const int32_t largest = a->roles->largest_of_role[r];
        if (largest >= 0 && largest < roles->role[r].minimum) {
            write_role(a, r, b, ret_set);
        }
    }
    for (size_t k = 0; k < roles->n_kinds; k++) {
        write_kind(a, k, b, ret_set);
    }
}
