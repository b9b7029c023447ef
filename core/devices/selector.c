/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of devices, what an expression may do with it, and a device as expressions see it. */
#include "core/devices/selector.h"

#include <stdlib.h>
#include <string.h>

#include "core/cel/node.h"
#include "core/cel/semver.h"
#include "topology/base/strbuf.h"

enum { RUN_BYTES_MAX = 1024 * 1024 };

static const struct skr_cel_root roots[] = {{"device", "Ms?"}, {0}};
static const struct skr_cel_dialect dialect = {.root = roots, .binds = true};

/* ---- what an expression may do ---- */

enum field { FIELD_NONE, FIELD_VALUE, FIELD_DOMAINS, FIELD_UNKNOWN };

/* device.NAME */
static enum field field_of(const struct skr_cel_node *node)
{
    const bool is = node->kind == SKR_CEL_NODE_SELECT && node->child[0]->kind == SKR_CEL_NODE_ROOT;
    if (!is) {
        return FIELD_NONE;
    }
    const bool domains =
        strcmp(node->name, "attributes") == 0 || strcmp(node->name, "capacity") == 0;
    const bool value =
        strcmp(node->name, "driver") == 0 || strcmp(node->name, "allowMultipleAllocations") == 0;
    return domains ? FIELD_DOMAINS : value ? FIELD_VALUE : FIELD_UNKNOWN;
}

/* The domain that the node looks up in device.attributes or device.capacity; NULL: none, or it is
 * known in evaluation only. */
static const char *domain_of(const struct skr_cel_node *node)
{
    const bool selects = node->kind == SKR_CEL_NODE_SELECT && node->n == 1;
    const bool subscript =
        node->kind == SKR_CEL_NODE_CALL && strcmp(node->name, "_[_]") == 0 && node->n == 2;
    if ((!selects && !subscript) || field_of(node->child[0]) != FIELD_DOMAINS) {
        return NULL;
    }
    const struct skr_cel_node *key = subscript ? node->child[1] : NULL;
    const bool constant =
        key && key->kind == SKR_CEL_NODE_CONST && key->value.kind == SKR_CEL_STRING;
    return selects ? node->name : constant ? key->value.text : NULL;
}

static int refuse(struct skr_device_selector *s, const struct skr_cel_node *node,
                  const char *sentence, struct skr_error *error)
{
    return skr_cel_fail(error, SKR_INVALID, s->text, node->at, "%s", sentence);
}

/* False: there are too many. */
static bool add_domain(struct skr_device_selector *s, const char *domain)
{
    size_t i = 0;
    while (i < s->n_domains && strcmp(s->domain[i], domain) != 0) {
        i++;
    }
    if (i == s->n_domains && i < SKR_SELECTOR_DOMAINS_MAX) {
        s->domain[s->n_domains++] = domain;
    }
    return i < SKR_SELECTOR_DOMAINS_MAX;
}

/* The id that the node looks up in the map of a domain; NULL: none, or it is known in evaluation only. */
static const char *id_of(const struct skr_cel_node *node)
{
    const bool selects =
        (node->kind == SKR_CEL_NODE_SELECT || node->kind == SKR_CEL_NODE_HAS) && node->n == 1;
    const bool subscript =
        node->kind == SKR_CEL_NODE_CALL && strcmp(node->name, "_[_]") == 0 && node->n == 2;
    const struct skr_cel_node *key = subscript ? node->child[1] : NULL;
    const bool constant =
        key && key->kind == SKR_CEL_NODE_CONST && key->value.kind == SKR_CEL_STRING;
    return selects ? node->name : constant ? key->value.text : NULL;
}

static void add_read(struct skr_device_selector *s, const char *domain, const char *id)
{
    if (s->n_reads == SKR_SELECTOR_READS_MAX) {
        s->reads_all = true;
    } else {
        s->read[s->n_reads].domain = domain;
        s->read[s->n_reads++].id = id;
    }
}

static bool is_search(const struct skr_cel_node *node)
{
    return node->kind == SKR_CEL_NODE_CALL && strcmp(node->name, "_in_") == 0;
}

/* Whether a version is in a list depends on whether the list is constant (core/cel/operators.c). */
static bool is_constant_list(const struct skr_cel_node *node)
{
    bool constant = node->kind == SKR_CEL_NODE_LIST;
    for (size_t i = 0; constant && i < node->n; i++) {
        constant = node->child[i]->kind == SKR_CEL_NODE_CONST;
    }
    return constant;
}

