/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_EXTENDER_JSON_H
#define SKR_SERVER_LAB_SANDBOX_EXTENDER_JSON_H
/*
 * The bodies of the extender protocol as kube-scheduler writes and reads them
 * (k8s.io/kube-scheduler/extender/v1, whose structs have no JSON tags): requests to text, answers
 * to data. Answers are decoded like encoding/json: keys in any case, unknown keys ignored, bytes
 * after the first value ignored. Pure.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/error.h"

/* ExtenderArgs of filter and prioritize: a new reference, which shares its members. nodes NULL:
 * sends names (the extender has a cache of nodes), else an array of Node objects. */
json_t *skr_extender_args(const json_t *pod, const json_t *nodes, const char *const *name,
                          size_t n);
/* ExtenderBindingArgs. */
json_t *skr_extender_binding(const char *namespace_, const char *name, const char *uid,
                             const char *node);

/* One JSON value. Errors use the words of encoding/json if short: EOF, unexpected EOF, invalid
 * character ... */
int skr_extender_decode(const char *body, size_t n, json_t **ret, struct skr_error *error);

/* Reads ExtenderFilterResult. Sets passes[i] and why[i] (borrowed from answer) for the n nodes of
 * the call. names: whether the extender has a cache of nodes. url: for messages. The result's own
 * Error is an error. O(n + answer). */
int skr_extender_read_filter(const json_t *answer, const char *url, bool names,
                             const char *const *node, size_t n, uint8_t *passes, const char **why,
                             struct skr_error *error);
/* Reads HostPriorityList: adds weight * score to score[i], limited to what a sum may hold. */
int skr_extender_read_scores(const json_t *answer, int32_t weight, const char *const *node,
                             size_t n, int32_t *score, struct skr_error *error);
/* Reads ExtenderBindingResult: its Error. */
int skr_extender_read_binding(const json_t *answer, struct skr_error *error);

#endif
