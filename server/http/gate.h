/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_GATE_H
#define SKR_SERVER_HTTP_GATE_H
/*
 * The gate webhook, for API servers without MutatingAdmissionPolicy. POST /v1/gate takes an
 * AdmissionReview (admission.k8s.io/v1). The answer adds the scheduling gate "sakkara.gang" to a pod
 * that is being created, names a scheduler of ours, has a group label, annotation sakkara.gang or a
 * PodGroup, and has no node yet. POST /v1/gate/namespaces is for namespaces with label
 * sakkara.gang=auto: it adds the gate to pods of a controller that lack the annotation, too. The
 * answer never denies, never adds the gate twice, and keeps other gates. A body that is no
 * AdmissionReview gets status 400 and the reason; the failurePolicy of the API server decides about
 * the pod.
 *
 * There is no state: every replica answers. A caller is not authenticated, because an answer depends
 * on the request alone and neither reads nor changes anything. A caller can only use up time of the
 * listener's thread. So most of a pod is skipped, and values are counted before they are made.
 */
#include "core/gang/state/settings.h"
#include "server/http/listener.h"
#include "topology/base/strbuf.h"

enum {
    SKR_GATE_BODY_MAX = 8 * 1024 * 1024, /* an object is at most 1.5 MiB in etcd; a review may hold
                                            two and the options */
    SKR_GATE_VALUES_MAX = 200000, /* keys and values of what the gate and the spot mix read */
};

struct skr_gate_options {
    const char *listen;
    struct skr_tls_files tls;
    size_t n_scheduler_names;
    const char *scheduler_name[SKR_SCHEDULER_NAMES_MAX]; /* borrowed */
    struct skr_http_log log;
    struct skr_metrics *metrics; /* NULL allowed */
};

/* The answer to a review, appended to out. owned: of /v1/gate/namespaces. Pure. Errors: SKR_INVALID
 * with what is wrong. */
int skr_gate_review(const struct skr_gate_options *options, bool owned, const char *body,
                    size_t len, struct skr_strbuf *out, struct skr_error *error);

struct skr_gate;

/* Errors: those of skr_listener_create(). */
int skr_gate_create(const struct skr_gate_options *options, struct skr_gate **ret,
                    struct skr_error *error);
/* For its port and its stop. NULL: NULL. */
struct skr_listener *skr_gate_listener(struct skr_gate *gate);
void skr_gate_destroy(struct skr_gate *gate); /* NULL allowed */

#endif
