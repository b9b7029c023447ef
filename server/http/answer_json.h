/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_ANSWER_JSON_H
#define SKR_SERVER_HTTP_ANSWER_JSON_H
/*
 * Answers of the extender's verbs as kube-scheduler wants them: always one JSON value, arrays never
 * null, integers only, failures in Error. A refused node stands in FailedAndUnresolvableNodes with
 * the constant text of the state; FailedNodes stays empty, because DefaultPreemption would try to
 * make room on such nodes and fail. Pure; any thread.
 */
#include <stdbool.h>

#include "core/gang/state/requests.h"
#include "server/http/request_json.h"
#include "topology/base/strbuf.h"

/* Appends the answer to the request args. False, and an answer with SKR_TEXT_NOT_READY, when the
 * answer does not belong to the verb or its counts are not those of the request (a bug of the
 * caller; nothing is read beyond the arrays). Of args, the verb alone is read for BIND, and for
 * errors. */
bool skr_answer_write(struct skr_strbuf *out, const struct skr_answer *answer,
                      const struct skr_verb_args *args);

/* The answer that carries an error: filter and bind say it, prioritize is [] and preempt names no
 * candidate, since their types have no place for it. */
void skr_answer_write_error(struct skr_strbuf *out, enum skr_verb verb, const char *text);

#endif
