/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request for the tree: the resource to show, the size of a slot, the domain. */
#include "core/devices/stock.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/pages.h"
#include "core/gang/view/view.h"
#include "core/gang/view/view_tree.h"

#include <string.h>
#include <utlist.h>

/* ---- the resource ---- */

/* "gpu" of "nvidia.com/gpu". */
static const char *short_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool is_word(const char *name, const char *word, size_t len)
{
    return name && strlen(name) == len && strncmp(name, word, len) == 0;
}

/* By full name, or by the part after the slash if only one has it; among all names of the engine.
 * NULL with *ret_code set if there is none, or several. */
static const char *find_name(struct tree_page *p, const char *word, size_t len, int *ret_code)
{
    const struct skr_resource_names *names = p->v->e->resources;
    const char *found = NULL;
    for (uint16_t i = 0; i < SKR_RESOURCES_MAX; i++) {
        const char *name = skr_resource_names_get(names, i);
        if (is_word(name, word, len)) {
            return name;
        }
    }
    for (uint16_t i = 0; i < SKR_RESOURCES_MAX; i++) {
        const char *name = skr_resource_names_get(names, i);
        if (!name || !is_word(short_name(name), word, len)) {
            continue;
        }
        if (found) {
            *ret_code = skr_view_refuse(p->v, 400, "resource \"%.*s\" may be %.100s or %.100s",
                                        (int)(len < 64 ? len : 64), word, found, name);
            return NULL;
        }
        found = name;
    }
    for (size_t i = 0; !found && i < p->tree->n_resource_names; i++) {
        const char *name = p->tree->resource_name[i];
        if (is_word(name, word, len) || is_word(short_name(name), word, len)) {
            found = name;
        }
    }
    if (!found) {
        *ret_code = skr_view_refuse(p->v, 404, "no node has a resource \"%.*s\"",
                                    (int)(len < 64 ? len : 64), word);
    }
    return found;
}

/* The class that serves a resource which no node offers; NULL: there is none. */
static const char *class_serving(const struct tree_page *p, const char *name)
{
    const struct skr_resource_names *names = p->v->e->resources;
    const char *class = NULL;
    const bool served = skr_resource_names_find(names, name) < 0 &&
                        skr_resource_names_is_served(names, name, &class) && class;
    return served && skr_devices_stock_class(p->v->e->devices.stock, class) ? class : NULL;
}

/* As find_name(); a class also by the extended resource that it serves. */
static const char *find_resource(struct tree_page *p, const char *word, size_t len, int *ret_code)
{
    char asked[CLASS_NAME_MAX];
    const char *name = NULL, *class;
    (void)snprintf(asked, sizeof asked, "%.*s", (int)(len < sizeof asked ? len : 0), word);
    class = skr_view_class_of(asked);
    class = class ? class : class_serving(p, asked);
    if (!class) {
        name = find_name(p, word, len, ret_code);
        class = name ? class_serving(p, name) : NULL;
    }
    return class ? skr_view_class_choose(p, class, ret_code) : name;
}

static size_t show(struct tree_page *p, const char *name)
{
    for (size_t i = 0; i < p->n_resources; i++) {
        if (strcmp(p->resource[i].name, name) == 0) {
            return i;
        }
    }
    if (p->n_resources == SHOWN_MAX) {
        return SHOWN_MAX;
    }
    p->resource[p->n_resources] =
        (struct shown_resource){.name = name,
                                .class_ = skr_view_class_of(name),
                                .id = skr_resource_names_find(p->v->e->resources, name)};
    return p->n_resources++;
}

static bool is_ordinary(const char *name)
{
    return strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 || strcmp(name, "pods") == 0;
}

/* The first of the tree's resources that not every machine has; NULL: none. */
static const char *tree_device(const struct tree_page *p)
{
    for (size_t i = 0; i < p->tree->n_resource_names; i++) {
        if (!is_ordinary(p->tree->resource_name[i])) {
            return p->tree->resource_name[i];
        }
    }
    return NULL;
}

struct offer {
    const char *name;
    int32_t nodes;
};

