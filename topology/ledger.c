/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: nodes by name (ledger_nodes.c), charges by pod UID (ledger_charges.c). A node keeps,
 * per resource, what is allocatable and the sum of what is charged, so that a question about free
 * capacity is one look-up and one pass over the request.
 *
 * A node's entry exists while the node does or while something is charged on its name; charges on
 * a name that no node has (yet) are summed all the same. What is read from the sums saturates at
 * INT64_MIN free, far beyond any request.
 */
#include "topology/ledger.h"

#include "topology/ledger_charges.h"
#include "topology/ledger_nodes.h"

struct skr_ledger {
    struct skr_resource_names *names;
    struct skr_ledger_nodes nodes;
    struct skr_charges charges;
    uint64_t freed_epoch;
    uint32_t *changed; /* numbers of nodes, each once; they are kept until they have been seen */
    size_t n_changed;
    size_t changed_cap;
};

static int64_t node_free(const struct skr_ledger_node *node, uint16_t resource)
{
    return resource < node->n_cells ? skr_ledger_cell_free(&node->cell[resource]) : 0;
}

static struct skr_ledger_node *obtain_node(struct skr_ledger *ledger, const char *name)
{
    struct skr_ledger_node *node = skr_ledger_nodes_find(&ledger->nodes, name);
    return node ? node : skr_ledger_nodes_add(&ledger->nodes, name);
}

static void drop_node_if_unused(struct skr_ledger *ledger, struct skr_ledger_node *node)
{
    if (!node->exists && node->n_charges == 0 && !node->changed) {
        skr_ledger_nodes_remove(&ledger->nodes, node);
    }
}

static void note_change(struct skr_ledger *ledger, struct skr_ledger_node *node)
{
    if (!node->changed) {
        node->changed = true;
        skr_grow(&ledger->changed, &ledger->changed_cap, ledger->n_changed + 1,
                 sizeof ledger->changed[0]);
        ledger->changed[ledger->n_changed++] = node->number;
    }
}

/* ---- life ---- */

struct skr_ledger *skr_ledger_create(struct skr_resource_names *names)
{
    struct skr_ledger *ledger = skr_alloc(sizeof *ledger);
    ledger->names = names;
    return ledger;
}

void skr_ledger_destroy(struct skr_ledger *ledger)
{
    if (!ledger) {
        return;
    }
    skr_charges_fini(&ledger->charges);
    skr_ledger_nodes_fini(&ledger->nodes);
    free(ledger->changed);
    free(ledger);
}

/* ---- nodes ---- */

void skr_ledger_set_node(struct skr_ledger *ledger, const char *name,
                         const struct skr_amounts *allocatable)
{
    struct skr_ledger_node *node = obtain_node(ledger, name);
    bool more = !node->exists;
    size_t at = 0;
    if (allocatable->n != 0) {
        (void)skr_ledger_node_cell(node, allocatable->item[allocatable->n - 1].resource);
    }
    for (size_t r = 0; r < node->n_cells; r++) {
        int64_t amount = 0;
        if (at < allocatable->n && allocatable->item[at].resource == r) {
            amount = allocatable->item[at++].amount;
        }
        skr_bug_on(amount < 0);
        more = more || amount > node->cell[r].allocatable;
        node->cell[r].allocatable = amount;
    }
    skr_bug_on(at != allocatable->n); /* not sorted, or a resource twice */
    node->exists = true;
    ledger->freed_epoch += more ? 1 : 0;
    note_change(ledger, node);
}

void skr_ledger_remove_node(struct skr_ledger *ledger, const char *name)
{
    struct skr_ledger_node *node = skr_ledger_nodes_find(&ledger->nodes, name);
    if (!node) {
        return;
    }
    for (size_t r = 0; r < node->n_cells; r++) {
        node->cell[r].allocatable = 0;
    }
    node->exists = false;
    note_change(ledger, node);
    drop_node_if_unused(ledger, node);
}

/* ---- charges ---- */

static struct skr_ledger_node *node_of(const struct skr_ledger *ledger,
                                       const struct skr_charge *charge)
{
    return ledger->nodes.item[charge->node];
}

