/* SPDX-License-Identifier: Apache-2.0 */
/* Why a group has no placement: see unplaced.h. */
#include "core/gang/planning/unplaced.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/group/group_state.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/vain.h"
#include "core/gang/problem/pod_rules.h"
#include "core/gang/problem/problem_attach.h"
#include "core/gang/problem/problem_devices.h"
#include "core/gang/problem/problem_volumes.h"
#include "core/gang/report/sentence.h"

#include <stdlib.h>

static enum skr_reason reason_of(enum skr_infeasible_class class)
{
    switch (class) {
    case SKR_CLASS_CONSTRAINT_CONFLICT:
        return SKR_REASON_CONSTRAINT_CONFLICT;
    case SKR_CLASS_NEVER_FITS:
        return SKR_REASON_NEVER_FITS;
    case SKR_CLASS_WAITING_FOR_CAPACITY:
        return SKR_REASON_WAITING_FOR_CAPACITY;
    case SKR_CLASS_PLACEMENT_FAILED:
    case SKR_CLASS_NONE:
    case SKR_INFEASIBLE_CLASS_COUNT:
    default:
        return SKR_REASON_TOPOLOGY_PLACEMENT_FAILED;
    }
}

/* "; without the node that it refuses, and with what it accepted (2 on node-1), " */
static void say_without(struct skr_gang *e, const struct group *g, size_t closed, size_t counted,
                        struct skr_strbuf *b)
{
    skr_strbuf_add(b, ";");
    if (closed > 0) {
        skr_strbuf_addf(b, " without the %s that it refuses,", closed == 1 ? "node" : "nodes");
    }
    if (counted > 0) {
        skr_strbuf_addf(b, "%s with what it accepted (", closed > 0 ? " and" : "");
        skr_refusal_say_accepted(e, g, b);
        skr_strbuf_add(b, "),");
    }
    skr_strbuf_add(b, " ");
}

enum skr_reason skr_unplaced_say(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                                 const struct skr_solve_request *request, struct skr_strbuf *b)
{
    if (!s) {
        skr_strbuf_addf(
            b,
            "group %s is not placed: nodes have room, but no placement gives each member "
            "its volumes",
            g->name);
        skr_problem_attach_say(request, b);
        return SKR_REASON_WAITING_FOR_CAPACITY;
    }
    size_t counted, refused = skr_refusal_nodes(e, g, &counted), n_newcomers;
    if (refused > 0) {
        skr_refusal_say(e, g, b);
        say_without(e, g, refused - counted, counted, b);
    }
    struct pod_entry **newcomers = skr_membership_plannable(e, g, &n_newcomers);
    bool pools = false, never = false;
    if (s->domains.n_rules > 0) {
        skr_strbuf_addf(b, "group %s is not placed: ", g->name);
        pools = skr_problem_devices_say(e, g, newcomers, n_newcomers, &s->domains, b, &never);
    }
    if (s->domains.n_rules > 0 && !pools) {
        skr_pod_rules_say_blocking(&s->domains, request->problem.roles, request->problem.n, b);
    } else if (!pools) {
        skr_explain_sentence(e, g, s, request, b);
    }
    skr_problem_attach_say(request, b);
    skr_problem_volumes_say_room(e, newcomers, n_newcomers, b);
    skr_pod_rules_say_closed(e, newcomers, n_newcomers, b);
    skr_vain_say(e, g, b);
    free(newcomers);
    if (refused > 0) {
        return SKR_REASON_FILTERED_BY_OTHERS;
    }
    if (s->status == SKR_SOLVE_TIMEOUT) {
        return SKR_REASON_ROLES_NOT_PLACED;
    }
    if (pools) {
        return never ? SKR_REASON_NEVER_FITS : SKR_REASON_WAITING_FOR_CAPACITY;
    }
    if (request->claim_never) {
        return SKR_REASON_CONSTRAINT_CONFLICT;
    }
    return s->explanation.closed || s->status == SKR_SOLVE_PLACED ? SKR_REASON_WAITING_FOR_CAPACITY
                                                                  : reason_of(s->explanation.class);
}

void skr_unplaced_explain(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                          const struct skr_solve_request *request)
{
    SKR_STRBUF(b);
    enum skr_reason reason = skr_unplaced_say(e, g, s, request, &b);
    skr_group_state_reason(g, reason, b.s);
    skr_dirty_group(e, g);
}
