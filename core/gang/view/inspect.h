/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_VIEW_INSPECT_H
#define SKR_CORE_GANG_VIEW_INSPECT_H
#include "core/gang/state/gang.h"

/* All invariants (ledger, seats, plans). SKR_BUG and the first that is broken. */
int skr_gang_check(const struct skr_gang *e, struct skr_error *error);

#endif