static void put(struct skr_charge *charge, struct skr_ledger_node *node)
{
    for (size_t i = 0; i < charge->amounts->n; i++) {
        const struct skr_amount *amount = &charge->amounts->item[i];
        skr_ledger_cell_add(skr_ledger_node_cell(node, amount->resource), amount->amount);
    }
    node->n_charges++;
    node->n_reserved += charge->kind == SKR_CHARGE_RESERVED ? 1u : 0u;
    charge->node = node->number;
}

static void take_off(const struct skr_charge *charge, struct skr_ledger_node *node)
{
    for (size_t i = 0; i < charge->amounts->n; i++) {
        const struct skr_amount *amount = &charge->amounts->item[i];
        skr_bug_on(amount->resource >= node->n_cells);
        skr_ledger_cell_subtract(&node->cell[amount->resource], amount->amount);
    }
    skr_bug_on(node->n_charges == 0);
    node->n_charges--;
    node->n_reserved -= charge->kind == SKR_CHARGE_RESERVED ? 1u : 0u;
}

/* Whether b leaves some of what a took. Both are sorted by resource. */
static bool frees_some(const struct skr_amounts *a, const struct skr_amounts *b)
{
    size_t at = 0;
    for (size_t i = 0; i < a->n; i++) {
        while (at < b->n && b->item[at].resource < a->item[i].resource) {
            at++;
        }
        bool same = at < b->n && b->item[at].resource == a->item[i].resource;
        if (a->item[i].amount > (same ? b->item[at].amount : 0)) {
            return true;
        }
    }
    return false;
}

uint32_t skr_ledger_charge(struct skr_ledger *ledger, const char *uid, const char *name,
                           const struct skr_amounts *amounts, enum skr_charge_kind kind)
{
    struct skr_ledger_node *node = obtain_node(ledger, name);
    uint32_t number = 0;
    struct skr_charge *charge = skr_charges_find(&ledger->charges, uid, &number);
    skr_bug_on((int)kind < 0 || kind >= SKR_CHARGE_KIND_COUNT);
    if (!charge) {
        charge = skr_charges_add(&ledger->charges, uid, &number);
    } else {
        struct skr_ledger_node *old = node_of(ledger, charge);
        bool freed = old->exists &&
                     (old != node ? charge->amounts->n != 0 : frees_some(charge->amounts, amounts));
        take_off(charge, old);
        note_change(ledger, old);
        ledger->freed_epoch += freed ? 1 : 0;
        if (old != node) {
            drop_node_if_unused(ledger, old);
        }
    }
    charge->amounts = amounts;
    charge->kind = (uint8_t)kind;
    put(charge, node);
    note_change(ledger, node);
    return number;
}

const char *skr_ledger_charge_uid(const struct skr_ledger *ledger, uint32_t number,
                                  char buffer[SKR_UUID_TEXT])
{
    return skr_charge_uid(skr_charges_at(&ledger->charges, number), buffer);
}

const char *skr_ledger_charge_node(const struct skr_ledger *ledger, uint32_t number)
{
    return node_of(ledger, skr_charges_at(&ledger->charges, number))->name;
}

bool skr_ledger_release(struct skr_ledger *ledger, const char *uid)
{
    uint32_t number;
    struct skr_charge *charge = skr_charges_find(&ledger->charges, uid, &number);
    if (!charge) {
        return false;
    }
    struct skr_ledger_node *node = node_of(ledger, charge);
    bool freed = node->exists && charge->amounts->n != 0;
    take_off(charge, node);
    skr_charges_remove(&ledger->charges, number);
    ledger->freed_epoch += freed ? 1 : 0;
    note_change(ledger, node);
    drop_node_if_unused(ledger, node);
    return true;
}

const char *skr_ledger_find(const struct skr_ledger *ledger, const char *uid,
                            enum skr_charge_kind *ret_kind)
{
    const struct skr_charge *charge = skr_charges_find(&ledger->charges, uid, NULL);
    if (!charge) {
        return NULL;
    }
    if (ret_kind) {
        *ret_kind = (enum skr_charge_kind)charge->kind;
    }
    return node_of(ledger, charge)->name;
}

