/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_FLEET_OBJECTS_H
#define SKR_SERVER_CLI_FLEET_OBJECTS_H
/* The objects of OCM or Karmada that a command looks at: of a dump, or asked for through kubectl. */
#include "server/cli/client_flags.h"
#include "server/lab/simulate/binding.h"
#include "server/lab/simulate/placement.h"

/* The flags that choose options of decisions about bindings; the profiles as in enum skr_propagation_profile. */
extern const char *const skr_binding_profiles[];
#define SKR_BINDING_FLAGS(owner, profile, settings)                                            \
    SKR_FLAG(CHOICE, owner, profile, "--profile", NULL, "NAME", "default, upstream or design", \
             .choice = skr_binding_profiles),                                                  \
        SKR_FLAG(LIST, owner, settings, "--option", NULL, "NAME=VALUE",                        \
                 "set one option of the profile; may repeat")

/* Fills *ret, which is to be finished in either case. Returns an exit code with the message. */
int skr_fleet_objects_fetch(const struct skr_call *call, const struct skr_client_flags *flags,
                            const struct skr_fleet_rules *rules, struct skr_fleet_input *ret,
                            struct skr_strbuf *messages);

#endif
