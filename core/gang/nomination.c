/* SPDX-License-Identifier: Apache-2.0 */
/* What a planned member carries besides its nomination (rank, its part of the plan), and whether it
 * does. */
#include "core/gang/state.h"

#include <string.h>

bool nomination_is_anchor(const struct pod_entry *p)
{
    return p->plan && p->plan->anchor && strcmp(p->plan->anchor, p->uid) == 0;
}

/* Free with free(). */
char *nomination_annotation(const struct pod_entry *p)
{
    if (nomination_is_anchor(p)) {
        return skr_strdup(p->plan->text ? p->plan->text : "");
    }
    return skr_member_plan_write(p->plan->id, p->plan_node);
}

static bool metadata_stands(const struct pod_entry *p)
{
    char rank[16];
    snprintf(rank, sizeof rank, "%d", p->plan_rank);
    if (strcmp(pods_label(p, SKR_LABEL_RANK), rank) != 0) {
        return false;
    }
    char *annotation = nomination_annotation(p);
    bool stands = strcmp(pods_annotation(p), annotation) == 0;
    free(annotation);
    return stands;
}

bool members_nomination_stands(struct pod_entry *p)
{
    if (!p->plan) {
        return false;
    }
    if (p->stands == STANDS_UNKNOWN || nomination_is_anchor(p)) {
        p->stands = metadata_stands(p) ? STANDS_YES : STANDS_NO;
    }
    return p->stands == STANDS_YES;
}
