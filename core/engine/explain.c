/* SPDX-License-Identifier: Apache-2.0 */
/* The one sentence that says why a group is not placed: the same in the map's message, the Event
 * and the log. Numbers come from the solver's proof and are always need and have. */
#include "core/engine/state.h"

/* "in one rack" or "in 2 racks": what the rule of the deciding level asks for; false when it is
 * another kind of rule. */
static bool say_domains(const struct skr_rule *rule, const char *level, struct skr_strbuf *b)
{
    if (rule->hard && rule->type == SKR_RULE_PACK)
        skr_strbuf_addf(b, " in one %s", level);
    else if (!rule->hard && rule->partitions == 1)
        skr_strbuf_addf(b, " in one %s", level);
    else if (!rule->hard && rule->partitions > 1)
        skr_strbuf_addf(b, " in %d %ss", rule->partitions, level);
    else
        return false;
    return true;
}

static void placement_failed(const struct skr_engine *e, const struct group *g,
                             const struct skr_explanation *x, int32_t n, struct skr_strbuf *b)
{
    struct skr_rule rule[SKR_LEVELS_MAX];
    skr_strbuf_addf(b, "needs %d slots", n);
    bool told = false;
    if (x->n_bottlenecks > 0 && x->level > 0 && e->tree && x->level <= e->tree->n_levels) {
        const char *level = e->tree->level_name[x->level];
        int32_t best = 0;
        for (size_t i = 0; i < x->n_bottlenecks; i++)
            best = x->bottleneck[i].fits > best ? x->bottleneck[i].fits : best;
        skr_group_rules(g->spec, e->tree, rule, NULL);
        told = say_domains(&rule[x->level - 1], level, b);
        if (told)
            skr_strbuf_addf(b, ", best %s has %d", level, best);
    }
    if (!told)
        skr_strbuf_addf(b, ", its rules leave room for %d", x->largest);
}

void explain_sentence(const struct skr_engine *e, const struct group *g,
                      const struct skr_explanation *x, int32_t n, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "group %s ", g->name);
    switch (x->class) {
    case SKR_CLASS_CONSTRAINT_CONFLICT:
        skr_strbuf_addf(b,
                        "has rules that no placement of %d members meets on this tree, whatever "
                        "the capacity; at most %d can be placed",
                        n, x->largest);
        break;
    case SKR_CLASS_NEVER_FITS:
        skr_strbuf_addf(b,
                        "needs %d slots, more than an empty cluster has under its rules; %d fit "
                        "now",
                        n, x->largest);
        break;
    case SKR_CLASS_WAITING_FOR_CAPACITY:
        skr_strbuf_addf(b, "needs %d slots, %lld are free on eligible nodes", n,
                        (long long)x->sum_fits);
        break;
    case SKR_CLASS_NONE:
    case SKR_CLASS_PLACEMENT_FAILED:
    case SKR_INFEASIBLE_CLASS_COUNT:
    default:
        placement_failed(e, g, x, n, b);
        break;
    }
}
