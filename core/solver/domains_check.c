/* SPDX-License-Identifier: Apache-2.0 */
/* Checker of rules over domains, straight from their meaning in domains.h. It shares nothing with
 * the search that obeys them. Linear in leaves and domains. */
#include <inttypes.h>

#include "core/solver/domains.h"
#include "core/solver/each_role.h"
#include "topology/base/arena.h"

/* Members of the roles (0: all) on a leaf; with claims those of them that are there already. */
static int64_t members_on(const struct skr_problem *problem, uint32_t of, const int32_t *count,
                          int32_t leaf, int64_t *ret_claims)
{
    int64_t sum = 0;
    *ret_claims = 0;
    for (size_t r = 0; r < skr_problem_n_roles(problem); r++) {
        if (of == 0 || (of >> r & 1) != 0) {
            const struct skr_role role = skr_problem_role(problem, r);
            sum += count[r * (size_t)problem->tree->n_leaves + (size_t)leaf];
            *ret_claims += skr_role_claimed(&role, leaf);
        }
    }
    return sum;
}

static int check_rule(const struct skr_problem *problem, const struct skr_domain_rule *rule,
                      size_t r, const int32_t *count, struct skr_arena *arena,
                      struct skr_error *error)
{
    size_t n = (size_t)rule->n_domains + 1;
    int64_t *total = skr_arena_array(arena, n, sizeof *total);
    int64_t *new = skr_arena_array(arena, n, sizeof *new);
    int64_t *against = skr_arena_array(arena, n, sizeof *against);
    if (!total || !new || !against) {
        return skr_error_set(error, SKR_NO_MEMORY, "domains check: out of memory");
    }
    int64_t used = 0;
    for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
        int32_t domain = rule->domain[leaf];
        int64_t claims = 0;
        int64_t members = members_on(problem, rule->roles, count, leaf, &claims);
        int64_t added = members - claims;
        if (domain >= 0) {
            total[domain] += members;
            new[domain] += added;
            if (rule->against != 0) {
                const int64_t others = members_on(problem, rule->against, count, leaf, &claims);
                against[domain] += others;
                new[domain] += others - claims;
            }
        } else if (added > 0 && skr_domain_rule_closes(rule)) {
            return skr_error_set(error, SKR_INVALID, "rule %zu: leaf %" PRId32 " is in no domain",
                                 r, leaf);
        }
    }
    int64_t least = INT64_MAX;
    for (int32_t d = 0; d < rule->n_domains; d++) {
        total[d] += rule->kind == SKR_DOMAIN_SKEW && rule->others ? rule->others[d] : 0;
        least = total[d] < least ? total[d] : least;
        used += total[d] > 0 ? 1 : 0;
    }
    least = rule->n_domains >= rule->min_domains ? least : 0;
    for (int32_t d = 0; d < rule->n_domains; d++) {
        bool broken = false;
        const bool over = rule->against == 0 ? total[d] > skr_domain_rule_most(rule, d)
                                             : total[d] > 0 && against[d] > 0;
        broken |= rule->kind == SKR_DOMAIN_MOST && new[d] > 0 && over;
        broken |= rule->kind == SKR_DOMAIN_ONE && used > 1;
        broken |= rule->kind == SKR_DOMAIN_SKEW && new[d] > 0 && total[d] > least + rule->max_skew;
        broken |= rule->kind == SKR_DOMAIN_LEAST && new[d] < rule->least[d];
        if (broken) {
            return skr_error_set(error, SKR_INVALID, "rule %zu: domain %" PRId32 " holds %" PRId64,
                                 r, d, total[d]);
        }
    }
    return 0;
}

int skr_domains_check(const struct skr_problem *problem, const int32_t *count,
                      struct skr_error *error)
{
    const struct skr_domain_rule *rule = problem->domain_rule;
    int rc = 0;
    for (size_t r = 0; r < problem->n_domain_rules && rc == 0; r++) {
        struct skr_arena *arena = skr_arena_create(SKR_SOLVER_BYTES_MAX, 0);
        rc = arena ? check_rule(problem, &rule[r], r, count, arena, error)
                   : skr_error_set(error, SKR_NO_MEMORY, "domains check: out of memory");
        skr_arena_destroy(arena);
    }
    return rc;
}
