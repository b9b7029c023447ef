/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a pod that was read (read.c). A pod is never changed: skr_pod_overlay() makes another one. */
#include "core/pod/pod.h"

#include <stddef.h>
#include <string.h>

#include "core/pod/parts.h"
#include "core/pod/share.h"

struct skr_pod *skr_pod_create(size_t first)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, first);
    struct skr_pod *pod = arena ? skr_arena_alloc(arena, sizeof *pod) : NULL;
    if (!pod) {
        skr_arena_destroy(arena);
        return NULL;
    }
    pod->arena = arena;
    return pod;
}

void skr_pod_destroy(struct skr_pod *pod)
{
    if (pod) {
        skr_pod_share_unref(pod->of_shape);
        skr_pod_share_unref(pod->of_labels);
        skr_arena_destroy(pod->arena);
    }
}

bool skr_pod_is_live(const struct skr_pod *pod)
{
    return !pod->meta.deleting && pod->phase != SKR_POD_SUCCEEDED && pod->phase != SKR_POD_FAILED;
}

/* ---- overlay ---- */

/* The engine cannot go on without the copy: running on with a stale pod would be wrong. */
static const char *must_copy(struct skr_arena *arena, const char *s)
{
    const char *copy = skr_arena_strdup(arena, s);
    skr_bug_on(!copy);
    return copy;
}

/* Copies labels with the entries of change put in, or taken out where their value is "". */
static void merge_labels(struct skr_arena *arena, const struct skr_labels *labels,
                         const struct skr_label *change, size_t n_changes, struct skr_labels *ret)
{
    struct skr_label *item = skr_arena_array(arena, labels->n + n_changes, sizeof item[0]);
    skr_bug_on(!item);
    size_t n = labels->n;
    for (size_t i = 0; i < n; i++) {
        item[i] = labels->item[i];
    }
    for (size_t i = 0; i < n_changes; i++) {
        size_t at = 0;
        while (at < n && strcmp(item[at].key, change[i].key) < 0) {
            at++;
        }
        bool found = at < n && strcmp(item[at].key, change[i].key) == 0;
        bool remove = change[i].value[0] == '\0';
        if (found && remove) {
            memmove(&item[at], &item[at + 1], (n - at - 1) * sizeof item[0]);
            n--;
        } else if (found) {
            item[at] = change[i];
        } else if (!remove) {
            memmove(&item[at + 1], &item[at], (n - at) * sizeof item[0]);
            item[at] = change[i];
            n++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        item[i].key = must_copy(arena, item[i].key);
        item[i].value = must_copy(arena, item[i].value);
    }
    *ret = (struct skr_labels){.n = n, .item = item};
}

enum { OVERLAY_ANNOTATIONS = 3 };

/* Those that it changes; returns how many. */
static size_t annotations_of(const struct skr_pod_overlay *overlay,
                             struct skr_label ret[OVERLAY_ANNOTATIONS])
{
    const struct skr_label all[OVERLAY_ANNOTATIONS] = {
        {SKR_ANNOTATION_PLAN, overlay->plan_annotation},
        {SKR_ANNOTATION_GANG_PLAN, overlay->gang_plan_annotation},
        {SKR_ANNOTATION_MEMBER, overlay->member_annotation}};
    size_t n = 0;
    for (size_t i = 0; i < OVERLAY_ANNOTATIONS; i++) {
        if (all[i].value) {
            ret[n++] = all[i];
        }
    }
    return n;
}

static void copy_meta(const struct skr_pod *pod, const struct skr_pod_overlay *overlay,
                      struct skr_pod *copy)
{
    struct skr_label annotation[OVERLAY_ANNOTATIONS];
    const size_t n = annotations_of(overlay, annotation);
    copy->meta.namespace_ = must_copy(copy->arena, pod->meta.namespace_);
    copy->meta.name = must_copy(copy->arena, pod->meta.name);
    copy->meta.uid = must_copy(copy->arena, pod->meta.uid);
    if (overlay->resource_version != 0) {
        copy->meta.resource_version = overlay->resource_version;
    }
    merge_labels(copy->arena, &pod->meta.labels, overlay->label, overlay->n_labels,
                 &copy->meta.labels);
    merge_labels(copy->arena, &pod->meta.annotations, annotation, n, &copy->meta.annotations);
}

static size_t size_of_labels(const struct skr_label *item, size_t n)
{
    size_t size = n * sizeof item[0];
    for (size_t i = 0; i < n; i++) {
        size += strlen(item[i].key) + strlen(item[i].value) + 2;
    }
    return size;
}

/* What the copy takes at most without a shape; texts that are replaced are counted, too. */
static size_t size_of_copy(const struct skr_pod *pod, const struct skr_pod_overlay *overlay)
{
    struct skr_label annotation[OVERLAY_ANNOTATIONS];
    const size_t n_annotations = annotations_of(overlay, annotation);
    const char *const text[] = {pod->meta.namespace_,
                                pod->meta.name,
                                pod->meta.uid,
                                pod->node_name,
                                pod->nominated_node,
                                pod->controller_uid,
                                pod->controller,
                                pod->scheduling_group,
                                pod->foreign_gate_name,
                                pod->scheduled_reason,
                                pod->scheduled_message,
                                pod->failed_reason,
                                overlay->node_name ? overlay->node_name : "",
                                overlay->nominated_node ? overlay->nominated_node : ""};
    size_t size = sizeof *pod + 2 * sizeof(max_align_t) +
                  size_of_labels(pod->meta.labels.item, pod->meta.labels.n) +
                  size_of_labels(pod->meta.annotations.item, pod->meta.annotations.n) +
                  size_of_labels(overlay->label, overlay->n_labels) +
                  size_of_labels(annotation, n_annotations);
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        size += strlen(text[i]) + 1;
    }
    for (size_t i = 0; i < pod->n_claims; i++) {
        size += sizeof pod->claim[i] + strlen(pod->claim[i].name) + 1;
    }
    return size;
}