/* Depth: that of the expression, SKR_CEL_DEPTH_MAX. */
static int check(struct skr_device_selector *s, const struct skr_cel_node *node,
                 struct skr_error *error)
{
    const char *domain = domain_of(node);
    const enum field field = field_of(node);
    int rc = 0;
    if (domain) {
        s->reads_all = true; /* unless the node above it looks up one id: below */
        return add_domain(s, domain)
                   ? 0
                   : refuse(s, node, "the expression names more than 64 domains", error);
    }
    const bool all = s->reads_all;
    const char *of = node->n > 0 ? domain_of(node->child[0]) : NULL, *id = of ? id_of(node) : NULL;
    if (of && id) {
        rc = check(s, node->child[0], error);
        s->reads_all = all;
        add_read(s, of, id);
        return rc;
    }
    if (field == FIELD_UNKNOWN) {
        return refuse(s, node, "device has driver, allowMultipleAllocations, attributes, capacity",
                      error);
    }
    if (field == FIELD_DOMAINS) {
        return refuse(s, node, "attributes and capacity are read by a constant domain", error);
    }
    if (node->kind == SKR_CEL_NODE_ROOT) {
        return refuse(s, node, "device is read by its fields", error);
    }
    if (is_search(node) && !is_constant_list(node->child[1])) {
        return refuse(s, node, "`in` is served for lists of constants", error);
    }
    for (size_t i = 0; field == FIELD_NONE && rc == 0 && i < node->n; i++) {
        rc = check(s, node->child[i], error);
    }
    return rc;
}

struct skr_device_selector *skr_device_selector_create(const char *text)
{
    struct skr_device_selector *s = skr_alloc(sizeof *s);
    struct skr_error error = {.text = ""};
    s->arena = skr_arena_create(SKR_SELECTOR_BYTES_MAX, 4096);
    s->why = "";
    s->text = s->arena ? skr_arena_strdup(s->arena, text) : NULL;
    if (!s->text) {
        s->text = "";
        s->why = "a selector is too large";
        return s;
    }
    int rc = skr_cel_compile(&dialect, s->text, s->arena, &s->program, &error);
    if (rc == 0) {
        rc = check(s, s->program->root, &error);
    }
    if (rc < 0) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b, "a selector, at %s", error.text);
        const char *why = skr_arena_strdup(s->arena, b.s);
        s->program = NULL;
        s->why = why ? why : "a selector is too large";
    }
    return s;
}

void skr_device_selector_destroy(struct skr_device_selector *selector)
{
    if (selector) {
        skr_hash_index_fini(&selector->by_content);
        free(selector->answer);
        skr_arena_destroy(selector->arena);
        free(selector);
    }
}

/* ---- a device as a value ---- */

struct view {
    const struct skr_device_selector *selector;
    const char *driver;
    struct skr_arena *arena;
    bool full, bad; /* no memory; an attribute that is no value, which fails every selector */
};

static struct skr_cel_value of_attribute(struct view *v, const struct skr_device *device, size_t i)
{
    const struct skr_device_attribute a = skr_device_attribute(device, i);
    struct skr_cel_value value = skr_cel_null();
    switch (a.kind) {
    case SKR_DEVICE_VALUE_STRING:
        value = skr_cel_text(a.text);
        break;
    case SKR_DEVICE_VALUE_INT:
        value = skr_cel_int(a.integer);
        break;
    case SKR_DEVICE_VALUE_BOOL:
        value = skr_cel_bool(a.integer != 0);
        break;
    case SKR_DEVICE_VALUE_VERSION: {
        struct skr_cel_semver *version = skr_arena_alloc(v->arena, sizeof *version);
        v->full = v->full || !version;
        if (version && skr_cel_semver_parse(a.text, strlen(a.text), false, v->arena, version)) {
            value = (struct skr_cel_value){.kind = SKR_CEL_SEMVER, .semver = version};
        } else {
            v->bad = true;
        }
        break;
    }
    case SKR_DEVICE_VALUE_OTHER:
    default:
        v->bad = true;
        break;
    }
    return value;
}

static struct skr_cel_value of_capacity(const struct skr_device_capacity *c)
{
    return (struct skr_cel_value){.kind = SKR_CEL_QUANTITY, .nano = &c->value};
}

/* Domain and id of a name; the driver's domain is implied. */
static size_t split(const struct view *v, const char *name, const char **ret_domain,
                    const char **ret_id)
{
    const char *slash = strchr(name, '/');
    *ret_domain = slash ? name : v->driver;
    *ret_id = slash ? slash + 1 : name;
    return slash ? (size_t)(slash - name) : strlen(v->driver);
}

static bool is_of(const struct view *v, const char *name, const char *domain, const char **ret_id)
{
    const char *own;
    const size_t n = split(v, name, &own, ret_id);
    return strlen(domain) == n && memcmp(own, domain, n) == 0;
}

