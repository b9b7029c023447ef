/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_VIEW_INSPECT_H
#define SKR_CORE_GANG_VIEW_INSPECT_H
#include "core/gang/state/gang.h"

/* Checks all invariants (ledger, seats, plans). SKR_BUG with the first that is violated. */
int skr_gang_check(const struct skr_gang *e, struct skr_error *error);

#endif
