/* SPDX-License-Identifier: Apache-2.0 */
/* Deals the seats of a group with key `roles`: see role_seats.h. */
#include "core/gang/group/role_seats.h"

#include "core/gang/cache/pods.h"
#include "core/gang/group/roles.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct skr_role_seats {
    int32_t left[SKR_ROLES_MAX];
    int32_t each[SKR_ROLES_MAX];    /* in one set; 0: the role is in none */
    int32_t *in_set[SKR_ROLES_MAX]; /* [set] free seats of the role; NULL: no sets */
    int32_t sets[SKR_ROLES_MAX];
};

static uint8_t role_of_key(const struct skr_group_spec *spec, const struct pod_entry *p)
{
    size_t r = p->role_name ? skr_group_role_find(spec, p->role_name) : spec->n_roles;
    return r < spec->n_roles ? (uint8_t)r : SKR_ROLE_UNKNOWN;
}

static void note_first(struct group *g, const struct pod_entry *p)
{
    const char *name = p->pod->meta.name;
    if (!g->roles.first_unknown || strcmp(name, g->roles.first_unknown) < 0) {
        free(g->roles.first_unknown);
        g->roles.first_unknown = skr_strdup(name);
    }
}

struct skr_role_seats *skr_role_seats_deal(struct group *g)
{
    struct skr_role_seats *seats = skr_alloc(sizeof *seats);
    struct pod_entry *p;
    g->roles.n_unknown = 0;
    free(g->roles.first_unknown);
    g->roles.first_unknown = NULL;
    for (size_t r = 0; r < g->spec->n_roles; r++) {
        int32_t kind;
        seats->left[r] = g->spec->role[r].size;
        seats->each[r] = skr_group_set_each(g->spec, g->spec->role[r].name, &kind);
        seats->sets[r] = seats->each[r] > 0 ? seats->left[r] / seats->each[r] : 0;
        seats->in_set[r] = skr_alloc_array((size_t)seats->sets[r] + 1, sizeof **seats->in_set);
        for (int32_t s = 0; s < seats->sets[r]; s++) {
            seats->in_set[r][s] = seats->each[r];
        }
    }
    DL_FOREACH(g->members, p)
    {
        if (!skr_pod_is_live(p->pod)) {
            continue;
        }
        p->role = role_of_key(g->spec, p);
        if (p->role == SKR_ROLE_UNKNOWN && p->seated) {
            p->role = 0; /* it runs: it counts, wherever */
        } else if (p->role == SKR_ROLE_UNKNOWN) {
            g->roles.n_unknown++;
            note_first(g, p);
        }
        if (p->seated) {
            skr_role_seats_take(seats, g, p);
        }
    }
    return seats;
}

bool skr_role_seats_take(struct skr_role_seats *seats, const struct group *g,
                         const struct pod_entry *p)
{
    int32_t set = p->set_said;
    if (p->role >= g->spec->n_roles || (seats->left[p->role] <= 0 && !p->seated)) {
        return false;
    }
    if (set >= 0 && set < seats->sets[p->role]) {
        int32_t *left = &seats->in_set[p->role][set];
        if (*left <= 0 && !p->seated) {
            return false;
        }
        (*left)--;
    }
    seats->left[p->role]--;
    return true;
}

void skr_role_seats_end(struct skr_role_seats *seats)
{
    for (size_t r = 0; seats && r < SKR_ROLES_MAX; r++) {
        free(seats->in_set[r]);
    }
    free(seats);
}
