/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_CLAIMERS_H
#define SKR_CORE_GANG_CACHE_CLAIMERS_H
#include "core/gang/state/gang.h"

/* Pending claimers of a node. */
struct claimers {
    UT_hash_handle hh; /* by node */
    struct pod_entry *list;
    bool mixed; /* they may need different devices */
    char node[];
};

struct claimers *skr_claimers_of(const struct skr_gang *e, const char *node); /* NULL: none */
/* kube-scheduler reserves its devices in this cycle, or has reserved them. */
bool skr_claimers_is_accepted(const struct pod_entry *p);

#endif
