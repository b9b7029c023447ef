/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_FLEET_OBJECTS_H
#define SKR_SERVER_CLI_FLEET_OBJECTS_H
/* The objects of OCM or Karmada that a command reads, from a dump or through kubectl, and what the
 * daemon would decide about one of them. */
#include "server/cli/client_flags.h"
#include "server/lab/simulate/binding.h"
#include "server/lab/simulate/placement.h"

/* The flags that choose options of decisions about bindings. Profiles are in the order of enum
 * skr_propagation_profile. */
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

/* "explain KIND/NAME": decides about one object as the daemon would. The daemon is asked whether its
 * module is on, unless the objects are a dump and --server names no daemon. */
struct skr_fleet_explanation {
    const struct skr_client_flags *client;
    const struct skr_fleet_rules *rules;
    const char *module; /* "ocm" */
    bool json;
    /* Appends the decision; options: of the call; settings: of the daemon, by which it decides, NULL:
     * not known. Returns an exit code. */
    int (*explain)(const void *options, const json_t *settings, const char *name,
                   struct skr_fleet_input *input, struct skr_strbuf *out,
                   struct skr_strbuf *messages);
};
int skr_fleet_explain(const struct skr_call *call, const struct skr_fleet_explanation *what,
                      struct skr_strbuf *out, struct skr_strbuf *messages);

#endif
