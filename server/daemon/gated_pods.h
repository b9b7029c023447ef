/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_GATED_PODS_H
#define SKR_SERVER_DAEMON_GATED_PODS_H
/*
 * Pods that wait behind the gate sakkara.gang, for `sakkara check`. They stay gated when the daemon
 * is removed, so an operator has to see them.
 */
#include <stdbool.h>

#include "server/kube/caller.h"
#include "topology/base/strbuf.h"

enum {
    SKR_GATED_PAGE = 500,      /* pods of one answer */
    SKR_GATED_PAGES_MAX = 200, /* pods beyond 100,000 are not counted, and the line says so */
};

/* Appends one line with the number of gated pods. decided: a daemon decides; without one, gated pods
 * are a finding and the line has the command that frees a pod. An account that may not list pods
 * gets no line. Returns an exit code. */
int skr_gated_pods_print(struct skr_caller *caller, bool decided, struct skr_strbuf *out);

#endif
