/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_POD_POD_H
#define SKR_CORE_POD_POD_H
/*
 * A pod as the scheduler sees it, decoded from the API. Immutable, one arena per pod, but for the
 * few fields that the engine overlays after its own acknowledged writes (it replaces the whole
 * object then, see skr_pod_overlay).
 *
 * The shape is what decides where a pod may run and what it asks for. Pods of one template have
 * equal shapes (equal bytes in shape.key), so that masks and demands are kept once a shape.
 */
#include "core/pod/index.h"
#include "core/pod/requirement.h"
#include "topology/object.h"

#define SKR_GATE              "sakkara.gang"
#define SKR_LABEL_GROUP       "sakkara.group.name"
#define SKR_LABEL_POD_GROUP   "scheduling.x-k8s.io/pod-group"
#define SKR_LABEL_STATUS      "sakkara.member.status"
#define SKR_LABEL_RETRIES     "sakkara.member.retries"
#define SKR_LABEL_RANK        "sakkara.member.rank"
#define SKR_LABEL_ROLE        "sakkara.member.role"
#define SKR_LABEL_PLAN        "sakkara.member.plan"
#define SKR_LABEL_PREEMPTIBLE "sakkara.preemptible"
#define SKR_LABEL_GROUP_SIZE  "sakkara.group.size"
#define SKR_LABEL_CONSTRAINT  "sakkara.group.constraint."
#define SKR_ANNOTATION_PLAN   "sakkara.plan"
#define SKR_ANNOTATION_MEMBER "sakkara.member.group" /* of a bound pod: cache/entry.h */
/* The plan of the whole gang, on members whose Bindings brought it (core/gang/plan/member_record.h). */
#define SKR_ANNOTATION_GANG_PLAN "sakkara.gang.plan"

/* A pod beyond these is refused with SKR_LIMIT: what a hostile pod can make us compare per node. */
enum {
    SKR_POD_CONTAINERS_MAX = 1024,   /* containers; init containers likewise */
    SKR_POD_RESOURCES_MAX = 256,     /* distinct resource names of one pod */
    SKR_POD_VOLUMES_MAX = 16384,     /* volumes; resource claims likewise */
    SKR_POD_LISTS_MAX = 4096,        /* gates, owners, conditions: each */
    SKR_POD_SELECTOR_MAX = 1024,     /* nodeSelector entries */
    SKR_POD_TERMS_MAX = 256,         /* required node affinity */
    SKR_POD_REQUIREMENTS_MAX = 1024, /* of all terms together */
    SKR_POD_VALUES_MAX = 16384,      /* of all requirements together */
    SKR_POD_TOLERATIONS_MAX = 1024,
    SKR_POD_RULES_MAX = 256, /* about other pods: host ports, terms and constraints together */
    /* Of these, without ports, with their requirements; and terms of affinity: those beyond are left to kube-scheduler,
     * since each is compared with all pods of the cluster. */
    SKR_POD_RULES_PARTS_MAX = 64,
    SKR_POD_AFFINITIES_MAX = 8,
    SKR_POD_MESSAGE_MAX = 1024, /* bytes kept of the PodScheduled condition's message */
    SKR_POD_CLAIMS_MAX = 64,    /* claims kept; kube-scheduler alone looks at those beyond */
};

enum skr_pod_phase {
    SKR_POD_PENDING,
    SKR_POD_RUNNING,
    SKR_POD_SUCCEEDED,
    SKR_POD_FAILED,
    SKR_POD_UNKNOWN,
    SKR_POD_PHASE_COUNT
};

/* LT and GT compare decimal integers (feature TaintTolerationComparisonOperators): they tolerate a
 * taint whose value is less or greater than their own. */
enum skr_toleration_operator {
    SKR_TOLERATION_EQUAL,
    SKR_TOLERATION_EXISTS,
    SKR_TOLERATION_LT,
    SKR_TOLERATION_GT,
    SKR_TOLERATION_OPERATOR_COUNT
};

struct skr_toleration {
    const char *key; /* "": every key */
    const char *value;
    enum skr_toleration_operator op;
    bool any_effect;
    enum skr_taint_effect effect;
};
bool skr_toleration_tolerates(const struct skr_toleration *t, const struct skr_taint *taint);

