/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SANDBOX_RIG_H
#define SKR_TEST_UNIT_SANDBOX_RIG_H
/*
 * Requests to the store of the simulated cluster, written as on the wire:
 *
 *   do_request(store, "POST /api/v1/namespaces/default/pods", "{'metadata':...}")
 *
 * Methods: GET, POST, PUT, DELETE, MERGE, STRATEGIC, JSON (the three patches). A collection is
 * listed or deleted where there is no name. Parameters: labelSelector, fieldSelector, limit,
 * continue, dryRun, strict. Bodies are written with single quotes.
 */
#include "server/lab/store/store.h"

#define RIG_NOW (INT64_C(1700000000) * SKR_SECOND)
#define RIG_NS  "/api/v1/namespaces/default"
#define RIG_POD "'spec':{'containers':[{'name':'c','image':'x:1'}]}"

/* The status; the body goes to *ret (json_decref()), or away when ret is NULL. body NULL: none. */
int sandbox_request(struct skr_store *store, skr_time now, const char *line, const char *body,
                    json_t **ret);
/* The same at RIG_NOW; the test fails when the status is another one. The body: json_decref(). */
json_t *sandbox_expect(struct skr_store *store, int status, const char *line, const char *body);
void sandbox_ok(struct skr_store *store, int status, const char *line, const char *body);
/* "a.b[0].c" below the object as text: strings as they are, anything else as JSON; "" when absent.
 * Keys with dots: 'a.b' in single quotes. Borrowed until the next call. */
const char *sandbox_text(const json_t *object, const char *path);
/* The object's field, of a GET. */
const char *sandbox_field(struct skr_store *store, const char *url, const char *path);

/* ---- a store with a node n1, a pod a1 that waits, and a gated pod g1 ---- */

#define PODS   RIG_NS "/pods"
#define MAPS   RIG_NS "/configmaps"
#define JOBS   "/apis/batch/v1/namespaces/default/jobs"
#define DEPLOY "/apis/apps/v1/namespaces/default/deployments"
#define PDBS   "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"

struct skr_store *sandbox_store(void);

struct refusal {
    const char *line, *body;
    int status;
    const char *reason, *message; /* a part of it */
};

/* Each is refused with this status and reason, and changes nothing. */
void sandbox_check_refusals(struct skr_store *store, const struct refusal *table, size_t n);

#endif
