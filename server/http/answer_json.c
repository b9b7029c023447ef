/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers as text, written straight from the engine's answer and the names of the request. The
 * reason of a refusal is escaped once, not once a node.
 */
#include "server/http/answer_json.h"

#include "core/gang/state/reason.h"

void skr_answer_write_error(struct skr_strbuf *out, enum skr_verb verb, const char *text)
{
    switch (verb) {
    case SKR_VERB_FILTER:
        skr_strbuf_add(out, "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},"
                            "\"FailedAndUnresolvableNodes\":{},\"Error\":");
        skr_strbuf_add_json(out, text);
        skr_strbuf_addc(out, '}');
        return;
    case SKR_VERB_PRIORITIZE:
        skr_strbuf_add(out, "[]");
        return;
    case SKR_VERB_PREEMPT:
        skr_strbuf_add(out, "{\"NodeNameToMetaVictims\":{}}");
        return;
    case SKR_VERB_BIND:
    case SKR_VERB_COUNT:
    default:
        skr_strbuf_add(out, "{\"Error\":");
        skr_strbuf_add_json(out, text);
        skr_strbuf_addc(out, '}');
        return;
    }
}

/* What happens to node i. */
enum verdict { PASSES, REFUSED, LEFT_OUT };

static enum verdict verdict(const struct skr_answer *answer, size_t i)
{
    switch (answer->kind) {
    case SKR_ANSWER_FILTER_ALL:
        return PASSES;
    case SKR_ANSWER_FILTER_ONE:
        return i == answer->index ? PASSES : LEFT_OUT;
    case SKR_ANSWER_FILTER_MASK:
        return (answer->mask[i / 8] >> (i % 8) & 1) != 0 ? PASSES : REFUSED;
    case SKR_ANSWER_FILTER_NONE:
    case SKR_ANSWER_ERROR:
    case SKR_ANSWER_SCORES:
    case SKR_ANSWER_PREEMPT_MASK:
    case SKR_ANSWER_BOUND:
    case SKR_ANSWER_EXPLANATION:
    case SKR_ANSWER_KIND_COUNT:
    default:
        return REFUSED;
    }
}

static void write_passing(struct skr_strbuf *out, const struct skr_answer *answer,
                          const struct skr_verb_args *args)
{
    bool comma = false;
    skr_strbuf_add(out, args->nodes_form ? "{\"Nodes\":{\"metadata\":{},\"items\":["
                                         : "{\"Nodes\":null,\"NodeNames\":[");
    for (size_t i = 0; i < args->n_nodes; i++) {
        if (verdict(answer, i) != PASSES) {
            continue;
        }
        if (comma) {
            skr_strbuf_addc(out, ',');
        }
        comma = true;
        if (args->nodes_form) {
            skr_strbuf_addn(out, args->item[i].s, args->item[i].len);
        } else {
            skr_strbuf_add_json(out, args->node[i]);
        }
    }
    skr_strbuf_add(out, args->nodes_form ? "]},\"NodeNames\":[]" : "]");
}

static void write_filter(struct skr_strbuf *out, const struct skr_answer *answer,
                         const struct skr_verb_args *args)
{
    SKR_STRBUF(reason); /* ":" and the text as JSON */
    bool comma = false;
    write_passing(out, answer, args);
    skr_strbuf_add(out, ",\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{");
    skr_strbuf_addc(&reason, ':');
    skr_strbuf_add_json(&reason, answer->text);
    for (size_t i = 0; i < args->n_nodes; i++) {
        if (verdict(answer, i) != REFUSED) {
            continue;
        }
        if (comma) {
            skr_strbuf_addc(out, ',');
        }
        comma = true;
        skr_strbuf_add_json(out, args->node[i]);
        skr_strbuf_addn(out, reason.s, reason.len);
    }
    skr_strbuf_add(out, "},\"Error\":\"\"}");
}

static void write_scores(struct skr_strbuf *out, const struct skr_answer *answer,
                         const struct skr_verb_args *args)
{
    skr_strbuf_addc(out, '[');
    for (size_t i = 0; i < args->n_nodes; i++) {
        skr_strbuf_add(out, i == 0 ? "{\"Host\":" : ",{\"Host\":");
        skr_strbuf_add_json(out, args->node[i]);
        skr_strbuf_add(out, ",\"Score\":");
        skr_strbuf_add_int(out, answer->scores[i]);
        skr_strbuf_addc(out, '}');
    }
    skr_strbuf_addc(out, ']');
}

static void write_victims(struct skr_strbuf *out, const struct skr_answer *answer,
                          const struct skr_verb_args *args)
{
    bool comma = false;
    skr_strbuf_add(out, "{\"NodeNameToMetaVictims\":{");
    for (size_t i = 0; i < args->n_candidates; i++) {
        const struct skr_preempt_node *c = &args->candidate[i];
        if ((answer->mask[i / 8] >> (i % 8) & 1) == 0) {
            continue;
        }
        if (comma) {
            skr_strbuf_addc(out, ',');
        }
        comma = true;
        skr_strbuf_add_json(out, c->node);
        skr_strbuf_add(out, ":{\"Pods\":[");
        for (size_t k = 0; k < c->n_uids; k++) {
            skr_strbuf_add(out, k == 0 ? "{\"UID\":" : ",{\"UID\":");
            skr_strbuf_add_json(out, c->uid[k]);
            skr_strbuf_addc(out, '}');
        }
        skr_strbuf_add(out, "],\"NumPDBViolations\":");
        skr_strbuf_add_int(out, args->pdb_violations[i]);
        skr_strbuf_addc(out, '}');
    }
    skr_strbuf_add(out, "}}");
}

/* Whether the answer is one of the verb's and covers the request. */
static bool fits(const struct skr_answer *answer, const struct skr_verb_args *args)
{
    switch (answer->kind) {
    case SKR_ANSWER_ERROR:
        return true;
    case SKR_ANSWER_FILTER_ALL:
    case SKR_ANSWER_FILTER_NONE:
        return args->verb == SKR_VERB_FILTER;
    case SKR_ANSWER_FILTER_ONE:
        return args->verb == SKR_VERB_FILTER && answer->index < args->n_nodes;
    case SKR_ANSWER_FILTER_MASK:
        return args->verb == SKR_VERB_FILTER && answer->n == args->n_nodes;
    case SKR_ANSWER_SCORES:
        return args->verb == SKR_VERB_PRIORITIZE && answer->n == args->n_nodes;
    case SKR_ANSWER_PREEMPT_MASK:
        return args->verb == SKR_VERB_PREEMPT && answer->n == args->n_candidates;
    case SKR_ANSWER_BOUND:
        return args->verb == SKR_VERB_BIND;
    case SKR_ANSWER_EXPLANATION:
    case SKR_ANSWER_KIND_COUNT:
    default:
        return false;
    }
}

bool skr_answer_write(struct skr_strbuf *out, const struct skr_answer *answer,
                      const struct skr_verb_args *args)
{
    if (!fits(answer, args)) {
        skr_answer_write_error(out, args->verb, SKR_TEXT_NOT_READY);
        return false;
    }
    if (answer->kind == SKR_ANSWER_ERROR) {
        skr_answer_write_error(out, args->verb, answer->text);
    } else if (args->verb == SKR_VERB_FILTER) {
        write_filter(out, answer, args);
    } else if (args->verb == SKR_VERB_PRIORITIZE) {
        write_scores(out, answer, args);
    } else if (args->verb == SKR_VERB_PREEMPT) {
        write_victims(out, answer, args);
    } else {
        skr_strbuf_add(out, "{\"Error\":\"\"}");
    }
    return true;
}