/* Requirements are ANDed; a term without any matches nothing (the decoder leaves such terms out,
 * and those that kube-scheduler cannot parse, which match nothing either). Values are sorted. */
struct skr_selector_term {
    size_t n;
    struct skr_selector_requirement *requirement;
};

/* What a pod says about other pods; core/pod/rules.h. */
enum skr_pod_rule_kind {
    SKR_POD_RULE_HOST_PORT,
    SKR_POD_RULE_ANTI_AFFINITY,
    SKR_POD_RULE_AFFINITY,
    SKR_POD_RULE_SPREAD,
    SKR_POD_RULE_KIND_COUNT
};
/* Requirements on labels, ANDed; none: everything. */
struct skr_pod_selector {
    bool nothing; /* no selector at all, or one that nothing can match */
    size_t n_requirements;
    struct skr_selector_requirement *requirement;
};
struct skr_pod_rule {
    enum skr_pod_rule_kind kind;
    const char *topology_key; /* a node label; "" for host ports */
    struct skr_pod_selector pods;
    /* Which namespaces: those named, and those selected by their labels. */
    size_t n_namespaces;
    const char **namespaces;
    struct skr_pod_selector by_labels;
    /* by_labels asks for more than names, or the rule is beyond SKR_POD_RULES_PARTS_MAX: what it selects is not
     * known. */
    bool unknown_namespaces;
    int32_t max_skew;      /* SPREAD: >= 1 */
    int32_t min_domains;   /* SPREAD: 0 unset */
    bool ignores_affinity; /* SPREAD: nodeAffinityPolicy Ignore: nodes the pod excludes count too */
    bool honors_taints;    /* SPREAD: nodeTaintsPolicy Honor: nodes it does not tolerate do not */
    int32_t port;          /* HOST_PORT */
    const char *protocol;  /* HOST_PORT: "TCP" */
    const char *address;   /* HOST_PORT: "" all */
};

struct skr_pod_shape {
    const char *key; /* canonical text of all fields below, and of templates of claims */
    /* As kube-scheduler computes it (k8s.io/component-helpers resource.PodRequests): max(sum of
     * containers + sidecars, init containers)
     * + overhead, pod-level resources where set; plus "pods": 1. Sorted by name. */
    struct skr_quantities requests;
    struct skr_labels node_selector;
    bool has_affinity; /* required node affinity present: terms are ORed; present without terms
                          matches nothing */
    size_t n_terms;
    struct skr_selector_term *term;
    size_t n_tolerations;
    struct skr_toleration *toleration; /* sorted, none twice */
    size_t n_rules;
    struct skr_pod_rule *rule;
    bool late_capacity; /* uses PVCs or resource claims: kube-scheduler may take long between filter
                           and bind */
};

/* Objects of its namespace that a pod names. kube-scheduler takes no pod for which one is missing. */
enum skr_pod_claim_kind {
    SKR_POD_CLAIM_VOLUME,   /* PersistentVolumeClaim */
    SKR_POD_CLAIM_DEVICES,  /* ResourceClaim */
    SKR_POD_CLAIM_TEMPLATE, /* ResourceClaimTemplate of which no claim was made yet */
    SKR_POD_CLAIM_KIND_COUNT
};
struct skr_pod_claim {
    enum skr_pod_claim_kind kind;
    const char *name;
    bool made; /* DEVICES: of a template; it exists, or did */
};

enum { SKR_POD_GRACE_S = 30 }; /* the API server's default */

struct skr_pod_share;

