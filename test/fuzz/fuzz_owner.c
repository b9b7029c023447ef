/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workloads whose pods are gangs: the first byte chooses the kind, the first part is the object, the
 * second a pod that says it is of one. What decodes is the same again, says one size under every scope,
 * within the limits, and what the pod says names a group.
 */
#include "core/group/owner.h"
#include "core/pod/pod.h"
#include "test/fuzz/fuzz.h"

typedef int decode(const json_t *, struct skr_owner **, struct skr_error *);

static decode *const decoders[] = {
    skr_owner_job_decode,    skr_owner_statefulset_decode, skr_owner_jobset_decode,
    skr_owner_lws_decode,    skr_owner_mpijob_decode,      skr_owner_pytorchjob_decode,
    skr_owner_tfjob_decode,  skr_owner_xgboostjob_decode,  skr_owner_paddlejob_decode,
    skr_owner_jaxjob_decode, skr_owner_raycluster_decode,  skr_owner_spark_decode,
};
enum { KINDS = sizeof decoders / sizeof decoders[0] };

static json_t *load(const char *text)
{
    return json_loads(text, JSON_DECODE_ANY, NULL);
}

static void check_sizes(const struct skr_owner *owner, const struct skr_workload *w)
{
    for (int scope = 0; scope < SKR_SCOPE_COUNT; scope++) {
        const int64_t least = skr_owner_minimum(owner, w, (enum skr_workload_scope)scope, false);
        const int64_t running = skr_owner_minimum(owner, w, (enum skr_workload_scope)scope, true);
        fuzz_check(least >= -1 && least <= INT32_MAX && running >= -1 && running <= INT32_MAX);
        fuzz_check(!owner || (least >= 0 && least <= (running > 1 ? running : INT32_MAX)));
    }
}

static void check_owner(const struct skr_owner *owner)
{
    SKR_STRBUF(field);
    fuzz_check(owner->n_parts <= SKR_OWNER_PARTS_MAX && owner->kind && owner->parts);
    for (size_t i = 0; i < owner->n_parts; i++) {
        fuzz_check(owner->part[i].name && owner->part[i].jobs >= 0 && owner->part[i].pods >= 0);
        skr_owner_size_field_add(owner, owner->part[i].name, &field);
    }
    skr_owner_size_field_add(owner, NULL, &field);
    fuzz_check(strstr(field.s, owner->kind));
}

/* The group that the pod would be of, under every scope; the owner may be another one. */
static void check_pod(const struct skr_pod *pod, const struct skr_owner *owner)
{
    struct skr_workload w;
    skr_workload_of(pod, &w);
    fuzz_check(w.kind < SKR_WORKLOAD_COUNT && w.owner && w.owner_kind && w.owner_uid && w.part);
    for (int scope = 0; scope < SKR_SCOPE_COUNT; scope++) {
        SKR_STRBUF(name);
        SKR_STRBUF(source);
        skr_workload_name_add(pod, &w, (enum skr_workload_scope)scope, &name);
        skr_workload_source_add(pod, &w, (enum skr_workload_scope)scope, &source);
        fuzz_check(strchr(name.s, '/') && source.len > 0);
    }
    SKR_STRBUF(generation);
    skr_workload_generation_add(pod, &w, "", &generation);
    fuzz_check(skr_workload_set(pod) >= -1);
    (void)skr_workload_role(pod);
    check_sizes(owner, &w);
    check_sizes(NULL, &w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[2] = {NULL, NULL};
    struct skr_error error;
    SKR_AUTO(skr_owner_destroy) struct skr_owner *owner = NULL, *again = NULL;
    struct skr_pod *pod = NULL;
    if (size == 0) {
        return 0;
    }
    char *text = fuzz_text(data + 1, size - 1);
    const size_t n = fuzz_split(text, part, 2);
    decode *const decode_it = decoders[data[0] % KINDS];
    json_auto_t *object = load(part[0]), *second = n > 1 ? load(part[1]) : NULL;
    if (object && decode_it(object, &owner, &error) == 0) {
        check_owner(owner);
        fuzz_check(decode_it(object, &again, &error) == 0 && skr_owner_equal(owner, again));
    }
    if (second && skr_pod_decode(second, &pod, &error) == 0) {
        check_pod(pod, owner);
    }
    skr_pod_destroy(pod);
    free(text);
    return 0;
}
