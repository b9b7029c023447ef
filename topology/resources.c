/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interning of resource names. A cluster has a handful of them, so the table is an array that is
 * searched from the front: the names that every pod asks for come first.
 */
#include "topology/resources.h"

#include <stdbool.h>
#include <string.h>

#include "topology/quantity.h"

enum { RESOURCE_NAME_SHOWN = 100 };

struct skr_resource_names {
    size_t n;
    char *name[SKR_RESOURCES_MAX];
};

struct skr_resource_names *skr_resource_names_create(void)
{
    static const char *const known[] = {
        [SKR_RESOURCE_CPU] = "cpu",
        [SKR_RESOURCE_MEMORY] = "memory",
        [SKR_RESOURCE_PODS] = "pods",
    };
    struct skr_resource_names *names = skr_alloc(sizeof *names);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        names->name[names->n++] = skr_strdup(known[i]);
    }
    return names;
}

void skr_resource_names_destroy(struct skr_resource_names *names)
{
    if (!names) {
        return;
    }
    for (size_t i = 0; i < names->n; i++) {
        free(names->name[i]);
    }
    free(names);
}

int skr_resource_names_intern(struct skr_resource_names *names, const char *name, uint16_t *ret,
                              struct skr_error *error)
{
    int id = skr_resource_names_find(names, name);
    if (id < 0) {
        if (names->n == SKR_RESOURCES_MAX) {
            return skr_error_set(error, SKR_LIMIT,
                                 "resource \"%.*s\": more than %d resource names in the cluster",
                                 RESOURCE_NAME_SHOWN, name, SKR_RESOURCES_MAX);
        }
        id = (int)names->n;
        names->name[names->n++] = skr_strdup(name);
    }
    *ret = (uint16_t)id;
    return 0;
}

int skr_resource_names_find(const struct skr_resource_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->name[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *skr_resource_names_get(const struct skr_resource_names *names, uint16_t id)
{
    skr_bug_on(id >= names->n);
    return names->name[id];
}

size_t skr_resource_names_count(const struct skr_resource_names *names)
{
    return names->n;
}

int64_t skr_resource_one(const char *name)
{
    static const char hugepages[] = "hugepages-";
    if (strcmp(name, "cpu") == 0) {
        return 1000;
    }
    bool bytes = strcmp(name, "memory") == 0 || strcmp(name, "ephemeral-storage") == 0 ||
                 strncmp(name, hugepages, sizeof hugepages - 1) == 0;
    return bytes ? INT64_C(1) << 30 : 1;
}

int skr_resource_parse(const char *name, const char *quantity, int64_t *ret,
                       struct skr_error *error)
{
    int64_t value = 0;
    int rc = strcmp(name, "cpu") == 0 ? skr_quantity_parse_milli(quantity, &value, error)
                                      : skr_quantity_parse(quantity, &value, error);
    if (rc != 0) {
        (void)skr_error_prefix(error, "%.*s", RESOURCE_NAME_SHOWN, name);
        return rc;
    }
    if (value < 0) {
        return skr_error_set(error, SKR_INVALID, "%.*s: quantity \"%.64s\" is negative",
                             RESOURCE_NAME_SHOWN, name, quantity);
    }
    *ret = value;
    return 0;
}

static int by_resource(const void *a, const void *b)
{
    const struct skr_amount *x = a;
    const struct skr_amount *y = b;
    return (x->resource > y->resource) - (x->resource < y->resource);
}

int skr_amounts_intern(struct skr_resource_names *names, const struct skr_quantities *q,
                       struct skr_amounts *ret, struct skr_error *error)
{
    struct skr_amounts amounts = {0, NULL};

    if (q->n != 0) {
        amounts.item = skr_alloc_array(q->n, sizeof amounts.item[0]);
    }
    for (size_t i = 0; i < q->n; i++) {
        if (q->item[i].amount == 0) {
            continue;
        }
        struct skr_amount *amount = &amounts.item[amounts.n];
        int rc = skr_resource_names_intern(names, q->item[i].name, &amount->resource, error);
        if (rc != 0) {
            skr_amounts_fini(&amounts);
            return rc;
        }
        amount->amount = q->item[i].amount;
        amounts.n++;
    }
    if (amounts.n > 1) {
        qsort(amounts.item, amounts.n, sizeof amounts.item[0], by_resource);
    }
    *ret = amounts;
    return 0;
}

void skr_amounts_fini(struct skr_amounts *a)
{
    free(a->item);
    a->item = NULL;
    a->n = 0;
}

int64_t skr_amounts_get(const struct skr_amounts *a, uint16_t resource)
{
    for (size_t i = 0; i < a->n; i++) {
        if (a->item[i].resource == resource) {
            return a->item[i].amount;
        }
    }
    return 0;
}

bool skr_quantities_differ(const struct skr_quantities *a, const struct skr_quantities *b,
                           const char **ret_name, int64_t *ret_a, int64_t *ret_b)
{
    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        int c = i == a->n ? 1 : j == b->n ? -1 : strcmp(a->item[i].name, b->item[j].name);
        int64_t x = c <= 0 ? a->item[i].amount : 0;
        int64_t y = c >= 0 ? b->item[j].amount : 0;
        if (x != y) {
            *ret_name = c <= 0 ? a->item[i].name : b->item[j].name;
            *ret_a = x;
            *ret_b = y;
            return true;
        }
        i += c <= 0 ? 1 : 0;
        j += c >= 0 ? 1 : 0;
    }
    return false;
}
