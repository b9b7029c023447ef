/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_MODULE_STATE_H
#define SKR_SERVER_CLI_MODULE_STATE_H
/*
 * Whether what is explained is live: commands that decide on objects as they are, with the daemon's
 * code but without the daemon, ask it whether its module is on. With a dump no daemon is asked,
 * unless --server names one.
 */
#include "server/cli/client_flags.h"

enum skr_module_answer {
    SKR_MODULE_NOT_ASKED, /* a dump, and no --server */
    SKR_MODULE_ON,
    SKR_MODULE_OFF,
    SKR_MODULE_UNKNOWN, /* the daemon does not say */
};

struct skr_module_state {
    const char *name; /* literal: "ocm" */
    enum skr_module_answer answer;
    char setting[64]; /* ON, OFF: the option, as the daemon calls it */
};

/* Asks the daemon behind --server, or that which kubectl finds. Why it is not known goes to messages. */
struct skr_module_state skr_module_state_ask(const struct skr_call *call,
                                             const struct skr_client_flags *flags, const char *name,
                                             struct skr_strbuf *messages);
/* Puts it in front of the decision, which begins in out at begin: a sentence where the module is off,
 * or "module" as the first key of the object (json), of which something is there. Returns the exit code that stands for code:
 * what is decided by a module that is off is not placed. */
int skr_module_state_put(const struct skr_module_state *state, bool json, size_t begin, int code,
                         struct skr_strbuf *out);

#endif
