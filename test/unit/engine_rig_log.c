/* SPDX-License-Identifier: Apache-2.0 */
/* All actions as text, for those who compare two lives byte for byte. */
#include "test/unit/engine_rig_parts.h"

static void log_answer(struct skr_strbuf *log, const struct skr_answer *answer)
{
    if (answer->kind == SKR_ANSWER_EXPLANATION) {
        skr_strbuf_addf(log, "%s\n", answer->explanation.json);
        return;
    }
    skr_strbuf_addf(log, "%llu %d %zu %s\n", (unsigned long long)answer->request, (int)answer->kind,
                    answer->index, answer->text);
}

void rig_log_action(struct rig *rig, const struct skr_action *a)
{
    struct skr_strbuf *log = &rig->log;
    skr_strbuf_addf(log, "%lld %d ", (long long)(rig->now - RIG_EPOCH), (int)a->kind);
    switch (a->kind) {
    case SKR_ACTION_ANSWER:
        log_answer(log, a->answer.body);
        break;
    case SKR_ACTION_WRITE:
        skr_strbuf_addf(log, "%llu %d %d %s/%s %s\n", (unsigned long long)a->write.id,
                        (int)skr_write_kind_of(&a->write), (int)a->write.class, a->write.namespace_,
                        a->write.name, a->write.body);
        break;
    case SKR_ACTION_WORK: {
        const struct skr_solve_request *s = skr_solve_request_of(a->work);
        skr_strbuf_addf(log, "%llu %d\n", (unsigned long long)s->work.id, s->problem.n);
        break;
    }
    case SKR_ACTION_CANCEL:
        skr_strbuf_addf(log, "%llu\n", (unsigned long long)a->cancel);
        break;
    case SKR_ACTION_TIMER:
        skr_strbuf_addf(log, "%lld\n", (long long)a->timer);
        break;
    case SKR_ACTION_DECISION: {
        const struct skr_decision *d = &a->decision;
        skr_strbuf_addf(log, "%s %s %s %s %s\n", d->what, d->key, d->pod, d->reason, d->message);
        break;
    }
    case SKR_ACTION_WATCH:
        skr_strbuf_addf(log, "%s\n", a->watch->resource->plural);
        break;
    case SKR_ACTION_QUERY: /* the gang scheduler makes none */
    case SKR_ACTION_KIND_COUNT:
    default:
        break;
    }
}