const struct skr_amounts *skr_ledger_amounts(const struct skr_ledger *ledger, const char *uid,
                                             const char **ret_node)
{
    const struct skr_charge *charge = skr_charges_find(&ledger->charges, uid, NULL);
    if (!charge) {
        return NULL;
    }
    *ret_node = node_of(ledger, charge)->name;
    return charge->amounts;
}

void skr_ledger_revalue(struct skr_ledger *ledger, void (*change)(void *context), void *context)
{
    struct skr_charge *charge;
    for (size_t at = 0; (charge = skr_charges_next(&ledger->charges, &at));) {
        take_off(charge, node_of(ledger, charge));
    }
    change(context);
    for (size_t at = 0; (charge = skr_charges_next(&ledger->charges, &at));) {
        put(charge, node_of(ledger, charge));
        note_change(ledger, node_of(ledger, charge));
    }
    ledger->freed_epoch++;
}

/* ---- questions ---- */

bool skr_ledger_has_node(const struct skr_ledger *ledger, const char *name)
{
    const struct skr_ledger_node *node = skr_ledger_nodes_find(&ledger->nodes, name);
    return node && node->exists;
}

int64_t skr_ledger_node_free(const struct skr_ledger_node *node, uint16_t resource)
{
    return node && node->exists ? node_free(node, resource) : 0;
}

int64_t skr_ledger_node_allocatable(const struct skr_ledger_node *node, uint16_t resource)
{
    bool has = node && node->exists && resource < node->n_cells;
    return has ? node->cell[resource].allocatable : 0;
}

int skr_part_compare(const struct skr_part *a, const struct skr_part *b)
{
    const skr_int128 x = (skr_int128)a->used * b->all, y = (skr_int128)b->used * a->all;
    return (x > y) - (x < y);
}

struct skr_part skr_ledger_node_use(const struct skr_ledger_node *node)
{
    struct skr_part most = {0, 1};
    for (uint16_t r = 0; node && r < node->n_cells; r++) {
        const int64_t all = node->cell[r].allocatable, left = node_free(node, r);
        const struct skr_part part = {skr_amount_sum(all, left < 0 ? 0 : -left), all};
        most = all > 0 && skr_part_compare(&part, &most) > 0 ? part : most;
    }
    return most;
}

int64_t skr_ledger_free(const struct skr_ledger *ledger, const char *name, uint16_t resource)
{
    return skr_ledger_node_free(skr_ledger_nodes_find(&ledger->nodes, name), resource);
}

void skr_ledger_free_each(const struct skr_ledger *ledger, const char *name,
                          const uint16_t *resource, size_t n, int64_t *ret)
{
    const struct skr_ledger_node *node = skr_ledger_nodes_find(&ledger->nodes, name);
    for (size_t i = 0; i < n; i++) {
        ret[i] = skr_ledger_node_free(node, resource[i]);
    }
}

int64_t skr_ledger_allocatable(const struct skr_ledger *ledger, const char *name, uint16_t resource)
{
    return skr_ledger_node_allocatable(skr_ledger_nodes_find(&ledger->nodes, name), resource);
}

static bool lists(const struct skr_ledger_node *node, uint16_t resource)
{
    return resource < node->n_cells && node->cell[resource].allocatable > 0;
}

/* The one rule about resources that the node does not list. */
static bool is_unlimited(const struct skr_ledger_node *node, const struct skr_amount *want)
{
    return want->by_class && !lists(node, want->resource);
}

int64_t skr_ledger_node_room(const struct skr_ledger_node *node, const struct skr_amount *request)
{
    bool unlimited = node && node->exists && is_unlimited(node, request);
    return unlimited ? SKR_ROOM_UNLIMITED : skr_ledger_node_free(node, request->resource);
}

int64_t skr_ledger_node_empty_room(const struct skr_ledger_node *node,
                                   const struct skr_amount *request)
{
    bool unlimited = node && node->exists && is_unlimited(node, request);
    return unlimited ? SKR_ROOM_UNLIMITED : skr_ledger_node_allocatable(node, request->resource);
}