static int by_offer(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    return x->nodes != y->nodes ? (x->nodes < y->nodes ? 1 : -1) : strcmp(x->name, y->name);
}

/* Extended resources (with a slash) that nodes of the tree offer, those of most nodes first; returns
 * their number. O(nodes * their resources). */
static size_t list_offers(const struct tree_page *p, struct offer ret[SKR_RESOURCES_MAX])
{
    const struct skr_resource_names *names = p->v->e->resources;
    int32_t nodes[SKR_RESOURCES_MAX] = {0};
    size_t n = 0;
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        const struct skr_node *node = p->leaf[i] ? p->leaf[i]->node : NULL;
        for (size_t r = 0; node && r < node->allocatable.n; r++) {
            const struct skr_quantity_item *item = &node->allocatable.item[r];
            const int id = item->amount > 0 && strchr(item->name, '/')
                               ? skr_resource_names_find(names, item->name)
                               : -1;
            if (id >= 0) {
                nodes[id]++;
            }
        }
    }
    for (uint16_t id = 0; id < SKR_RESOURCES_MAX; id++) {
        if (nodes[id] > 0) {
            ret[n++] = (struct offer){skr_resource_names_get(names, id), nodes[id]};
        }
    }
    if (n > 1) {
        qsort(ret, n, sizeof *ret, by_offer);
    }
    return n;
}

/* A device that the tree names, else one that nodes offer, else a class of devices; NULL: none. */
static const char *usual_resource(struct tree_page *p, const struct offer *offer, size_t n)
{
    const char *name = tree_device(p), *class = name ? class_serving(p, name) : NULL;
    int code;
    return class                     ? skr_view_class_choose(p, class, &code)
           : name                    ? name
           : n > 0                   ? offer[0].name
           : skr_view_class_usual(p) ? p->class_name
                                     : NULL;
}

/* The tree's, "pods", those that nodes offer, classes of devices: in this order, whichever is chosen. If
 * none is asked for or usual, the first one is. */
static int choose_resources(struct tree_page *p)
{
    const char *word = p->v->query->argument[SKR_VIEW_RESOURCE];
    struct offer offer[SKR_RESOURCES_MAX];
    const size_t n_offers = list_offers(p, offer);
    int code = 200;
    const bool asked = word && *word;
    const char *chosen =
        asked ? find_resource(p, word, strlen(word), &code) : usual_resource(p, offer, n_offers);
    if (code != 200) {
        return code;
    }
    for (size_t i = 0; i < p->tree->n_resource_names; i++) {
        show(p, p->tree->resource_name[i]);
    }
    show(p, "pods");
    for (size_t i = 0; i < n_offers; i++) {
        show(p, offer[i].name);
    }
    for (size_t i = 0, n = skr_view_class_list(p); i < n; i++) {
        show(p, p->of_class[i]);
    }
    chosen = chosen ? chosen : p->resource[0].name;
    p->looked_at = show(p, chosen);
    if (p->looked_at == SHOWN_MAX) { /* instead of the last one */
        p->n_resources--;
        p->looked_at = show(p, chosen);
    }
    return 200;
}

/* False: the size has the resource already, or no room for one more. */
static bool add_to_size(struct tree_page *p, const char *name, int64_t amount)
{
    const int id = skr_resource_names_find(p->v->e->resources, name);
    for (size_t i = 0; i < p->size.n; i++) {
        if (!p->size.item[i].unknown && p->size.item[i].resource == id) {
            return false;
        }
    }
    if (p->size.n == SKR_RESOURCES_MAX) {
        return false;
    }
    show(p, name); /* while there is room for it */
    p->size_name[p->size.n] = name;
    p->size.item[p->size.n].unknown = id < 0;
    p->size.item[p->size.n].resource = (uint16_t)(id < 0 ? 0 : id);
    p->size.item[p->size.n++].amount = amount;
    return true;
}

