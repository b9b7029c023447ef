/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_PLACEMENT_OBJECTS_H
#define SKR_SERVER_CLI_PLACEMENT_OBJECTS_H
/* The objects of Open Cluster Management that a command looks at: of a dump, or asked for through
 * kubectl. */
#include "server/cli/client_flags.h"
#include "server/lab/simulate/placement_world.h"

/* Fills *ret, which is to be finished in either case. Returns an exit code with the message. */
int skr_placement_objects_fetch(const struct skr_call *call, const struct skr_client_flags *flags,
                                struct skr_placement_world *ret, struct skr_strbuf *messages);

#endif
