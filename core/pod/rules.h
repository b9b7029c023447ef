/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_RULES_H
#define SKR_CORE_POD_RULES_H
/*
 * What a pod says about other pods, as far as kube-scheduler refuses nodes for it: host ports,
 * required pod affinity and anti-affinity, topology spread with DoNotSchedule. Part of its shape.
 *
 * A selector is that of the API with matchLabelKeys and mismatchLabelKeys put in (kube-apiserver
 * does the same for affinity since 1.29). Namespaces are resolved to names: the pod's own where the
 * API says so, and those of a namespaceSelector that asks for kubernetes.io/metadata.name alone,
 * which the API server keeps equal to the name. Other labels are not known without the Namespace
 * objects: such rules have unknown_namespaces set, and plans leave them to kube-scheduler.
 *
 * Sources: Kubernetes pkg/scheduler/framework/types.go (AffinityTerm, GetHostPorts),
 * plugins/podtopologyspread/common.go, plugins/nodeports, apimachinery pkg/labels.
 */
#include "core/pod/pod.h"
#include "topology/base/strbuf.h"

/* spec NULL: none. Keys of the rules go into b as canonical text, appended (nothing for none).
 * Memory is the arena's. Errors: SKR_INVALID with the path of the field, SKR_LIMIT. */
int skr_pod_rules_decode(struct skr_arena *arena, json_t *spec, const struct skr_meta *meta,
                         struct skr_pod_shape *ret, struct skr_error *error);
void skr_pod_rules_write_key(struct skr_strbuf *b, const struct skr_pod_shape *shape);

/* A label selector by itself, over pods of one namespace: NULL selects nothing, an empty one
 * everything. Borrows namespace_. The rule has no kind. */
int skr_pod_selector_decode(struct skr_arena *arena, json_t *selector, const char *namespace_,
                            struct skr_pod_rule *ret, struct skr_error *error);
/* Whether the rule's selector and namespaces take in the pod. Not for host ports. O(selector). */
bool skr_pod_rule_selects(const struct skr_pod_rule *rule, const struct skr_meta *pod);
/* The same, where namespaces that are not known may be any. */
bool skr_pod_rule_may_select(const struct skr_pod_rule *rule, const struct skr_meta *pod);
/* Whether two host ports exclude each other: protocol and number are equal, and so are the
 * addresses, or one is all of them. */
bool skr_pod_ports_clash(const struct skr_pod_rule *a, const struct skr_pod_rule *b);

/* A host port of a pod of a that one of b cannot have beside it; NULL: none. O(rules of both). */
const struct skr_pod_rule *skr_pod_port_clash(const struct skr_pod_shape *a,
                                              const struct skr_pod_shape *b);
/* "host port 8080/TCP", "podAntiAffinity on zone", ...: for messages. Cut at size. */
void skr_pod_rule_name(const struct skr_pod_rule *rule, char *buffer, size_t size);

#endif