/* One "gpu=2" of a list split at commas. */
static int read_part(struct tree_page *p, const char *part, size_t len)
{
    struct skr_error error = {0};
    char quantity[64];
    int64_t amount = 0;
    int code = 200;
    const char *equals = memchr(part, '=', len);
    const size_t name_len = equals ? (size_t)(equals - part) : len;
    const size_t rest = equals ? len - name_len - 1 : 0;
    const int shown = (int)(len < 64 ? len : 64);
    if (!equals || name_len == 0 || rest == 0 || rest >= sizeof quantity) {
        return skr_view_refuse(p->v, 400, "slot: \"%.*s\" is not RESOURCE=QUANTITY", shown, part);
    }
    const char *name = find_resource(p, part, name_len, &code);
    if (!name) {
        return code;
    }
    const bool class_ = name == p->class_name;
    memcpy(quantity, equals + 1, rest);
    quantity[rest] = '\0';
    if (skr_resource_parse(name, quantity, &amount, &error) < 0) {
        return skr_view_refuse(p->v, 400, "slot: %.200s", error.text);
    }
    if (amount <= 0) {
        return skr_view_refuse(p->v, 400, "slot: \"%.*s\" asks for nothing", shown, part);
    }
    if (class_ && p->slot_devices == 0) {
        show(p, name);
        p->slot_devices = amount;
        return 200;
    }
    if (class_ || !add_to_size(p, name, amount)) {
        return skr_view_refuse(p->v, 400, "slot: \"%.*s\" names a resource again, or one too many",
                               shown, part);
    }
    return 200;
}

/* A core, a GiB, a device; if no Ready node has a whole core, a tenth of one, or no pod would fit.
 * Allocatable decides, not free room: a slot keeps its size. */
static int64_t usual_amount(const struct tree_page *p, const char *name)
{
    const int64_t one = skr_resource_one(name);
    int64_t most = 0;
    if (strcmp(name, "cpu") != 0) {
        return one;
    }
    for (int32_t i = 0; i < p->tree->n_leaves && most < one; i++) {
        const struct node_entry *n = p->leaf[i];
        if (!n || !n->node || !n->node->ready) {
            continue;
        }
        const int64_t cores = skr_ledger_allocatable(p->v->e->ledger, n->name, SKR_RESOURCE_CPU);
        most = cores > most ? cores : most;
    }
    return most > 0 && most < one ? one / 10 : one;
}

/* NAMESPACE/NAME, or a name that only one namespace has. NULL with *ret_code set. */
static const struct group *find_group(struct tree_page *p, const char *word, int *ret_code)
{
    const struct group *g, *tmp, *found = NULL;
    HASH_ITER(hh, p->v->e->groups, g, tmp)
    {
        if (strcmp(g->key, word) == 0) {
            return g;
        }
        if (strcmp(g->name, word) == 0 && found) {
            *ret_code = skr_view_refuse(
                p->v, 400, "slot: several namespaces have a group %.64s, name one: NAMESPACE/%.64s",
                word, word);
            return NULL;
        }
        found = strcmp(g->name, word) == 0 ? g : found;
    }
    if (!found) {
        *ret_code = skr_view_refuse(p->v, 404, "slot: there is no group \"%.64s\"", word);
    }
    return found;
}

static int refuse_role(struct tree_page *p, const struct group *g, const char *word, size_t len)
{
    SKR_STRBUF(roles);
    for (size_t r = 0; r < g->roles.n; r++) {
        skr_strbuf_addf(&roles, "%s%s", r > 0 ? ", " : "", g->roles.item[r].name);
    }
    return skr_view_refuse(p->v, 404, "slot: group %.100s has no role \"%.*s\", its roles: %.600s",
                           g->key, (int)(len < 64 ? len : 64), word, roles.s ? roles.s : "none");
}

