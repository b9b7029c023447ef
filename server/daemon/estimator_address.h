/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_ESTIMATOR_ADDRESS_H
#define SKR_SERVER_DAEMON_ESTIMATOR_ADDRESS_H
/*
 * Where the estimators of clusters are. As karmada-scheduler does (karmada
 * pkg/estimator/client/service.go), it reads the Service PREFIX-CLUSTER on the API server of Karmada:
 * type ExternalName gives a host, and the Service's target port. Without such a Service the host is
 * PREFIX-CLUSTER.NAMESPACE.DOMAIN. Where karmada-scheduler refuses a Service of another type, this
 * host is taken, too: DNS has it if Karmada and the estimators share a cluster.
 *
 * An address is read again after a minute. One thread: that of the estimator client.
 */
#include "server/config/config.h"
#include "server/kube/transfer.h"

struct skr_estimator_addresses;

/* options: borrowed. access: of the API server of Karmada, taken over; NULL: no Service is read. */
struct skr_estimator_addresses *skr_estimator_addresses_create(
    const struct skr_config_estimators *options, struct skr_kube_access *access, CURLM *multi);
void skr_estimator_addresses_destroy(struct skr_estimator_addresses *addresses);
/* Once a minute: reads credentials again, and forgets old addresses. */
void skr_estimator_addresses_refresh(struct skr_estimator_addresses *addresses);

/* The session of transfers for skr_estimator_address_ask(). */
struct skr_kube_session *skr_estimator_addresses_session(struct skr_estimator_addresses *addresses);
/* Appends "HOST:PORT". False: it has to be asked for first. */
bool skr_estimator_address_find(const struct skr_estimator_addresses *addresses,
                                const char *cluster, struct skr_strbuf *out);
/* Starts to read the Service. Errors: as skr_transfer_start(). */
int skr_estimator_address_ask(const struct skr_estimator_addresses *addresses,
                              struct skr_transfer *transfer, const char *cluster,
                              int64_t timeout_ms, struct skr_error *error);
/* Takes the answer, so that skr_estimator_address_find() has the address. Errors: SKR_RETRY (no
 * answer), SKR_INVALID (a Service that names no host or port). */
int skr_estimator_address_take(struct skr_estimator_addresses *addresses,
                               const struct skr_transfer *transfer, const char *cluster,
                               CURLcode result, struct skr_error *error);

/* Whether a URL may have the text as its host. */
bool skr_estimator_is_host(const char *name);

#endif
