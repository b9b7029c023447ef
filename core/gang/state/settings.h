/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_SETTINGS_H
#define SKR_CORE_GANG_STATE_SETTINGS_H
/* Settings of the engine (docs/reference.md). Durations in ns (skr_time); borrowed strings outlive
 * the engine. */
#include "core/solver/solver.h"
#include "topology/base/hash.h"
#include "topology/label_levels.h"
#include "topology/object.h"

enum {
    SKR_SCHEDULER_NAMES_MAX = 16,
    SKR_VICTIM_LATE_S =
        30, /* a pod that terminates so long after its grace period does not leave */
};
#define SKR_GROUPS_MAX_DEFAULT   "*=10000" /* counted groups of any namespace */
#define SKR_PRIORITY_MAX_DEFAULT "*=1000"  /* of maps of any namespace */

/* Which devices of members without a plan are freed: device_holds.h. */
/* Whose order of devices is followed. */
enum skr_devices_order {
    SKR_DEVICES_ORDER_OF_SERVER, /* server_minor, as if kube-scheduler were as new */
    SKR_DEVICES_ORDER_1_36,
    SKR_DEVICES_ORDER_1_37
};

/* time.moves: whether groups move for one that waits. */
enum skr_moves_mode {
    SKR_MOVES_MODE_SHOW, /* only told */
    SKR_MOVES_MODE_OFF,
    SKR_MOVES_MODE_AUTO /* done */
};

enum skr_devices_release {
    SKR_DEVICES_ALL,
    SKR_DEVICES_FABRIC, /* of claims that several nodes reach */
    SKR_DEVICES_NONE,
};

struct skr_settings {
    struct skr_hash_seed hash_seed;              /* of names that users choose; default 0 */
    const char *topology_namespace;              /* default "default" */
    const struct skr_label_levels *label_levels; /* option topology; NULL: none */
    size_t n_scheduler_names;
    const char *scheduler_name[SKR_SCHEDULER_NAMES_MAX]; /* default sakkara, sakkara-scheduler */
    bool label_fallback;                                 /* false */
    const char *priority_max;     /* of maps, by namespace (namespace_limits.h); "": no bound */
    const char *priority_trusted; /* namespaces whose maps count in all others; default "" */
    /* derive.kinds: bits of enum skr_workload_kind, for namespaces that enter all their pods */
    uint32_t derive_kinds;
    bool derive_no_maps;          /* derive.statusObject: none; false: configmap */
    const char *groups_max;       /* counted groups, by namespace */
    bool heterogeneous_refuse;    /* false: the maximum is the demand */
    bool victims_labelled;        /* nonGroupVictims: labelled; false */
    bool preemption;              /* true */
    bool explain_waiting;         /* true: key ways of the objects of groups (ways_out.h) */
    skr_time preempt_force_after; /* SKR_TIME_NEVER: off */
    skr_time plan_timeout;        /* 5 min */
    skr_time plan_delay;          /* 50 ms */
    skr_time seat_hold;           /* 60 s; 0 off */
    skr_time seat_hold_max;       /* 10 min; of the setting and of the key of groups */
    bool rollback_partial;        /* onPartialBind: rollback; false: replace */
    enum skr_tie_break tie_break; /* tree */
    skr_time release_gate_after;  /* SKR_TIME_NEVER: off */
    /* of ProvisioningRequests; "": none are made */
    const char *provisioning_class;
    enum skr_devices_release devices_release; /* all */
    enum skr_devices_order devices_order;     /* devices.schedulerVersion; auto */
    int64_t devices_steps;                    /* devices.steps; 0: SKR_DEVICES_STEPS */
    bool devices_off;                         /* devices.mode: off; false */
    const struct skr_stopwatch *stopwatch;    /* of what devices cost; NULL: not measured */
    bool nothing_asks;   /* without kube-scheduler: members with claims do not wait for it; false */
    bool volumes_unread; /* claims of volumes are not read, so none is missing; false */
    int64_t reservations;           /* time.reservations; 0: off, and the default of the engine */
    int64_t forecasts;              /* time.forecasts: 64 */
    skr_time patience;              /* time.patience; SKR_TIME_NEVER: off */
    skr_time horizon;               /* time.horizon; 0: none, and the default of the engine */
    bool evict_overrun;             /* time.evictOverrun; true */
    skr_time fail_after;            /* time.failAfter: 30 s */
    enum skr_moves_mode moves_mode; /* time.moves; the default of the engine is off */
    skr_time move_after;            /* time.moveAfter: 10 min */
    int64_t moves_most;             /* time.movesMost: 2 */
    const char *spare;              /* time.spare (spare.h): "", none */
    /* It answers questions about time and decides nothing: reservations are not made; false. */
    bool on_paper;
    bool ends_of_all;      /* times of every pod on a node are cached: on paper, or with patience */
    bool admission_check;  /* kueue.admissionCheck; false */
    skr_time bind_timeout; /* 330 s; parked binds are answered 10 s earlier */
    int32_t utc_offset_s;  /* of times written for users */
    const char *instance;  /* reportingInstance of Events, e.g. the host name */
    int32_t server_minor;  /* minor version of the API server (1.N); 0: not known (yet) */
    uint32_t copies_max;   /* member_record.h; 0: SKR_BINDING_PLAN_COPIES */
    bool nominate_all;     /* also where kube-scheduler looks at every node (tests) */
    uint32_t sampling_nodes_min; /* sampling.h; 0: SKR_SAMPLING_NODES_MIN (tests) */
    bool plain_planning;         /* no cache between solves (tests): the same decisions, slower */
};

/* Of an engine alone: without reservations, moves and the release of gates. Those of the daemon, and
 * of all that plays one, are in skr_config_default(). */
void skr_settings_default(struct skr_settings *settings);
/* How long a plan waits for its victims after the last one that left: planTimeout, or the time after which
 * they are deleted if that is longer, and SKR_VICTIM_LATE_S. */
skr_time skr_settings_victims_wait(const struct skr_settings *settings);

#endif
