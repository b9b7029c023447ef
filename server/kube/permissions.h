/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_KUBE_PERMISSIONS_H
#define SKR_SERVER_KUBE_PERMISSIONS_H
/*
 * The permissions that the daemon's account needs, and the question to the API server whether it has
 * them (authorization.k8s.io/v1 SelfSubjectAccessReview, which every account may post).
 * manifests/install.yaml grants exactly those of the gang scheduler, and docs/reference.md lists
 * them. The other schedulers have roles in manifests/ocm, manifests/karmada and
 * spotmix-webhook.yaml.
 */
#include "server/kube/caller.h"
#include "topology/base/strbuf.h"

struct skr_permission {
    const char *group; /* "" core */
    const char *resource;
    const char *subresource; /* "" none */
    const char *verb;
    const char *namespace_; /* "" all */
    const char *name;       /* "" all */
    const char *purpose;    /* what does not work without it */
};

enum { SKR_PERMISSIONS_MAX = 192 };

/* The options that decide what is needed. The list borrows the strings. */
struct skr_permission_needs {
    bool rollback;              /* onPartialBind: rollback */
    bool provisioning;          /* provisioningClass is set */
    bool kueue;                 /* kueue.admissionCheck */
    bool force;                 /* preemptForceAfter */
    bool spotmix, ocm, karmada; /* enabled */
    const char *spotmix_name;   /* with spotmix: of its Secret and its webhook configuration */
    const char *estimators;     /* namespace of the Services of estimators; NULL: they are off */
    const char *own_namespace;  /* of the pod, and of the Lease */
    const char *lease;
    const char *scheduler_lease; /* NULL: not looked at */
};

/* Fills list (of SKR_PERMISSIONS_MAX) and returns how many. */
size_t skr_permissions_list(const struct skr_permission_needs *needs, struct skr_permission *list);

enum skr_permission_answer {
    SKR_PERMISSION_YES,
    SKR_PERMISSION_NO,
    SKR_PERMISSION_UNKNOWN, /* the API server did not say; error: why, SKR_NOT_FOUND: it never will,
                               SKR_DENIED: the caller may not ask */
};
/* A service account. */
struct skr_account {
    const char *namespace_, *name;
};
/* account NULL: whether the caller itself has the permission; else whether that account has it
 * (SubjectAccessReview, which takes the rights of an administrator). */
enum skr_permission_answer skr_permission_ask(struct skr_caller *caller,
                                              const struct skr_permission *permission,
                                              const struct skr_account *account,
                                              struct skr_error *error);

/* Whether the Lease of an installation may be in this namespace: whether its account of the name that
 * manifests/install.yaml gives may bind pods in all namespaces. A user with all rights in one namespace
 * cannot grant that, and an account that has it is of an installation. */
enum skr_permission_answer skr_permission_ask_installation(struct skr_caller *caller,
                                                           const char *namespace_, skr_time timeout,
                                                           struct skr_error *error);

/* "patch pods/status", "get leases.coordination.k8s.io/sakkara in namespace sakkara". */
void skr_permission_write(const struct skr_permission *permission, struct skr_strbuf *out);

#endif
