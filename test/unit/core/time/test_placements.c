/* SPDX-License-Identifier: Apache-2.0 */
/* All placements of a group, the best first. Which is the best: test/property/test_moves.c. */
#include "core/time/placements.h"
#include "test/test.h"
#include "test/unit/solver_rig.h"

/* Two members on two racks of two nodes, a member each; of a rack only one under the rule. */
TEST(placements_are_those_that_obey_rules_over_domains)
{
    static const int32_t rack[] = {0, 0, 1, 1};
    static const uint16_t resource[] = {3, 4};
    static const struct skr_domain_rule rule = {
        .kind = SKR_DOMAIN_MOST, .n_domains = 2, .domain = rack, .most = 1};
    for (size_t n_rules = 0; n_rules < 2; n_rules++) {
        struct solver_rig rig;
        solver_rig_init(&rig, "(1,1) (1,1)", 2);
        rig.problem.domain_rule = &rule;
        rig.problem.n_domain_rules = n_rules;
        const struct skr_start_question question = {.problem = &rig.problem,
                                                    .resource = resource,
                                                    .holds = SKR_INSTANT_NEVER,
                                                    .cut = SKR_INSTANT_NEVER};
        struct skr_timeline *timeline = skr_timeline_create(4, 100);
        struct skr_solver_cache *cache = skr_solver_cache_create(1 << 20);
        struct skr_placements *list = skr_placements_create(timeline, &question, cache, 100);
        const struct skr_solution *solution;
        int64_t steps = 1000;
        int n = 0;
        bool all;
        while (skr_placements_next(list, &steps, &solution, &all, NULL) == 0 && solution) {
            assert_true(n_rules == 0 || solution->count[0] + solution->count[1] == 1);
            n++;
        }
        assert_int_equal(n, n_rules == 0 ? 6 : 4);
        assert_true(all);
        skr_placements_destroy(list);
        skr_solver_cache_destroy(cache);
        skr_timeline_destroy(timeline);
        solver_rig_fini(&rig, NULL);
    }
}
