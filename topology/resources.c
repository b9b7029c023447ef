/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of resource names. A cluster has a handful of them, so it is an array that is searched
 * from the front: the names that every pod asks for come first. Each name counts the nodes that
 * offer it; the ids that are free are the empty places.
 */
#include "topology/resources.h"

#include <stdbool.h>
#include <string.h>

#include "topology/device_classes.h"
#include "topology/quantity.h"

enum { RESOURCE_NAME_SHOWN = 100, FIXED = SKR_RESOURCE_ABSENT + 1 };

struct skr_resource_names {
    size_t n; /* places in use or empty; beyond: all are empty */
    uint64_t version;
    struct skr_device_classes *classes;
    bool assumes_classes;
    char *name[SKR_RESOURCES_MAX];    /* NULL: empty */
    size_t offers[SKR_RESOURCES_MAX]; /* nodes; of those before FIXED not counted */
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
        names->name[i] = skr_strdup(known[i]);
    }
    names->n = FIXED;
    names->classes = skr_device_classes_create();
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
    skr_device_classes_destroy(names->classes);
    free(names);
}

uint64_t skr_resource_names_version(const struct skr_resource_names *names)
{
    return names->version + skr_device_classes_version(names->classes);
}

int skr_resource_names_find(const struct skr_resource_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (names->name[i] && strcmp(names->name[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *skr_resource_names_get(const struct skr_resource_names *names, uint16_t id)
{
    return id < names->n ? names->name[id] : NULL;
}

/* ---- what nodes offer ---- */

/* Names that no node offers any more leave their places. */
static void drop_unoffered(struct skr_resource_names *names)
{
    for (size_t i = FIXED; i < names->n; i++) {
        if (names->name[i] && names->offers[i] == 0) {
            free(names->name[i]);
            names->name[i] = NULL;
            names->version++;
        }
    }
    while (names->n > FIXED && !names->name[names->n - 1]) {
        names->n--;
    }
}

static void take_back(struct skr_resource_names *names, const struct skr_amounts *offer)
{
    for (size_t i = 0; i < offer->n; i++) {
        size_t id = offer->item[i].resource;
        skr_bug_on(id >= FIXED && (id >= names->n || names->offers[id] == 0));
        names->offers[id] -= id >= FIXED ? 1 : 0;
    }
}

static bool is_offered(const struct skr_resource_names *names, size_t id)
{
    return id < FIXED || (id < names->n && names->offers[id] > 0);
}

/* Places that may take a new name: those of the names in q are kept for them. */
static bool has_room(const struct skr_resource_names *names, const struct skr_quantities *q,
                     const char **ret_first_without)
{
    bool kept[SKR_RESOURCES_MAX] = {false};
    size_t room = 0, wanted = 0;
    for (size_t i = 0; i < q->n; i++) {
        int id = q->item[i].amount != 0 ? skr_resource_names_find(names, q->item[i].name) : -1;
        if (id >= 0) {
            kept[id] = true;
        }
    }
    for (size_t id = FIXED; id < SKR_RESOURCES_MAX; id++) {
        room += !kept[id] && !is_offered(names, id) ? 1 : 0;
    }
    for (size_t i = 0; i < q->n; i++) {
        if (q->item[i].amount != 0 && skr_resource_names_find(names, q->item[i].name) < 0 &&
            ++wanted > room) {
            *ret_first_without = q->item[i].name;
            return false;
        }
    }
    return true;
}

static uint16_t place_of(struct skr_resource_names *names, const char *name)
{
    int known = skr_resource_names_find(names, name);
    size_t id = FIXED;
    if (known >= 0) {
        return (uint16_t)known;
    }
    while (id < names->n && is_offered(names, id)) {
        id++;
    }
    skr_bug_on(id == SKR_RESOURCES_MAX);
    names->n += id == names->n ? 1 : 0;
    free(names->name[id]);
    names->name[id] = skr_strdup(name);
    names->version++;
    return (uint16_t)id;
}

static int by_resource(const void *a, const void *b)
{
    const struct skr_amount *x = a;
    const struct skr_amount *y = b;
    return (x->resource > y->resource) - (x->resource < y->resource);
}

static void sort(struct skr_amounts *amounts)
{
    if (amounts->n > 1) {
        qsort(amounts->item, amounts->n, sizeof amounts->item[0], by_resource);
    }
}

static size_t count_amounts(const struct skr_quantities *q)
{
    size_t n = 0;
    for (size_t i = 0; i < q->n; i++) {
        n += q->item[i].amount != 0 ? 1 : 0;
    }
    return n;
}

int skr_resource_names_offer(struct skr_resource_names *names, const struct skr_quantities *q,
                             struct skr_amounts *offer, struct skr_error *error)
{
    const size_t n = count_amounts(q);
    const char *without = NULL;
    struct skr_amounts amounts = {0, NULL};
    int rc = 0;
    take_back(names, offer);
    skr_amounts_fini(offer);
    if (n > SKR_NODE_RESOURCES_MAX) {
        rc = skr_error_set(error, SKR_LIMIT, "offers %zu resources, limit %d", n,
                           SKR_NODE_RESOURCES_MAX);
    } else if (!has_room(names, q, &without)) {
        rc = skr_error_set(error, SKR_LIMIT,
                           "resource \"%.*s\": nodes offer more than %d resource names",
                           RESOURCE_NAME_SHOWN, without, SKR_RESOURCES_MAX - 1);
    }
    if (rc == 0 && n > 0) {
        amounts.item = skr_alloc_array(n, sizeof amounts.item[0]);
    }
    /* Known names first: a place that one of them is about to keep is not given away. */
    for (int known = 1; rc == 0 && known >= 0; known--) {
        for (size_t i = 0; i < q->n; i++) {
            const struct skr_quantity_item *item = &q->item[i];
            bool is_known = skr_resource_names_find(names, item->name) >= 0;
            if (item->amount == 0 || is_known != (known == 1)) {
                continue;
            }
            const uint16_t id = place_of(names, item->name);
            names->offers[id]++;
            amounts.item[amounts.n++] = (struct skr_amount){id, false, item->amount};
        }
    }
    drop_unoffered(names);
    sort(&amounts);
    *offer = amounts;
    return rc;
}

void skr_resource_names_withdraw(struct skr_resource_names *names, struct skr_amounts *offer)
{
    take_back(names, offer);
    drop_unoffered(names);
    skr_amounts_fini(offer);
}

/* ---- what pods ask for ---- */

struct skr_device_classes *skr_resource_names_classes(struct skr_resource_names *names)
{
    return names->classes;
}

void skr_resource_names_assume_classes(struct skr_resource_names *names, bool assume)
{
    names->version += names->assumes_classes != assume ? 1 : 0;
    names->assumes_classes = assume;
}

/* k8s.io/kubernetes/pkg/scheduler/util, IsDRAExtendedResourceName. */
static bool is_extended(const char *name)
{
    static const char implied[] = SKR_DEVICE_CLASS_PREFIX, quota[] = "requests.";
    return strncmp(name, implied, sizeof implied - 1) == 0 ||
           (strchr(name, '/') && !strstr(name, "kubernetes.io/") &&
            strncmp(name, quota, sizeof quota - 1) != 0);
}

bool skr_resource_names_is_served(const struct skr_resource_names *names, const char *name,
                                  const char **ret_class)
{
    const char *class = skr_device_classes_find(names->classes, name);
    if (ret_class) {
        *ret_class = class;
    }
    return class || (names->assumes_classes && is_extended(name) &&
                     skr_resource_names_find(names, name) < 0);
}

bool skr_quantities_are_served(const struct skr_resource_names *names,
                               const struct skr_quantities *q)
{
    size_t i = 0;
    while (i < q->n && (q->item[i].amount <= 0 ||
                        !skr_resource_names_is_served(names, q->item[i].name, NULL))) {
        i++;
    }
    return i < q->n;
}

void skr_amounts_resolve(const struct skr_resource_names *names, const struct skr_quantities *q,
                         struct skr_amounts *ret)
{
    struct skr_amounts amounts = {0, NULL};
    bool absent = false;
    if (q->n != 0) {
        amounts.item = skr_alloc_array(q->n, sizeof amounts.item[0]);
    }
    for (size_t i = 0; i < q->n; i++) {
        if (q->item[i].amount == 0) {
            continue;
        }
        int id = skr_resource_names_find(names, q->item[i].name);
        bool served =
            (id < 0 || id >= FIXED) && skr_resource_names_is_served(names, q->item[i].name, NULL);
        if (id >= 0) {
            amounts.item[amounts.n++] =
                (struct skr_amount){(uint16_t)id, served, q->item[i].amount};
        } else if (!served && !absent) {
            amounts.item[amounts.n++] = (struct skr_amount){SKR_RESOURCE_ABSENT, false, 1};
            absent = true;
        }
    }
    sort(&amounts);
    *ret = amounts;
}

const struct skr_quantity_item *skr_quantities_absent(const struct skr_resource_names *names,
                                                      const struct skr_quantities *q)
{
    for (size_t i = 0; i < q->n; i++) {
        if (q->item[i].amount != 0 && skr_resource_names_find(names, q->item[i].name) < 0 &&
            !skr_resource_names_is_served(names, q->item[i].name, NULL)) {
            return &q->item[i];
        }
    }
    return NULL;
}

/* ---- one resource ---- */

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

void skr_amounts_fini(struct skr_amounts *a)
{
    free(a->item);
    a->item = NULL;
    a->n = 0;
}

bool skr_amounts_equal(const struct skr_amounts *a, const struct skr_amounts *b)
{
    for (size_t i = 0; a->n == b->n && i < a->n; i++) {
        const struct skr_amount *x = &a->item[i], *y = &b->item[i];
        if (x->resource != y->resource || x->amount != y->amount || x->by_class != y->by_class) {
            return false;
        }
    }
    return a->n == b->n;
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

bool skr_quantities_equal(const struct skr_quantities *a, const struct skr_quantities *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same =
            strcmp(a->item[i].name, b->item[i].name) == 0 && a->item[i].amount == b->item[i].amount;
    }
    return same;
}
