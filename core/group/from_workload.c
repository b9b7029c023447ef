/* SPDX-License-Identifier: Apache-2.0 */
/* Group specs of derived groups: the size from the workload, the rest from annotations. */
#include "core/group/lint.h"
#include "core/pod/pod.h"

int skr_group_claimed_size(const struct skr_labels *annotations, int32_t *ret,
                           struct skr_error *error)
{
    const char *size = skr_labels_get(annotations, SKR_LABEL_GROUP_SIZE);
    *ret = 0;
    return size ? skr_group_size_parse((struct skr_subject){.key = SKR_LABEL_GROUP_SIZE}, size, ret,
                                       error)
                : 0;
}

struct skr_group_asked skr_group_asked_of(const struct skr_labels *annotations)
{
    return (struct skr_group_asked){
        .constraints_key = SKR_GROUP_CONSTRAINTS,
        .constraints = skr_labels_get(annotations, SKR_GROUP_CONSTRAINTS),
        .within_key = SKR_GROUP_WITHIN,
        .within = skr_labels_get(annotations, SKR_GROUP_WITHIN),
        .own = annotations,
    };
}

static int add_rules(struct skr_group_spec *spec, const struct skr_group_asked *asked,
                     struct skr_error *error)
{
    int rc = skr_group_run_parse(spec, SKR_GROUP_PREFIX, asked->own, error);
    rc = rc < 0 ? rc
                : skr_group_elastic_parse(spec, SKR_GROUP_PREFIX, asked->own, asked->fewer, error);
    if (rc == 0 && asked->constraints) {
        rc =
            skr_group_spec_add_constraints(spec, asked->constraints_key, asked->constraints, error);
    }
    if (rc == 0 && asked->within) {
        rc = skr_group_spec_set_within(spec, (struct skr_subject){.key = asked->within_key},
                                       asked->within, error);
    }
    if (rc == 0 && asked->unknown) {
        skr_group_warn(spec, "UnknownLevel", (struct skr_subject){.key = asked->unknown_key}, "%s",
                       asked->unknown);
    }
    return rc;
}

int skr_group_spec_from_workload(const char *name, int64_t minimum, int32_t priority,
                                 const struct skr_group_asked *asked, struct skr_group_spec **ret,
                                 struct skr_error *error)
{
    if (minimum > SKR_GROUP_SIZE_MAX) {
        return skr_error_set(error, SKR_LIMIT, "%s has %lld members, a group has at most %d", name,
                             (long long)minimum, (int)SKR_GROUP_SIZE_MAX);
    }
    struct skr_group_spec *spec = skr_group_spec_create(name, error);
    if (!spec) {
        return -SKR_NO_MEMORY;
    }
    spec->size = (int32_t)minimum;
    spec->open = true;
    spec->priority = priority;
    spec->defects = asked->defects;
    const int rc = add_rules(spec, asked, error);
    spec->defects = NULL;
    if (rc < 0) {
        skr_group_spec_destroy(spec);
        return rc;
    }
    *ret = spec;
    return 0;
}
