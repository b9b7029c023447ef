/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_BINDING_H
#define SKR_SERVER_LAB_SIMULATE_BINDING_H
/* `sakkara simulate binding`: where bindings of Karmada would be placed, offline. */
#include <stddef.h>

#include "core/propagation/decision.h"
#include "core/propagation/scheduler.h"
#include "server/lab/simulate/fleet_input.h"
#include "server/lab/simulate/place_tree.h"
#include "topology/base/strbuf.h"

struct skr_simulate_binding_options {
    const char *const *file;
    size_t n_files;
    const char *binding; /* "NS/NAME"; NULL: all */
    enum skr_propagation_profile profile;
    const char *const *option; /* "name=value" */
    size_t n_options;
    bool json;
    bool verbose; /* all groups and clusters */
};

/* Result to out, warnings and errors to messages. Returns an exit code: 4 if a binding is not
 * placed, 3 if there is no such binding. */
int skr_simulate_binding_run(const struct skr_simulate_binding_options *options,
                             struct skr_strbuf *out, struct skr_strbuf *messages);

/* Clusters and bindings of Karmada. A duplicate object is an error. */
extern const struct skr_fleet_rules skr_binding_rules;

/* All bindings, in reading order. Returns their number; *ret: free(). */
size_t skr_binding_all(const struct skr_fleet_input *input, const struct skr_binding ***ret);
/* The binding named "NS/NAME", or "NAME" without a namespace; NULL: none. A NAME alone also finds
 * the only binding of that name. */
const struct skr_binding *skr_binding_find(const struct skr_fleet_input *input, const char *name);
/* skr_binding_decide() over the clusters read. */
int skr_binding_decide_here(const struct skr_fleet_input *input, const struct skr_binding *binding,
                            const struct skr_propagation_options *options,
                            struct skr_binding_decision **ret, struct skr_error *error);

/* A row of a picture (place_tree.h) of replicas: provider, region, zone and cluster. Levels that no
 * cluster has are left out. */
struct skr_place_row skr_binding_row(const struct skr_fleet_input *input, const char *cluster,
                                     int64_t replicas);
enum { SKR_BINDING_NAME_COLUMN = 24 };

struct skr_binding_printing {
    const struct skr_propagation_options *settings;
    bool json, verbose;
};
/* Writes decisions of bindings read. Returns an exit code. */
int skr_binding_print(const struct skr_binding *const *binding, size_t n,
                      const struct skr_fleet_input *input, const struct skr_binding_printing *how,
                      struct skr_strbuf *out, struct skr_strbuf *messages);

#endif