/* ROLE@GROUP: what the members of a role request, on nodes that are open to them. */
static int read_role(struct tree_page *p, const char *text)
{
    const size_t len = strcspn(text, "@");
    size_t r = 0, n = 0;
    int code = 200;
    const struct group *g = find_group(p, &text[len + 1], &code);
    if (!g) {
        return code;
    }
    while (r < g->roles.n && !is_word(g->roles.item[r].name, text, len)) {
        r++;
    }
    if (r == g->roles.n) {
        return refuse_role(p, g, text, len);
    }
    struct pod_entry **member = skr_alloc_array(g->n_members + 1, sizeof *member), *m;
    DL_FOREACH(g->members, m)
    {
        if (skr_pods_has_seat(m) && m->role == r) {
            member[n++] = m;
        }
    }
    p->of_role = skr_shapes_of(member, n);
    p->of_group = g;
    free(member);
    if (n == 0) {
        return skr_view_refuse(p->v, 404, "slot: role %s of group %.100s has no pods yet",
                               g->roles.item[r].name, g->key);
    }
    struct skr_amounts demand;
    skr_shapes_demand(&p->of_role, &demand);
    for (size_t i = 0; i < demand.n; i++) {
        const char *name = skr_resource_names_get(p->v->e->resources, demand.item[i].resource);
        if (name) {
            add_to_size(p, name, demand.item[i].amount);
        }
    }
    skr_amounts_fini(&demand);
    const struct skr_quantity_item absent = skr_shapes_absent(p->v->e, &p->of_role);
    if (absent.name) {
        add_to_size(p, absent.name, absent.amount);
    }
    return 200;
}

static int choose_size(struct tree_page *p)
{
    const char *text = p->v->query->argument[SKR_VIEW_SLOT];
    if (!text || !*text) {
        const char *name = p->resource[p->looked_at].name;
        if (p->resource[p->looked_at].class_) {
            p->slot_devices = 1;
        } else {
            add_to_size(p, name, usual_amount(p, name));
        }
    } else if (strlen(text) > SKR_VIEW_SLOT_MAX) {
        return skr_view_refuse(p->v, 400, "slot has more than %d bytes", SKR_VIEW_SLOT_MAX);
    } else if (strchr(text, '@')) {
        const int code = read_role(p, text);
        if (code != 200) {
            return code;
        }
        text = NULL;
    }
    while (text && *text) {
        const size_t len = strcspn(text, ",");
        const int code = read_part(p, text, len);
        if (code != 200) {
            return code;
        }
        text += len;
        text += *text == ',';
    }
    for (size_t i = 0; i < p->size.n; i++) {
        if (!p->size.item[i].unknown && p->size.item[i].resource == SKR_RESOURCE_PODS) {
            return 200;
        }
    }
    add_to_size(p, "pods", 1);
    return 200;
}

/* ---- the domain ---- */

static bool has_path(const struct skr_tree *t, int32_t unit, const char *path)
{
    SKR_STRBUF(b);
    skr_view_path(t, unit, &b);
    return b.s && strcmp(b.s, path) == 0;
}

static int refuse_ambiguous(struct tree_page *p, const char *word, int32_t a, int32_t b)
{
    SKR_STRBUF(text);
    skr_view_path(p->tree, a, &text);
    skr_strbuf_add(&text, " or ");
    skr_view_path(p->tree, b, &text);
    return skr_view_refuse(p->v, 400, "domain \"%.64s\" may be %.300s", word, text.s);
}

static int choose_domain(struct tree_page *p)
{
    const char *word = p->v->query->argument[SKR_VIEW_DOMAIN];
    const char *tail = word ? short_name(word) : NULL;
    int32_t found = -1;
    if (!word || !*word || strcmp(word, p->tree->unit_name[0]) == 0) {
        return 200;
    }
    for (int32_t u = 1; u < p->tree->n_units; u++) {
        if (strcmp(p->tree->unit_name[u], tail) != 0 ||
            (tail != word && !has_path(p->tree, u, word))) {
            continue;
        }
        if (found >= 0) {
            return refuse_ambiguous(p, word, found, u);
        }
        found = u;
    }
    if (found < 0) {
        return skr_view_refuse(p->v, 404, "no domain or node \"%.64s\" in the tree", word);
    }
    p->domain = found;
    return 200;
}

int skr_view_tree_asked(struct tree_page *p)
{
    int code = choose_resources(p);
    code = code == 200 ? choose_size(p) : code;
    return code == 200 ? choose_domain(p) : code;
}
