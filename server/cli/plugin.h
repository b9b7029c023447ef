/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_PLUGIN_H
#define SKR_SERVER_CLI_PLUGIN_H
/* The same program as a plugin of kubectl: `kubectl-sakkara`, called by `kubectl sakkara`. Only its
 * texts differ. */
#include <stdbool.h>

#include "topology/base/strbuf.h"

/* Whether the program was called by a name that begins with "kubectl-". argv0 NULL: no. */
bool skr_cli_is_plugin(const char *argv0);
/* Commands in a text of ours ("sakkara " at the beginning of a line, behind "usage: ", "see: ",
 * "Next: " or a pipe) become "kubectl sakkara ". */
void skr_cli_as_plugin(struct skr_strbuf *text);

#endif
