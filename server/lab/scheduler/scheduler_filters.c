/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters are in kube-scheduler's order. The first that fails gives the reason, except
 * NodeResourcesFit, which names every scarce resource. Texts are those of 1.36.
 */
#include "server/lab/scheduler/scheduler_filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pod/rules.h"
#include "server/lab/scheduler/scheduler_cache.h"
#include "server/lab/scheduler/scheduler_devices.h"
#include "server/lab/scheduler/scheduler_volumes.h"

/* ---- the sentence ---- */

void skr_sched_diagnosis_add(struct skr_sched_diagnosis *diagnosis, unsigned by, const char *text)
{
    if (!diagnosis) {
        return;
    }
    diagnosis->rejected_by |= by;
    if (text[0] == '\0') {
        return;
    }
    for (size_t i = 0; i < diagnosis->n; i++) {
        if (strncmp(diagnosis->reason[i].text, text, SKR_SCHED_REASON_BYTES - 1) == 0) {
            diagnosis->reason[i].nodes++;
            return;
        }
    }
    if (diagnosis->n < SKR_SCHED_REASONS_MAX) {
        snprintf(diagnosis->reason[diagnosis->n].text, SKR_SCHED_REASON_BYTES, "%s", text);
        diagnosis->reason[diagnosis->n++].nodes = 1;
    }
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

void skr_sched_diagnosis_write(const struct skr_sched_diagnosis *diagnosis, size_t n_nodes,
                               struct skr_strbuf *out)
{
    enum { ROW = SKR_SCHED_REASON_BYTES + 24 };
    char(*row)[ROW] = skr_alloc_array(diagnosis->n + 1, sizeof *row);
    for (size_t i = 0; i < diagnosis->n; i++) {
        snprintf(row[i], sizeof row[i], "%zu %s", diagnosis->reason[i].nodes,
                 diagnosis->reason[i].text);
    }
    qsort(row, diagnosis->n, sizeof *row, compare_text);
    skr_strbuf_addf(out, "0/%zu nodes are available:", n_nodes);
    for (size_t i = 0; i < diagnosis->n; i++) {
        skr_strbuf_addf(out, "%s %s", i > 0 ? "," : "", row[i]);
    }
    /* DynamicResources adds this to every refusal, whether the pod has claims or not. */
    skr_strbuf_addf(out, "%s %s", diagnosis->n > 0 ? "." : "",
                    diagnosis->deallocated ? "deallocation of ResourceClaim completed"
                                           : "no new claims to deallocate");
    free(row);
}

/* ---- filters ---- */

bool skr_sched_fits_empty(const struct skr_sched_pod *p, const struct skr_sched_node *node)
{
    for (size_t i = 0; i < p->amounts.n; i++) {
        const struct skr_amount *request = &p->amounts.item[i];
        if (request->amount > skr_sched_allocatable(node, request->resource) &&
            skr_sched_is_counted(node, request)) {
            return false;
        }
    }
    return true;
}

static int64_t charged_by_nominated(const struct skr_sched_pod *p,
                                    const struct skr_sched_node *node, uint16_t resource)
{
    int64_t sum = 0;
    for (const struct skr_sched_pod *q = node->nominated; q; q = q->nominated_next) {
        if (q != p && q->pod->priority >= p->pod->priority) {
            sum += skr_amounts_get(&q->amounts, resource);
        }
    }
    return sum;
}

/* Names every resource that no node has. */
static void say_absent(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                       struct skr_sched_diagnosis *diagnosis)
{
    struct skr_quantities rest = p->pod->shape->requests;
    const struct skr_quantity_item *item;
    while ((item = skr_quantities_absent(cache->resources, &rest))) {
        char text[SKR_SCHED_REASON_BYTES];
        snprintf(text, sizeof text, "Insufficient %.200s", item->name);
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_FIT, text);
        rest.n -= (size_t)(item + 1 - rest.item);
        rest.item += item + 1 - rest.item;
    }
}

