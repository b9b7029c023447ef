/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_KUEUE_H
#define SKR_CORE_GROUP_KUEUE_H
/*
 * Objects of Kueue that an AdmissionCheck controller reads (kueue.x-k8s.io/v1beta2):
 *
 *   Workload        what Kueue admits: pod sets, each a pod template and a number of pods. Between
 *                   the reservation of its quota and its admission it waits for its checks.
 *   AdmissionCheck  names the controller that answers it
 *   ResourceFlavor  labels and tolerations that pods of the flavor get
 *
 * Immutable; one arena each. Templates are large: a Workload has pod sets only while it waits.
 *
 * Source: Kueue v0.15, apis/kueue/v1beta2/workload_types.go, admissioncheck_types.go,
 * resourceflavor_types.go; pkg/workload/admissionchecks.go.
 */
#include "topology/object.h"

enum {
    SKR_KUEUE_CHECKS_MAX = 64,   /* of one Workload */
    SKR_KUEUE_POD_SETS_MAX = 64, /* Kueue has 8 */
    SKR_KUEUE_FLAVORS_MAX = 64,  /* of one pod set */
    SKR_KUEUE_CONDITIONS_MAX = 64,
};

enum skr_kueue_state {
    SKR_KUEUE_PENDING,
    SKR_KUEUE_READY,
    SKR_KUEUE_RETRY,
    SKR_KUEUE_REJECTED,
    SKR_KUEUE_STATE_COUNT
};

struct skr_kueue_check {
    const char *name; /* of the AdmissionCheck */
    enum skr_kueue_state state;
    int32_t retries; /* answers Retry in a row, counted by Kueue */
};

struct skr_kueue_pod_set {
    const char *name;
    const char *template; /* JSON of a PodTemplateSpec */
    int32_t count;        /* that the quota is reserved for */
    bool placed;          /* Kueue has chosen the nodes by a topology of its own */
    size_t n_flavors;
    const char **flavor; /* names, none twice */
};

struct skr_kueue_workload {
    struct skr_arena *arena;
    struct skr_meta meta;
    bool waits;    /* for checks: quota is reserved; not admitted, evicted, finished, inactive */
    bool reserved; /* quota is reserved or used */
    const char *owner_kind; /* of its controller, else of its first owner; "" none */
    const char *owner;
    int32_t priority;
    size_t n_checks;
    struct skr_kueue_check *check;
    const char *checks; /* JSON of status.admissionChecks; "[]" none */
    size_t n_pod_sets;  /* 0 unless it waits */
    struct skr_kueue_pod_set *pod_set;
};

struct skr_admission_check {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *controller; /* spec.controllerName */
    bool active;            /* condition Active is True */
};

struct skr_kueue_flavor {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *labels;      /* JSON of spec.nodeLabels; "{}" none */
    const char *tolerations; /* JSON of spec.tolerations; "[]" none */
};

extern const char *const skr_kueue_state_name[]; /* "Pending" */
/* Errors: SKR_INVALID with the path of the field, SKR_LIMIT. */
int skr_kueue_workload_decode(const json_t *json, struct skr_kueue_workload **ret,
                              struct skr_error *error);
void skr_kueue_workload_destroy(struct skr_kueue_workload *workload); /* NULL allowed */
int skr_admission_check_decode(const json_t *json, struct skr_admission_check **ret,
                               struct skr_error *error);
void skr_admission_check_destroy(struct skr_admission_check *check); /* NULL allowed */
int skr_kueue_flavor_decode(const json_t *json, struct skr_kueue_flavor **ret,
                            struct skr_error *error);
void skr_kueue_flavor_destroy(struct skr_kueue_flavor *flavor); /* NULL allowed */

#endif
