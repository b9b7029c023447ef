/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_ESTIMATOR_WIRE_H
#define SKR_CORE_PROPAGATION_ESTIMATOR_WIRE_H
/*
 * The messages of karmada-scheduler-estimator as bytes of protobuf (karmada
 * pkg/estimator/pb/estimator.proto, k8s.io/api/core/v1/generated.proto,
 * k8s.io/apimachinery/pkg/api/resource/generated.proto). All protobuf of the program is here.
 *
 * A request is the same for all clusters but for the field that names the cluster. The rest is made
 * once, when a binding is read. Fields of a message may come in any order, so the rest goes behind
 * the name as it is.
 *
 * Resource requests, node affinity and tolerations are written twice, as karmada-scheduler does: in
 * the fields that estimators before Karmada 1.17 read, and in those of bytes, which later ones
 * prefer. Values of another type than the API has are left out.
 */
#include <jansson.h>

#include "topology/base/error.h"
#include "topology/base/strbuf.h"

/* Appends the rest of a MaxAvailableReplicasRequest: spec.replicaRequirements of a binding; NULL:
 * nothing. O(size). */
void skr_estimator_write_requirements(const json_t *requirements, struct skr_strbuf *out);
/* The same of a MaxAvailableComponentSetsRequest: spec.components, and the namespace of the
 * workload. */
void skr_estimator_write_components(const json_t *components, const char *namespace_,
                                    struct skr_strbuf *out);
/* Appends a whole request. */
void skr_estimator_write_request(const char *cluster, const char *rest, size_t rest_len,
                                 struct skr_strbuf *out);

/* The number in a MaxAvailableReplicasResponse or MaxAvailableComponentSetsResponse: -1: the
 * estimator cannot say. Unknown fields are skipped. Errors: SKR_INVALID: the bytes are no message, or
 * the number is below -1. */
int skr_estimator_read_answer(const void *body, size_t n, int32_t *ret, struct skr_error *error);

#endif
