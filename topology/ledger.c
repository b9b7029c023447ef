/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: a hash of nodes by name and one of charges by pod UID (uthash; its order reaches no
 * output). A node keeps, per resource, what is allocatable and the sum of what is charged, so that
 * a question about free capacity is one look-up and one pass over the request.
 *
 * A node's entry exists while the node does or while something is charged on its name; charges on
 * a name that no node has (yet) are summed all the same. Rows grow when a resource id beyond their
 * end is charged or allocatable; a missing cell is zero.
 *
 * Sums cannot overflow: they are kept as 64 bits and a carry. What is read from them saturates at
 * INT64_MIN free, far beyond any request.
 */
#include "topology/ledger.h"

#include <string.h>

#define uthash_fatal(msg) abort() /* out of memory, as skr_alloc does */
#include <uthash.h>

struct cell {
    int64_t allocatable;
    uint64_t charged; /* low 64 bits of the sum */
    uint32_t carry;   /* high bits */
};

struct ledger_node {
    char *name;
    bool exists;
    size_t n_cells;
    struct cell *cell;
    size_t n_charges;
    size_t n_reserved;
    size_t check_index; /* used by skr_ledger_check alone */
    UT_hash_handle hh;
};

struct charge {
    struct ledger_node *node;
    const struct skr_amounts *amounts;
    enum skr_charge_kind kind;
    UT_hash_handle hh;
    char uid[];
};

struct skr_ledger {
    struct skr_resource_names *names;
    struct ledger_node *nodes;
    struct charge *charges;
    uint64_t freed_epoch;
};

/* ---- one node ---- */

static struct cell *cell_of(struct ledger_node *node, uint16_t resource)
{
    skr_grow(&node->cell, &node->n_cells, (size_t)resource + 1, sizeof(node->cell[0]));
    return &node->cell[resource];
}

static void cell_add(struct cell *cell, int64_t amount)
{
    skr_bug_on(amount < 0);
    cell->charged += (uint64_t)amount;
    cell->carry += cell->charged < (uint64_t)amount ? 1 : 0;
}

static void cell_subtract(struct cell *cell, int64_t amount)
{
    uint64_t value = (uint64_t)amount;
    if (cell->charged < value) {
        skr_bug_on(cell->carry == 0);
        cell->carry--;
    }
    cell->charged -= value;
}

static int64_t cell_free(const struct cell *cell)
{
    uint64_t allocatable = (uint64_t)cell->allocatable;
    if (cell->carry == 0 && cell->charged <= allocatable) {
        return (int64_t)(allocatable - cell->charged);
    }
    uint64_t missing = cell->charged - allocatable;
    bool beyond = cell->carry > 1 || (cell->carry == 1 && cell->charged >= allocatable);
    if (beyond || missing > (uint64_t)INT64_MAX) {
        return INT64_MIN;
    }
    return -(int64_t)missing;
}

static int64_t node_free(const struct ledger_node *node, uint16_t resource)
{
    return resource < node->n_cells ? cell_free(&node->cell[resource]) : 0;
}

static struct ledger_node *find_node(const struct skr_ledger *ledger, const char *name)
{
    struct ledger_node *node = NULL;
    HASH_FIND_STR(ledger->nodes, name, node);
    return node;
}

static struct ledger_node *obtain_node(struct skr_ledger *ledger, const char *name)
{
    struct ledger_node *node = find_node(ledger, name);
    if (node == NULL) {
        node = skr_alloc(sizeof(*node));
        node->name = skr_strdup(name);
        HASH_ADD_KEYPTR(hh, ledger->nodes, node->name, strlen(node->name), node);
    }
    return node;
}

static void free_node(struct skr_ledger *ledger, struct ledger_node *node)
{
    HASH_DEL(ledger->nodes, node);
    free(node->name);
    free(node->cell);
    free(node);
}

static void drop_node_if_unused(struct skr_ledger *ledger, struct ledger_node *node)
{
    if (!node->exists && node->n_charges == 0) {
        free_node(ledger, node);
    }
}

/* ---- life ---- */

struct skr_ledger *skr_ledger_create(struct skr_resource_names *names)
{
    struct skr_ledger *ledger = skr_alloc(sizeof(*ledger));
    ledger->names = names;
    return ledger;
}

void skr_ledger_destroy(struct skr_ledger *ledger)
{
    if (ledger == NULL) {
        return;
    }
    struct charge *charge;
    struct charge *next_charge;
    HASH_ITER(hh, ledger->charges, charge, next_charge)
    {
        HASH_DEL(ledger->charges, charge);
        free(charge);
    }
    struct ledger_node *node;
    struct ledger_node *next_node;
    HASH_ITER(hh, ledger->nodes, node, next_node)
    {
        free_node(ledger, node);
    }
    free(ledger);
}

/* ---- nodes ---- */