static void copy_claims(const struct skr_pod *pod, struct skr_pod *copy)
{
    struct skr_pod_claim *claim = skr_arena_array(copy->arena, pod->n_claims, sizeof *claim);
    skr_bug_on(!claim);
    for (size_t i = 0; i < pod->n_claims; i++) {
        claim[i] = (struct skr_pod_claim){
            pod->claim[i].kind, must_copy(copy->arena, pod->claim[i].name), pod->claim[i].made};
    }
    copy->claim = claim;
}

struct skr_pod *skr_pod_overlay(const struct skr_pod *pod, const struct skr_pod_overlay *overlay)
{
    struct skr_pod *copy = skr_pod_create(size_of_copy(pod, overlay));
    skr_bug_on(!copy);
    struct skr_arena *arena = copy->arena;
    *copy = *pod;
    copy->arena = arena;
    copy->of_shape = skr_pod_share_ref(pod->of_shape);
    copy->of_labels = NULL;
    copy_meta(pod, overlay, copy);
    copy->node_name = must_copy(arena, overlay->node_name ? overlay->node_name : pod->node_name);
    copy->nominated_node =
        must_copy(arena, overlay->nominated_node ? overlay->nominated_node : pod->nominated_node);
    copy->gate = pod->gate && !overlay->drop_gate;
    copy->deadline_s = overlay->deadline_s ? overlay->deadline_s : pod->deadline_s;
    copy->controller_uid = must_copy(arena, pod->controller_uid);
    copy->controller = must_copy(arena, pod->controller);
    copy->scheduling_group = must_copy(arena, pod->scheduling_group);
    copy->foreign_gate_name = must_copy(arena, pod->foreign_gate_name);
    copy->scheduled_reason = must_copy(arena, pod->scheduled_reason);
    copy->scheduled_message = must_copy(arena, pod->scheduled_message);
    copy->failed_reason = must_copy(arena, pod->failed_reason);
    if (pod->n_claims > 0) {
        copy_claims(pod, copy);
    }
    return copy;
}
