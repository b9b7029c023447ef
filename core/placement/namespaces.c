/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces: the Placements in each, and the bindings of cluster sets to it. */
#include <stdlib.h>
#include <string.h>

#include "core/placement/state.h"
#include "topology/base/table.h"

const struct skr_ocm_namespace *skr_placements_namespace(const struct skr_placements *self,
                                                         const char *name)
{
    struct skr_ocm_namespace *found;
    SKR_TABLE_FIND(&self->settings->hash_seed, hh, self->namespace_, name, strlen(name), found);
    return found;
}

struct skr_ocm_namespace *skr_placements_open_namespace(struct skr_placements *self,
                                                        const char *name)
{
    struct skr_ocm_namespace *found;
    SKR_TABLE_FIND(&self->settings->hash_seed, hh, self->namespace_, name, strlen(name), found);
    if (!found) {
        found = skr_alloc(sizeof *found);
        found->name = skr_strdup(name);
        SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->namespace_, found->name,
                      strlen(found->name), found);
    }
    return found;
}

void skr_placements_close_namespace(struct skr_placements *self, struct skr_ocm_namespace *home)
{
    if (!home->binding && !home->entry) {
        HASH_DELETE(hh, self->namespace_, home);
        free(home->name);
        free(home);
    }
}
