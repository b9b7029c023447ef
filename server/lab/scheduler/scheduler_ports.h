/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_PORTS_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_PORTS_H
/*
 * Ports of nodes that pods take (hostPort), as kube-scheduler's NodePorts sees them: two of the
 * same protocol and number exclude each other when they are on the same address or one is on all
 * (0.0.0.0). Source: kubernetes pkg/scheduler/framework/plugins/nodeports 1.36, HostPortInfo.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SKR_SCHED_ADDRESS_BYTES = 46 };

struct skr_sched_port {
    char address[SKR_SCHED_ADDRESS_BYTES]; /* 0.0.0.0: all */
    char protocol[5];                      /* TCP, UDP, SCTP */
    int32_t number;
};

/* Of a pod, or of all pods on a node; what two pods both have stands twice. */
struct skr_sched_ports {
    struct skr_sched_port *item;
    size_t n, cap;
};

/* Those a pod (JSON, as in the store) asks for, in ret, which was zero or finished: of containers,
 * and of init containers that go on running. O(containers + ports). */
void skr_sched_ports_read(const json_t *pod, struct skr_sched_ports *ret);
void skr_sched_ports_fini(struct skr_sched_ports *ports);
/* Whether one of a excludes one of b. O(a b). */
bool skr_sched_ports_conflict(const struct skr_sched_ports *a, const struct skr_sched_ports *b);
void skr_sched_ports_add(struct skr_sched_ports *node, const struct skr_sched_ports *pod);
void skr_sched_ports_remove(struct skr_sched_ports *node, const struct skr_sched_ports *pod);

#endif
