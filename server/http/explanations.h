/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_EXPLANATIONS_H
#define SKR_SERVER_HTTP_EXPLANATIONS_H
/*
 * GET and HEAD of /v1/explain/NAMESPACE/NAME on the admin listener: why a group is not placed. With
 * ?preempt=true the answer also names the groups that would be evicted for it; with ?as=text it is
 * the text that the command explain prints. The request is held until the engine answers. The answer
 * may need a solve, which takes seconds at most. At most SKR_EXPLAIN_ASKERS_MAX
 * (core/gang/report/sentence.h) requests wait at once.
 *
 * GET and HEAD of /v1/whatif/NAMESPACE/NAME?size=&priority=&set=rack.hard:false&without=node-3: whether
 * the group would be placed if it were different. A fifth request at once gets 429, and so does a
 * request that takes more than two seconds.
 */
#include "core/frame/event.h"
#include "core/gang/state/requests.h"
#include "server/http/admin.h"

struct skr_explanations_options {
    /* skr_engine_thread_post_kept(). */
    void (*post)(void *context, const struct skr_event *event, void (*release)(void *keep),
                 void *keep);
    /* Appends an explanation as people read it; on the listener's thread. */
    void (*text)(const char *json, size_t n, struct skr_strbuf *out);
    void *context;
};

struct skr_explanations;
struct skr_explanations *skr_explanations_create(const struct skr_explanations_options *options);
/* Fills two routes for struct skr_admin_options, which go before the route /v1. Returns 2. */
size_t skr_explanations_routes(struct skr_explanations *explanations,
                               struct skr_admin_route *route);
/* The engine's answer. Any thread. If its request does not wait any more, it is dropped. */
void skr_explanations_answer(struct skr_explanations *explanations, uint64_t request,
                             const struct skr_explain_answer *answer);
/* After the admin listener and the engine thread have ended. NULL allowed. */
void skr_explanations_destroy(struct skr_explanations *explanations);

#endif
