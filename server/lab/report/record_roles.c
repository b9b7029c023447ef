/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lab/report/record_roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/pods.h"
#include "server/object/path.h"

/* name NULL: of members without a name and of this request. */
static struct skr_record_role *find_role(struct skr_record_group *group, const char *name,
                                         const struct skr_amounts *demand)
{
    for (size_t r = 0; r < group->n_roles; r++) {
        struct skr_record_role *role = &group->role[r];
        if (name ? role->name && strcmp(role->name, name) == 0
                 : !role->name && demand && skr_amounts_equal(&role->demand, demand)) {
            return role;
        }
    }
    return NULL;
}

/* The amounts that a pod requests; skr_amounts_fini(). */
static bool read_demand(struct skr_record *record, const json_t *pod, struct skr_amounts *ret)
{
    struct skr_pod *decoded;
    if (skr_pod_decode(pod, &decoded, NULL) < 0) {
        return false;
    }
    skr_amounts_resolve(record->cache.resources, &decoded->shape->requests, ret);
    skr_pod_destroy(decoded);
    return true;
}

static struct skr_record_role *role_of(struct skr_record *record, struct skr_record_group *group,
                                       const json_t *pod)
{
    const char *label = skr_path_label(pod, SKR_LABEL_ROLE);
    const char *name = label && *label ? label : NULL;
    struct skr_amounts demand = {0};
    struct skr_record_role *role = name ? find_role(group, name, NULL) : NULL;
    if (role || !read_demand(record, pod, &demand)) {
        return role;
    }
    role = name ? NULL : find_role(group, NULL, &demand);
    if (role || group->n_roles == SKR_PICTURE_ROLES_MAX) {
        skr_amounts_fini(&demand);
        return role;
    }
    role = &group->role[group->n_roles++];
    *role = (struct skr_record_role){
        .name = name ? skr_strdup(name) : NULL, .first_rank = INT64_MAX, .demand = demand};
    role->placed = skr_alloc_array((size_t)group->tree->n_leaves + 1, sizeof *role->placed);
    return role;
}

void skr_record_roles_place(struct skr_record *record, struct skr_record_group *group,
                            const json_t *pod, int32_t leaf)
{
    const char *rank = skr_path_label(pod, SKR_LABEL_RANK);
    const int64_t number = rank ? strtoll(rank, NULL, 10) : INT64_MAX;
    struct skr_record_role *role = role_of(record, group, pod);
    if (role) {
        role->first_rank = number < role->first_rank ? number : role->first_rank;
        role->placed[leaf]++;
        role->n++;
    }
}

static int by_first_rank(const void *a, const void *b)
{
    const struct skr_record_role *x = a, *y = b;
    return (x->first_rank > y->first_rank) - (x->first_rank < y->first_rank);
}

void skr_record_roles_name(struct skr_record_group *group)
{
    int number = 0;
    if (group->n_roles > 1) {
        qsort(group->role, group->n_roles, sizeof group->role[0], by_first_rank);
    }
    for (size_t r = 0; r < group->n_roles; r++) {
        if (!group->role[r].name) {
            char name[32];
            snprintf(name, sizeof name, "pod-%d", ++number);
            group->role[r].name = skr_strdup(name);
        }
    }
}

void skr_record_roles_forget(struct skr_record_group *group)
{
    for (size_t r = 0; r < group->n_roles; r++) {
        free(group->role[r].name);
        free(group->role[r].placed);
        skr_amounts_fini(&group->role[r].demand);
    }
    group->n_roles = 0;
}