static bool fits(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                 const struct skr_sched_node *node, struct skr_sched_diagnosis *diagnosis)
{
    char text[SKR_SCHED_REASON_BYTES];
    bool good = true;
    for (size_t i = 0; i < p->amounts.n; i++) {
        uint16_t resource = p->amounts.item[i].resource;
        int64_t free = skr_sched_allocatable(node, resource) - skr_sched_used(node, resource);
        if (node->nominated) {
            free -= charged_by_nominated(p, node, resource);
        }
        if (p->amounts.item[i].amount <= free || !skr_sched_is_counted(node, &p->amounts.item[i])) {
            continue;
        }
        good = false;
        if (!diagnosis) {
            return false;
        }
        if (resource == SKR_RESOURCE_PODS) {
            skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_FIT, "Too many pods");
        } else if (resource == SKR_RESOURCE_ABSENT) {
            say_absent(cache, p, diagnosis);
        } else {
            snprintf(text, sizeof text, "Insufficient %.200s",
                     skr_resource_names_get(cache->resources, resource));
            skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_FIT, text);
        }
    }
    return good;
}

/* Ports are used by the pods on the node and by those nominated there that have precedence. */
static bool ports_free(const struct skr_sched_pod *p, const struct skr_sched_node *node)
{
    const struct skr_pod_shape *own = p->pod->shape;
    if (own->n_rules == 0) {
        return true;
    }
    for (const struct skr_sched_pod *q = node->nominated; q; q = q->nominated_next) {
        if (q != p && q->pod->priority >= p->pod->priority &&
            skr_pod_port_clash(own, q->pod->shape)) {
            return false;
        }
    }
    for (const struct skr_sched_pod *q = node->with_ports; q; q = q->ports_next) {
        if (skr_pod_port_clash(own, q->pod->shape)) {
            return false;
        }
    }
    return true;
}

bool skr_sched_filter(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                      const struct skr_sched_node *node, struct skr_sched_diagnosis *diagnosis)
{
    switch (skr_pod_shape_check_node(p->pod->shape, node->node)) {
    case SKR_ELIGIBLE:
    case SKR_INELIGIBLE_COUNT:
        break;
    case SKR_INELIGIBLE_UNSCHEDULABLE:
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_UNSCHEDULABLE,
                                "node(s) were unschedulable");
        return false;
    case SKR_INELIGIBLE_TAINT:
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_TAINT, "node(s) had untolerated taint(s)");
        return false;
    case SKR_INELIGIBLE_SELECTOR:
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_AFFINITY,
                                "node(s) didn't match Pod's node affinity/selector");
        return false;
    }
    if (!ports_free(p, node)) {
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_PORTS,
                                "node(s) didn't have free ports for the requested pod ports");
        return false;
    }
    if (!fits(cache, p, node, diagnosis)) {
        return false;
    }
    const char *why = skr_sched_volumes_refuse(cache->volumes, p, node);
    if (why) {
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_VOLUMES, why);
        return false;
    }
    why = skr_sched_devices_refuse(cache, p, node);
    if (why) {
        skr_sched_diagnosis_add(diagnosis, SKR_SCHED_BY_DEVICES, why);
    }
    return !why;
}

/* ---- scores and sampling ---- */

int32_t skr_sched_least_allocated(const struct skr_sched_pod *p, const struct skr_sched_node *node)
{
    static const uint16_t resources[] = {SKR_RESOURCE_CPU, SKR_RESOURCE_MEMORY};
    int64_t sum = 0, n = 0;
    for (size_t i = 0; i < 2; i++) {
        int64_t all = skr_sched_allocatable(node, resources[i]);
        int64_t used =
            skr_sched_used(node, resources[i]) + skr_amounts_get(&p->amounts, resources[i]);
        if (all <= 0) {
            continue;
        }
        n++;
        /* Divides first if the product would overflow: amounts of memory. */
        int64_t left = all - used;
        sum += left <= 0 ? 0 : left > INT64_MAX / 100 ? left / (all / 100) : left * 100 / all;
    }
    return n > 0 ? (int32_t)(sum / n) : 0;
}

size_t skr_sched_enough(size_t n_nodes, int percentage)
{
    enum { MIN_NODES = 100, MIN_PERCENTAGE = 5 };
    size_t share = percentage > 0 ? (size_t)percentage : 50;
    if (n_nodes < MIN_NODES || share >= 100) {
        return n_nodes;
    }
    if (percentage <= 0) {
        size_t less = n_nodes / 125;
        share = less + MIN_PERCENTAGE > share ? MIN_PERCENTAGE : share - less;
    }
    size_t n = n_nodes * share / 100;
    return n < MIN_NODES ? MIN_NODES : n;
}
