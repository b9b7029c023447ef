/* SPDX-License-Identifier: Apache-2.0 */
/* What solves add to the metrics of the gang scheduler. */
#include "server/daemon/gang_metrics.h"

#include "core/solver/solution.h"
#include "server/clock.h"
#include "server/http/metrics.h"
#include "test/test.h"

TEST(solves_of_roles_are_counted_by_how_far_they_are_proven)
{
    struct skr_clock clock;
    SKR_STRBUF(out);
    skr_clock_init(&clock);
    struct skr_metrics *registry = skr_metrics_create();
    struct skr_gang_metrics *metrics = skr_gang_metrics_create(registry, &clock);
    const struct skr_solution best = {.status = SKR_SOLVE_PLACED, .optimal = true};
    const struct skr_solution any = {.status = SKR_SOLVE_PLACED};
    const struct skr_solution none = {.status = SKR_SOLVE_INFEASIBLE};
    const struct skr_solution late = {.status = SKR_SOLVE_TIMEOUT};
    skr_gang_metrics_solved(metrics, &best, true, 1);
    skr_gang_metrics_solved(metrics, &none, true, 1);
    skr_gang_metrics_solved(metrics, &any, true, 1);
    skr_gang_metrics_solved(metrics, &late, true, 1);
    skr_gang_metrics_solved(metrics, &best, false, 1);
    skr_metrics_write(registry, &out);
    assert_non_null(strstr(out.s, "sakkara_solver_roles_total{result=\"exact\"} 2\n"));
    assert_non_null(strstr(out.s, "sakkara_solver_roles_total{result=\"fallback\"} 1\n"));
    assert_non_null(strstr(out.s, "sakkara_solver_roles_total{result=\"undecided\"} 1\n"));
    skr_metrics_destroy(registry);
    skr_gang_metrics_destroy(metrics);
}
