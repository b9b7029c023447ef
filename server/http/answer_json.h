/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_ANSWER_JSON_H
#define SKR_SERVER_HTTP_ANSWER_JSON_H
/*
 * Answers of the extender's verbs, in the form that kube-scheduler reads: one JSON value, arrays
 * never null, integers only, failures in Error. A refused node is in FailedAndUnresolvableNodes with
 * the constant text of the state. FailedNodes stays empty, because DefaultPreemption would try in
 * vain to make room on nodes named there. Pure; any thread.
 */
#include <stdbool.h>

#include "core/gang/state/requests.h"
#include "server/http/request_json.h"
#include "topology/base/strbuf.h"

/* Appends the answer to the request args. If the answer is not one of the verb, or its counts are
 * not those of the request, that is a bug of the caller: the answer is SKR_TEXT_NOT_READY, and the
 * function returns false. For BIND and errors only the verb of args is read. */
bool skr_answer_write(struct skr_strbuf *out, const struct skr_answer *answer,
                      const struct skr_verb_args *args);

/* The answer for an error: filter and bind carry the text. The types of the other two have no place
 * for it, so prioritize is [] and preempt names no candidate. */
void skr_answer_write_error(struct skr_strbuf *out, enum skr_verb verb, const char *text);

#endif