void skr_ledger_set_node(struct skr_ledger *ledger, const char *name,
                         const struct skr_amounts *allocatable)
{
    struct ledger_node *node = obtain_node(ledger, name);
    bool more = !node->exists;
    size_t at = 0;

    if (allocatable->n != 0) {
        (void)cell_of(node, allocatable->item[allocatable->n - 1].resource);
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
}

void skr_ledger_remove_node(struct skr_ledger *ledger, const char *name)
{
    struct ledger_node *node = find_node(ledger, name);
    if (node == NULL) {
        return;
    }
    for (size_t r = 0; r < node->n_cells; r++) {
        node->cell[r].allocatable = 0;
    }
    node->exists = false;
    drop_node_if_unused(ledger, node);
}

/* ---- charges ---- */

static struct charge *find_charge(const struct skr_ledger *ledger, const char *uid)
{
    struct charge *charge = NULL;
    HASH_FIND_STR(ledger->charges, uid, charge);
    return charge;
}

static void put(struct charge *charge, struct ledger_node *node)
{
    for (size_t i = 0; i < charge->amounts->n; i++) {
        const struct skr_amount *amount = &charge->amounts->item[i];
        cell_add(cell_of(node, amount->resource), amount->amount);
    }
    node->n_charges++;
    node->n_reserved += charge->kind == SKR_CHARGE_RESERVED ? 1 : 0;
    charge->node = node;
}

static void take_off(struct charge *charge)
{
    struct ledger_node *node = charge->node;
    for (size_t i = 0; i < charge->amounts->n; i++) {
        const struct skr_amount *amount = &charge->amounts->item[i];
        skr_bug_on(amount->resource >= node->n_cells);
        cell_subtract(&node->cell[amount->resource], amount->amount);
    }
    skr_bug_on(node->n_charges == 0);
    node->n_charges--;
    node->n_reserved -= charge->kind == SKR_CHARGE_RESERVED ? 1 : 0;
    charge->node = NULL;
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

void skr_ledger_charge(struct skr_ledger *ledger, const char *uid, const char *name,
                       const struct skr_amounts *amounts, enum skr_charge_kind kind)
{
    struct ledger_node *node = obtain_node(ledger, name);
    struct charge *charge = find_charge(ledger, uid);

    skr_bug_on((int)kind < 0 || kind >= SKR_CHARGE_KIND_COUNT);
    if (charge == NULL) {
        size_t len = strlen(uid);
        charge = skr_alloc(sizeof(*charge) + len + 1);
        memcpy(charge->uid, uid, len + 1);
        HASH_ADD_KEYPTR(hh, ledger->charges, charge->uid, len, charge);
    } else {
        struct ledger_node *old = charge->node;
        bool freed = old->exists &&
                     (old != node ? charge->amounts->n != 0 : frees_some(charge->amounts, amounts));
        take_off(charge);
        ledger->freed_epoch += freed ? 1 : 0;
        if (old != node) {
            drop_node_if_unused(ledger, old);
        }
    }
    charge->amounts = amounts;
    charge->kind = kind;
    put(charge, node);
}

bool skr_ledger_release(struct skr_ledger *ledger, const char *uid)
{
    struct charge *charge = find_charge(ledger, uid);
    if (charge == NULL) {
        return false;
    }
    struct ledger_node *node = charge->node;
    bool freed = node->exists && charge->amounts->n != 0;
    take_off(charge);
    ledger->freed_epoch += freed ? 1 : 0;
    drop_node_if_unused(ledger, node);
    HASH_DEL(ledger->charges, charge);
    free(charge);
    return true;
}

const char *skr_ledger_find(const struct skr_ledger *ledger, const char *uid,
                            enum skr_charge_kind *ret_kind)
{
    const struct charge *charge = find_charge(ledger, uid);
    if (charge == NULL) {
        return NULL;
    }
    if (ret_kind != NULL) {
        *ret_kind = charge->kind;
    }
    return charge->node->name;
}

/* ---- questions ---- */

bool skr_ledger_has_node(const struct skr_ledger *ledger, const char *name)
{
    const struct ledger_node *node = find_node(ledger, name);
    return node != NULL && node->exists;
}

int64_t skr_ledger_free(const struct skr_ledger *ledger, const char *name, uint16_t resource)
{
    const struct ledger_node *node = find_node(ledger, name);
    return node != NULL && node->exists ? node_free(node, resource) : 0;
}

int64_t skr_ledger_allocatable(const struct skr_ledger *ledger, const char *name, uint16_t resource)
{
    const struct ledger_node *node = find_node(ledger, name);
    if (node == NULL || !node->exists || resource >= node->n_cells) {
        return 0;
    }
    return node->cell[resource].allocatable;
}

/* returned: amounts that are not counted on the node, or NULL. */
static bool node_fits(const struct ledger_node *node, const struct skr_amounts *amounts,
                      const struct skr_amounts *returned)
{
    for (size_t i = 0; i < amounts->n; i++) {
        const struct skr_amount *want = &amounts->item[i];
        int64_t back = returned != NULL ? skr_amounts_get(returned, want->resource) : 0;
        int64_t free_now = node_free(node, want->resource);
        if (back != 0) {
            struct cell cell = node->cell[want->resource];
            cell_subtract(&cell, back);
            free_now = cell_free(&cell);
        }
        if (want->amount > 0 && want->amount > free_now) {
            return false;
        }
    }
    return true;
}

bool skr_ledger_fits(const struct skr_ledger *ledger, const char *name,
                     const struct skr_amounts *amounts, const char *except)
{
    const struct ledger_node *node = find_node(ledger, name);
    if (node == NULL || !node->exists) {
        return false;
    }
    if (node_fits(node, amounts, NULL)) {
        return true;
    }
    /* Only now the second look-up: most nodes fit or have nothing of the pod on them. */
    const struct charge *charge = except != NULL ? find_charge(ledger, except) : NULL;
    return charge != NULL && charge->node == node && node_fits(node, amounts, charge->amounts);
}

uint64_t skr_ledger_freed_epoch(const struct skr_ledger *ledger)
{
    return ledger->freed_epoch;
}

bool skr_ledger_is_reserved(const struct skr_ledger *ledger, const char *name)
{
    const struct ledger_node *node = find_node(ledger, name);
    return node != NULL && node->n_reserved > 0;
}

/* ---- the check ---- */

/* What the charges on one node add up to. */
struct recount {
    size_t n_charges;
    size_t n_reserved;
    struct cell *cell; /* as many as the node has */
};

static int complain(struct skr_error *error, const struct ledger_node *node, const char *what,
                    size_t kept, size_t counted)
{
    return skr_error_set(error, SKR_BUG, "ledger: node \"%.100s\": %zu %s, counted %zu", node->name,
                         kept, what, counted);
}

static int compare_cell(const struct skr_ledger *ledger, const struct ledger_node *node, size_t r,
                        const struct cell *counted, struct skr_error *error)
{
    const struct cell *cell = &node->cell[r];
    const char *resource = r < skr_resource_names_count(ledger->names)
                               ? skr_resource_names_get(ledger->names, (uint16_t)r)
                               : "unknown resource";
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

static int compare_node(const struct skr_ledger *ledger, const struct ledger_node *node,
                        const struct recount *sum, struct skr_error *error)
{
    int rc = 0;
    if (!node->exists && node->n_charges == 0) {
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

/* Adds every charge to the sum of its node, which node->check_index finds. */
static int recount_charges(const struct skr_ledger *ledger, struct recount *sums,
                           struct skr_error *error)
{
    for (struct charge *charge = ledger->charges; charge != NULL; charge = charge->hh.next) {
        const struct ledger_node *node = charge->node;
        struct recount *sum = &sums[node->check_index];
        if (find_node(ledger, node->name) != node) {
            return skr_error_set(error, SKR_BUG, "ledger: uid \"%.100s\": on an unknown node",
                                 charge->uid);
        }
        sum->n_charges++;
        sum->n_reserved += charge->kind == SKR_CHARGE_RESERVED ? 1 : 0;
        for (size_t i = 0; i < charge->amounts->n; i++) {
            const struct skr_amount *amount = &charge->amounts->item[i];
            if (amount->resource >= node->n_cells) {
                return skr_error_set(error, SKR_BUG,
                                     "ledger: uid \"%.100s\": resource %u is not counted",
                                     charge->uid, amount->resource);
            }
            cell_add(&sum->cell[amount->resource], amount->amount);
        }
    }
    return 0;
}

int skr_ledger_check(const struct skr_ledger *ledger, struct skr_error *error)
{
    size_t n_nodes = HASH_COUNT(ledger->nodes);
    size_t n_cells = 0;
    size_t at = 0;
    for (struct ledger_node *node = ledger->nodes; node != NULL; node = node->hh.next) {
        n_cells += node->n_cells;
    }
    struct recount *sums = skr_alloc_array(n_nodes, sizeof(sums[0]));
    struct cell *cells = skr_alloc_array(n_cells, sizeof(cells[0]));
    n_cells = 0;
    for (struct ledger_node *node = ledger->nodes; node != NULL; node = node->hh.next) {
        sums[at].cell = cells + n_cells;
        n_cells += node->n_cells;
        node->check_index = at++;
    }
    int rc = recount_charges(ledger, sums, error);
    for (struct ledger_node *node = ledger->nodes; rc == 0 && node != NULL; node = node->hh.next) {
        rc = compare_node(ledger, node, &sums[node->check_index], error);
    }
    free(cells);
    free(sums);
    return rc;
}