/* The map of one domain. */
static struct skr_cel_value domain_map(struct view *v, const struct skr_device *device,
                                       const char *domain, bool capacity)
{
    const struct skr_device_kind *kind = device->kind;
    const size_t n = capacity ? kind->n_capacities : kind->n_attributes;
    struct skr_cel_entry *entry = skr_arena_array(v->arena, n + 1, sizeof *entry);
    uint32_t found = 0;
    for (size_t i = 0; entry && i < n; i++) {
        const char *name = capacity ? kind->capacity[i].name : kind->attribute[i].name, *id;
        if (is_of(v, name, domain, &id)) {
            entry[found].key = skr_cel_text(id);
            entry[found++].value =
                capacity ? of_capacity(&kind->capacity[i]) : of_attribute(v, device, i);
        }
    }
    v->full = v->full || !entry;
    return (struct skr_cel_value){.kind = SKR_CEL_MAP, .n = entry ? found : 0, .entry = entry};
}

/* The domains that the selector names. */
static struct skr_cel_value domains_map(struct view *v, const struct skr_device *device,
                                        bool capacity)
{
    const struct skr_device_selector *s = v->selector;
    struct skr_cel_entry *entry = skr_arena_array(v->arena, s->n_domains + 1, sizeof *entry);
    for (size_t i = 0; entry && i < s->n_domains; i++) {
        entry[i].key = skr_cel_text(s->domain[i]);
        entry[i].value = domain_map(v, device, s->domain[i], capacity);
    }
    v->full = v->full || !entry;
    return (struct skr_cel_value){
        .kind = SKR_CEL_MAP, .n = entry ? (uint32_t)s->n_domains : 0, .entry = entry};
}

/* kube-scheduler reads all attributes, also those that the selector does not name. */
static void check_attributes(struct view *v, const struct skr_device *device)
{
    for (size_t i = 0; i < device->kind->n_attributes; i++) {
        (void)of_attribute(v, device, i);
    }
}

/* ---- answers ---- */

static enum skr_device_selector_answer answer_in(struct view *v, const struct skr_device *device,
                                                 uint64_t *steps)
{
    struct skr_cel_entry field[4] = {
        {skr_cel_text("driver"), skr_cel_text(v->driver)},
        {skr_cel_text("allowMultipleAllocations"), skr_cel_bool(device->kind->shared)},
        {skr_cel_text("attributes"), domains_map(v, device, false)},
        {skr_cel_text("capacity"), domains_map(v, device, true)}};
    const struct skr_cel_value root = {.kind = SKR_CEL_MAP, .n = 4, .entry = field};
    struct skr_cel_run run = {.arena = v->arena, .root = &root, .cost_max = SKR_SELECTOR_COST_MAX};
    check_attributes(v, device);
    if (v->full || v->bad) {
        return v->full ? SKR_SELECTOR_UNMODELLED : SKR_SELECTOR_FAILS;
    }
    const struct skr_cel_value result = skr_cel_evaluate(v->selector->program, &run);
    *steps += run.cost;
    return run.over                      ? SKR_SELECTOR_UNMODELLED
           : result.kind != SKR_CEL_BOOL ? SKR_SELECTOR_FAILS
           : result.boolean              ? SKR_SELECTOR_YES
                                         : SKR_SELECTOR_NO;
}

enum skr_device_selector_answer skr_device_selector_ask(const struct skr_device_selector *selector,
                                                        const char *driver,
                                                        const struct skr_device *device,
                                                        uint64_t *steps)
{
    if (!selector->program) {
        return SKR_SELECTOR_UNMODELLED;
    }
    *steps += SKR_SELECTOR_RUN_STEPS + device->kind->n_attributes + device->kind->n_capacities;
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(RUN_BYTES_MAX, 4096);
    struct view view = {.selector = selector, .driver = driver, .arena = arena};
    return arena ? answer_in(&view, device, steps) : SKR_SELECTOR_UNMODELLED;
}

bool skr_device_selector_reads(const struct skr_device_selector *selector, const char *driver,
                               const char *name)
{
    const struct view view = {.driver = driver};
    const char *id;
    bool reads = selector->reads_all;
    for (size_t i = 0; !reads && i < selector->n_reads; i++) {
        reads = is_of(&view, name, selector->read[i].domain, &id) &&
                strcmp(id, selector->read[i].id) == 0;
    }
    return reads;
}

void skr_device_selector_evaluate(const struct skr_device_selector *selector,
                                  const struct skr_device_slice *slice, uint8_t *answer)
{
    uint64_t steps = 0;
    for (size_t i = 0; i < slice->n_devices; i++) {
        answer[i] =
            (uint8_t)skr_device_selector_ask(selector, slice->driver, &slice->device[i], &steps);
    }
}