struct skr_pod {
    struct skr_arena *arena;
    struct skr_pod_share *of_shape;  /* memory of shape and scheduler_name */
    struct skr_pod_share *of_labels; /* memory of labels and owner; NULL: they are in the arena */
    struct skr_meta meta; /* labels: all, because the rules of other pods select by them */
    const char *scheduler_name;
    const char *node_name;        /* "" while unbound */
    const char *nominated_node;   /* "" when none */
    const char *controller_uid;   /* ownerReference with controller: true; "" for a bare pod */
    const char *controller;       /* that owner as "Kind.group/name", "Kind/name" in the core group;
                                   "" for a bare pod */
    const char *scheduling_group; /* spec.schedulingGroup.podGroupName; "" when absent */
    enum skr_pod_phase phase;
    int32_t priority;   /* 0 when absent */
    int32_t grace_s;    /* spec.terminationGracePeriodSeconds, 0 to INT32_MAX; 30 when absent */
    int32_t deadline_s; /* spec.activeDeadlineSeconds, 1 to INT32_MAX; 0 when absent */
    skr_time started;   /* status.startTime; 0: not yet */
    int32_t index[SKR_POD_INDEX_COUNT]; /* that its controller gave it; -1 none */
    bool has_priority;
    bool preempts_never;           /* spec.preemptionPolicy is Never */
    bool gate;                     /* carries SKR_GATE */
    bool foreign_gate;             /* carries another gate */
    const char *foreign_gate_name; /* the first other gate; "" when there is none */
    bool of_job;                   /* its controller is a Job */
    bool rooted;                   /* of a DaemonSet, or static: it comes back where it was */
    const char *scheduled_reason;  /* condition PodScheduled=False; "" else */
    const char *scheduled_message; /* likewise, cut at 1024 bytes */
    const char *failed_reason;     /* status.reason, e.g. OutOfcpu */
    skr_time bound_at;             /* of a pod with scheduling_group; 0: not bound, or unknown */
    size_t n_claims;               /* once it is bound: of volumes alone */
    const struct skr_pod_claim *claim;
    const struct skr_pod_shape *shape; /* of of_shape */
};

/* Borrows json. shapes: where pods of one template find what they share (shapes.h); NULL: this pod shares
 * nothing. The pod is the same with and without. Errors: SKR_INVALID with the path of the field, SKR_LIMIT.
 * Cost O(size). */
struct skr_pod_shapes;
int skr_pod_read(struct skr_pod_shapes *shapes, const struct skr_json *json, struct skr_pod **ret,
                 struct skr_error *error);
/* The same of a tree. */
int skr_pod_decode_shared(struct skr_pod_shapes *shapes, const json_t *json, struct skr_pod **ret,
                          struct skr_error *error);
/* The same without shapes. */
int skr_pod_decode(const json_t *json, struct skr_pod **ret, struct skr_error *error);
void skr_pod_destroy(struct skr_pod *pod); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_pod, skr_pod_destroy)
bool skr_pod_is_live(const struct skr_pod *pod); /* not terminating, not Succeeded, not Failed */

/* A copy of pod with changes of our own applied, as the API server has acknowledged them. Fields
 * NULL: unchanged; "" removes a label or annotation or clears the nomination. */
struct skr_pod_overlay {
    uint64_t resource_version; /* 0: unchanged */
    const char *node_name;
    const char *nominated_node;
    bool drop_gate;
    int32_t deadline_s; /* 0: unchanged */
    size_t n_labels;
    const struct skr_label *label;
    const char *plan_annotation;
    const char *gang_plan_annotation;
    const char *member_annotation;
};
struct skr_pod *skr_pod_overlay(const struct skr_pod *pod, const struct skr_pod_overlay *overlay);

/* ---- eligibility of a node for a shape (our own checks, plugin by plugin as kube-scheduler's)
 * ---- */
enum skr_ineligible {
    SKR_ELIGIBLE,
    SKR_INELIGIBLE_UNSCHEDULABLE, /* cordoned; tolerated by the taint
                                     node.kubernetes.io/unschedulable */
    SKR_INELIGIBLE_TAINT,         /* NoSchedule or NoExecute not tolerated */
    SKR_INELIGIBLE_SELECTOR,      /* nodeSelector or required node affinity */
    SKR_INELIGIBLE_COUNT
};
enum skr_ineligible skr_pod_shape_check_node(const struct skr_pod_shape *shape,
                                             const struct skr_node *node);
/* What the first of these checks that fails is about: "t=v:NoSchedule" of the taint, "disk=x" of the
 * nodeSelector, "disk" of the first requirement of the node affinity that does not match, "cordoned";
 * appended. Nothing for an eligible node. */
void skr_pod_shape_say_ineligible(const struct skr_pod_shape *shape, const struct skr_node *node,
                                  struct skr_strbuf *b);
/* Two of these checks alone: nodeSelector and required node affinity; taints NoSchedule and
 * NoExecute. */
bool skr_pod_shape_selects_node(const struct skr_pod_shape *shape, const struct skr_node *node);
bool skr_pod_shape_tolerates_node(const struct skr_pod_shape *shape, const struct skr_node *node);

#endif
