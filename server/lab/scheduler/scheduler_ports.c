/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that are searched: few pods have host ports, and few of them. */
#include "server/lab/scheduler/scheduler_ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

static const char all_addresses[] = "0.0.0.0";

static const char *word(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && text[0] ? text : otherwise;
}

static void read_container(const json_t *container, bool host_network, struct skr_sched_ports *ret)
{
    const json_t *ports = json_object_get(container, "ports");
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        json_int_t number = json_integer_value(json_object_get(port, "hostPort"));
        if (number == 0 && host_network) {
            number = json_integer_value(json_object_get(port, "containerPort"));
        }
        if (number <= 0 || number > UINT16_MAX) {
            continue;
        }
        skr_grow(&ret->item, &ret->cap, ret->n + 1, sizeof *ret->item);
        struct skr_sched_port *p = &ret->item[ret->n++];
        p->number = (int32_t)number;
        snprintf(p->address, sizeof p->address, "%s", word(port, "hostIP", all_addresses));
        snprintf(p->protocol, sizeof p->protocol, "%s", word(port, "protocol", "TCP"));
    }
}

void skr_sched_ports_read(const json_t *pod, struct skr_sched_ports *ret)
{
    const json_t *spec = json_object_get(pod, "spec");
    bool host_network = json_is_true(json_object_get(spec, "hostNetwork"));
    const json_t *list = json_object_get(spec, "containers");
    *ret = (struct skr_sched_ports){0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        read_container(json_array_get(list, i), host_network, ret);
    }
    list = json_object_get(spec, "initContainers");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *container = json_array_get(list, i);
        if (strcmp(word(container, "restartPolicy", ""), "Always") == 0) {
            read_container(container, host_network, ret);
        }
    }
}

void skr_sched_ports_fini(struct skr_sched_ports *ports)
{
    free(ports->item);
    *ports = (struct skr_sched_ports){0};
}

static bool port_equal(const struct skr_sched_port *a, const struct skr_sched_port *b)
{
    return a->number == b->number && strcmp(a->protocol, b->protocol) == 0 &&
           strcmp(a->address, b->address) == 0;
}

static bool exclude(const struct skr_sched_port *a, const struct skr_sched_port *b)
{
    return a->number == b->number && strcmp(a->protocol, b->protocol) == 0 &&
           (strcmp(a->address, b->address) == 0 || strcmp(a->address, all_addresses) == 0 ||
            strcmp(b->address, all_addresses) == 0);
}

bool skr_sched_ports_conflict(const struct skr_sched_ports *a, const struct skr_sched_ports *b)
{
    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < b->n; k++) {
            if (exclude(&a->item[i], &b->item[k])) {
                return true;
            }
        }
    }
    return false;
}

void skr_sched_ports_add(struct skr_sched_ports *node, const struct skr_sched_ports *pod)
{
    for (size_t i = 0; i < pod->n; i++) {
        skr_grow(&node->item, &node->cap, node->n + 1, sizeof *node->item);
        node->item[node->n++] = pod->item[i];
    }
}

void skr_sched_ports_remove(struct skr_sched_ports *node, const struct skr_sched_ports *pod)
{
    for (size_t i = 0; i < pod->n; i++) {
        size_t k = 0;
        while (k < node->n && !port_equal(&node->item[k], &pod->item[i])) {
            k++;
        }
        if (k < node->n) {
            node->item[k] = node->item[--node->n];
        }
    }
}
