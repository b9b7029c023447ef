/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of the settings, as docs/reference.md lists them. */
#include "core/gang/state/settings.h"

#include "core/group/workload.h"

void skr_settings_default(struct skr_settings *settings)
{
    *settings = (struct skr_settings){
        .topology_namespace = "default",
        .priority_max = SKR_PRIORITY_MAX_DEFAULT,
        .priority_trusted = "",
        .groups_max = SKR_GROUPS_MAX_DEFAULT,
        .n_scheduler_names = 2,
        .scheduler_name = {"sakkara", "sakkara-scheduler"},
        .derive_kinds = 1u << SKR_WORKLOAD_LWS | 1u << SKR_WORKLOAD_JOBSET |
                        1u << SKR_WORKLOAD_MPIJOB | 1u << SKR_WORKLOAD_KUBEFLOW |
                        1u << SKR_WORKLOAD_RAYCLUSTER | 1u << SKR_WORKLOAD_KUEUE,
        .preemption = true,
        .explain_waiting = true,
        .evict_overrun = true,
        .preempt_force_after = SKR_TIME_NEVER,
        .plan_timeout = 300 * SKR_SECOND,
        .plan_delay = 50 * SKR_MILLISECOND,
        .seat_hold = 60 * SKR_SECOND,
        .seat_hold_max = 600 * SKR_SECOND,
        .tie_break = SKR_TIE_TREE,
        .release_gate_after = SKR_TIME_NEVER,
        .provisioning_class = "",
        .forecasts = 64,
        .patience = SKR_TIME_NEVER,
        .fail_after = 30 * SKR_SECOND,
        .moves_mode = SKR_MOVES_MODE_OFF,
        .move_after = 600 * SKR_SECOND,
        .moves_most = 2,
        .spare = "",
        .bind_timeout = 330 * SKR_SECOND,
        .instance = "sakkara",
    };
}

skr_time skr_settings_victims_wait(const struct skr_settings *settings)
{
    const skr_time force = settings->preempt_force_after;
    const skr_time wait =
        force != SKR_TIME_NEVER && force > settings->plan_timeout ? force : settings->plan_timeout;
    return wait + SKR_VICTIM_LATE_S * SKR_SECOND;
}