/* returned: amounts that are not counted on the node, or NULL. */
static bool has_room(const struct skr_ledger_node *node, const struct skr_amount *want,
                     const struct skr_amounts *returned)
{
    int64_t back = returned ? skr_amounts_get(returned, want->resource) : 0;
    int64_t free_now = node_free(node, want->resource);
    if (back != 0) {
        struct skr_ledger_cell cell = node->cell[want->resource];
        skr_ledger_cell_subtract(&cell, back);
        free_now = skr_ledger_cell_free(&cell);
    }
    return want->amount <= 0 || want->amount <= free_now || is_unlimited(node, want);
}

/* listed: only what the node lists counts. */
static bool node_fits(const struct skr_ledger_node *node, const struct skr_amounts *amounts,
                      const struct skr_amounts *returned, bool listed)
{
    for (size_t i = 0; i < amounts->n; i++) {
        const struct skr_amount *want = &amounts->item[i];
        if (!has_room(node, want, returned) && (!listed || lists(node, want->resource))) {
            return false;
        }
    }
    return true;
}

/* Without what is charged for the UID except, if that stands on the node. */
static bool fits_but(const struct skr_ledger *ledger, const struct skr_ledger_node *node,
                     const struct skr_amounts *amounts, const char *except, bool listed)
{
    if (node_fits(node, amounts, NULL, listed)) {
        return true;
    }
    /* Only now the second look-up: most nodes fit or have nothing of the pod on them. */
    const struct skr_charge *charge =
        except ? skr_charges_find(&ledger->charges, except, NULL) : NULL;
    return charge && charge->node == node->number &&
           node_fits(node, amounts, charge->amounts, listed);
}

bool skr_ledger_fits(const struct skr_ledger *ledger, const char *name,
                     const struct skr_amounts *amounts, const char *except)
{
    const struct skr_ledger_node *node = skr_ledger_nodes_find(&ledger->nodes, name);
    return node && node->exists && fits_but(ledger, node, amounts, except, false);
}

bool skr_ledger_is_kept(const struct skr_ledger *ledger, const struct skr_ledger_node *node,
                        const struct skr_amounts *amounts, const char *except)
{
    return node && node->n_reserved > 0 && !fits_but(ledger, node, amounts, except, true);
}

const struct skr_ledger_node *skr_ledger_get(const struct skr_ledger *ledger, const char *name)
{
    return skr_ledger_nodes_find(&ledger->nodes, name);
}

uint64_t skr_ledger_numbers_epoch(const struct skr_ledger *ledger)
{
    return ledger->nodes.n_removed;
}

uint32_t skr_ledger_node_number(const struct skr_ledger_node *node)
{
    return node->number;
}

int32_t skr_ledger_slots(const struct skr_ledger_node *node, const struct skr_amounts *amounts)
{
    int64_t slots = INT32_MAX;
    if (!node || !node->exists) {
        return 0;
    }
    for (size_t i = 0; i < amounts->n; i++) {
        const struct skr_amount *want = &amounts->item[i];
        const int64_t here = skr_room_holds(skr_ledger_node_room(node, want), want->amount);
        slots = here < slots ? here : slots;
    }
    return (int32_t)slots;
}

void skr_ledger_see_changed(struct skr_ledger *ledger, void (*see)(void *context, const char *node),
                            void *context)
{
    for (size_t i = 0; i < ledger->n_changed; i++) {
        struct skr_ledger_node *node = ledger->nodes.item[ledger->changed[i]];
        see(context, node->name);
        node->changed = false;
        drop_node_if_unused(ledger, node);
    }
    ledger->n_changed = 0;
}

uint64_t skr_ledger_freed_epoch(const struct skr_ledger *ledger)
{
    return ledger->freed_epoch;
}

size_t skr_ledger_charge_bytes(const struct skr_ledger *ledger)
{
    return skr_slab_bytes(&ledger->charges.item) + skr_hash_index_bytes(&ledger->charges.index);
}

/* ---- the check ---- */

/* What the charges on one node add up to. */
struct recount {
    size_t n_charges;
    size_t n_reserved;
    struct skr_ledger_cell *cell; /* as many as the node has */
};

static int complain(struct skr_error *error, const struct skr_ledger_node *node, const char *what,
                    size_t kept, size_t counted)
{
    return skr_error_set(error, SKR_BUG, "ledger: node \"%.100s\": %zu %s, counted %zu", node->name,
                         kept, what, counted);
}

