/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SIMULATE_BINDING_H
#define SKR_SERVER_SIMULATE_BINDING_H
/* `sakkara simulate binding`: where bindings of Karmada would go, offline. */
#include <stddef.h>

#include "core/propagation/decision.h"
#include "server/simulate/binding_input.h"
#include "topology/base/strbuf.h"

struct skr_simulate_binding_options {
    const char *const *file;
    size_t n_files;
    const char *binding; /* "NS/NAME"; NULL: all of them */
    enum skr_propagation_profile profile;
    const char *const *option; /* "name=value" */
    size_t n_options;
    bool json;
    bool verbose; /* all groups and clusters */
};

/* Result to out, warnings and errors to messages. Returns an exit code: 4 when a binding is not
 * placed, 3 when there is no such binding. */
int skr_simulate_binding_run(const struct skr_simulate_binding_options *options,
                             struct skr_strbuf *out, struct skr_strbuf *messages);
/* option: "name=value". SKR_INVALID: none. */
int skr_simulate_binding_settings(enum skr_propagation_profile profile, const char *const *option,
                                  size_t n, struct skr_propagation_options *ret,
                                  struct skr_error *error);
/* One binding of what was read. Returns an exit code. */
int skr_simulate_binding_print(const struct skr_binding *binding,
                               const struct skr_binding_input *input,
                               const struct skr_propagation_options *settings, bool json,
                               bool verbose, struct skr_strbuf *out, struct skr_strbuf *messages);

#endif