static int compare_cell(const struct skr_ledger *ledger, const struct skr_ledger_node *node,
                        size_t r, const struct skr_ledger_cell *counted, struct skr_error *error)
{
    const struct skr_ledger_cell *cell = &node->cell[r];
    const char *name = skr_resource_names_get(ledger->names, (uint16_t)r);
    const char *resource = name ? name : "resource that no node has";
    if (cell->charged != counted->charged || cell->carry != counted->carry) {
        return skr_error_set(error, SKR_BUG,
                             "ledger: node \"%.100s\": %.60s: %llu charged, charges add up to %llu",
                             node->name, resource, (unsigned long long)cell->charged,
                             (unsigned long long)counted->charged);
    }
    if (cell->allocatable < 0 || (cell->allocatable > 0 && !node->exists)) {
        return skr_error_set(error, SKR_BUG, "ledger: node \"%.100s\": %.60s: %lld allocatable%s",
                             node->name, resource, (long long)cell->allocatable,
                             node->exists ? "" : " but the node does not exist");
    }
    return 0;
}

static int compare_node(const struct skr_ledger *ledger, const struct skr_ledger_node *node,
                        const struct recount *sum, struct skr_error *error)
{
    int rc = 0;
    if (!node->exists && node->n_charges == 0 && !node->changed) {
        rc = skr_error_set(error, SKR_BUG, "ledger: node \"%.100s\": kept for nothing", node->name);
    } else if (node->n_charges != sum->n_charges) {
        rc = complain(error, node, "charges", node->n_charges, sum->n_charges);
    } else if (node->n_reserved != sum->n_reserved) {
        rc = complain(error, node, "reservations", node->n_reserved, sum->n_reserved);
    }
    for (size_t r = 0; rc == 0 && r < node->n_cells; r++) {
        rc = compare_cell(ledger, node, r, &sum->cell[r], error);
    }
    return rc;
}

/* Adds every charge to the sum of its node. */
static int recount_charges(const struct skr_ledger *ledger, struct recount *sums,
                           struct skr_error *error)
{
    const struct skr_charge *charge;
    for (size_t at = 0; (charge = skr_charges_next(&ledger->charges, &at));) {
        if (charge->node >= ledger->nodes.n || !node_of(ledger, charge)) {
            char uid[SKR_UUID_TEXT];
            return skr_error_set(error, SKR_BUG, "ledger: charge of %.100s: on no node",
                                 skr_charge_uid(charge, uid));
        }
        const struct skr_ledger_node *node = node_of(ledger, charge);
        struct recount *sum = &sums[charge->node];
        sum->n_charges++;
        sum->n_reserved += charge->kind == SKR_CHARGE_RESERVED ? 1 : 0;
        for (size_t i = 0; i < charge->amounts->n; i++) {
            const struct skr_amount *amount = &charge->amounts->item[i];
            if (amount->resource >= node->n_cells) {
                return skr_error_set(error, SKR_BUG,
                                     "ledger: node \"%.100s\": resource %u is not counted",
                                     node->name, amount->resource);
            }
            skr_ledger_cell_add(&sum->cell[amount->resource], amount->amount);
        }
    }
    return 0;
}

int skr_ledger_check(const struct skr_ledger *ledger, struct skr_error *error)
{
    const struct skr_ledger_nodes *nodes = &ledger->nodes;
    size_t n_cells = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        n_cells += nodes->item[i] ? nodes->item[i]->n_cells : 0;
    }
    SKR_AUTO_FREE struct recount *sums = skr_alloc_array(nodes->n, sizeof sums[0]);
    SKR_AUTO_FREE struct skr_ledger_cell *cells = skr_alloc_array(n_cells, sizeof cells[0]);
    n_cells = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        sums[i].cell = cells + n_cells;
        n_cells += nodes->item[i] ? nodes->item[i]->n_cells : 0;
    }
    int rc = recount_charges(ledger, sums, error);
    for (size_t i = 0; rc == 0 && i < nodes->n; i++) {
        if (nodes->item[i]) {
            rc = compare_node(ledger, nodes->item[i], &sums[i], error);
        }
    }
    return rc;
}
