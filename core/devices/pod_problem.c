/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of requests over devices: selectors, taints, capacities, values of attributes. */
#include "core/devices/pod_problem.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/devices/answers.h"
#include "core/devices/stock_parts.h"

#define WHOLE ((skr_int128)1000000000) /* in billionths */
#define MILLI ((skr_int128)1000000)

struct making {
    const struct skr_devices_stock *stock;
    const struct skr_node_rows *rows;
    struct skr_arena *arena;
    bool full, fails;
    const char *why;
    enum skr_uncounted uncounted; /* why is not NULL: its kind */
};

static void *room(struct making *m, size_t n, size_t size)
{
    void *memory = skr_arena_array(m->arena, n + 1, size);
    m->full = m->full || !memory;
    return memory;
}

static void unmodelled(struct making *m, const char *why, enum skr_uncounted kind)
{
    m->uncounted = m->why ? m->uncounted : kind;
    m->why = m->why ? m->why : why;
}

/* ---- capacities ---- */

/* Rounded up, as Quantity.Value() and MilliValue(). */
static skr_int128 units(skr_int128 nano, skr_int128 unit)
{
    return nano >= 0 ? (nano + unit - 1) / unit : -(-nano / unit);
}

static bool is_milli(skr_int128 nano)
{
    return nano % MILLI == 0 && nano / MILLI <= INT64_MAX;
}

/* That of steps: 1.37 counts in thousandths where it can (feature gate DRAFractionalCapacityRange). */
static skr_int128 unit_of(const struct making *m, const struct skr_device_policy *policy)
{
    const bool milli = m->stock->version >= SKR_DEVICES_1_37 && is_milli(policy->min) &&
                       is_milli(policy->step) && policy->step >= MILLI &&
                       (!policy->has_max || is_milli(policy->max));
    return milli ? MILLI : WHOLE;
}

static skr_int128 round_in_range(const struct making *m, const struct skr_device_policy *policy,
                                 skr_int128 wanted, bool *fails)
{
    const skr_int128 unit = unit_of(m, policy);
    const skr_int128 step = units(policy->step, unit), min = units(policy->min, unit);
    if (wanted < policy->min) {
        return policy->min;
    }
    if (!policy->has_step || step <= 0) {
        return wanted;
    }
    const skr_int128 added = units(wanted, unit) - min;
    const skr_int128 value = min + step * (added / step + (added % step != 0));
    *fails = *fails || value > INT64_MAX || units(wanted, unit) > INT64_MAX ||
             (unit == MILLI && !is_milli(wanted));
    return value * unit;
}

/* What a request for `wanted` consumes; wanted NULL: nothing is said about the capacity. */
static skr_int128 consumed_of(const struct making *m, const struct skr_device_capacity *c,
                              const skr_int128 *wanted, bool *fails)
{
    const struct skr_device_policy *policy = c->policy;
    if (!wanted) {
        return policy && policy->has_default ? policy->default_ : c->value;
    }
    if (policy && policy->has_range) {
        return round_in_range(m, policy, *wanted, fails);
    }
    for (size_t i = 0; policy && i < policy->n_values; i++) {
        if (*wanted <= policy->value[i]) {
            return policy->value[i];
        }
    }
    return *wanted;
}

static bool violates(const struct making *m, const struct skr_device_policy *policy,
                     skr_int128 value)
{
    if (!policy || (policy->has_default && value == policy->default_)) {
        return false;
    }
    if (policy->has_range) {
        const skr_int128 unit = unit_of(m, policy), step = units(policy->step, unit);
        const bool steps = policy->has_step && step > 0;
        return (policy->has_max && value > policy->max) ||
               (steps && unit == MILLI && !is_milli(value)) ||
               (steps && (units(value, unit) - units(policy->min, unit)) % step != 0);
    }
    bool found = policy->n_values == 0;
    for (size_t i = 0; !found && i < policy->n_values; i++) {
        found = policy->value[i] == value;
    }
    return !found;
}

static const skr_int128 *wanted_of(const struct skr_claim_request *request, const char *capacity)
{
    for (size_t i = 0; i < request->n_amounts; i++) {
        if (strcmp(request->amount[i].name, capacity) == 0) {
            return &request->amount[i].value;
        }
    }
    return NULL;
}

static bool has_capacity(const struct skr_device_kind *kind, const char *name)
{
    size_t i = 0;
    while (i < kind->n_capacities && strcmp(kind->capacity[i].name, name) != 0) {
        i++;
    }
    return i < kind->n_capacities;
}

/* Whether the device is large enough when it is empty; what is consumed of a shared one goes to need.
 * From 1.37 on, what has no number is an error. */
static enum skr_devices_match fits(const struct making *m, const struct skr_claim_request *request,
                                   const struct skr_device_kind *kind, skr_int128 *need)
{
    bool fails = false, fit = true;
    for (size_t i = 0; i < request->n_amounts; i++) {
        if (!has_capacity(kind, request->amount[i].name)) {
            return SKR_DEVICES_NO;
        }
    }
    for (size_t i = 0; i < kind->n_capacities; i++) {
        const struct skr_device_capacity *c = &kind->capacity[i];
        const skr_int128 value = consumed_of(m, c, wanted_of(request, c->name), &fails);
        fails = fails || value < 0;
        fit = fit && !violates(m, c->policy, value) && value <= c->value;
        if (kind->shared) {
            need[i] = value;
        }
    }
    return fails && m->stock->version >= SKR_DEVICES_1_37 ? SKR_DEVICES_FAILS
           : fit                                          ? SKR_DEVICES_YES
                                                          : SKR_DEVICES_NO;
}

/* ---- selectors ---- */

/* A later selector is not looked at where an earlier one does not match. */
static void narrow(struct making *m, struct skr_device_selector *selector, uint8_t *match)
{
    const struct skr_stock_slice *slice = NULL;
    const uint8_t *answer = NULL;
    if (m->why) {
        return;
    }
    if (!selector) {
        unmodelled(m, "there are more than 4096 different selectors", SKR_UNCOUNTED_BUDGET);
        return;
    }
    for (size_t row = 0; row < m->rows->node.n; row++) {
        const struct skr_node_row *at = &m->rows->row[row];
        if (match[row] != SKR_DEVICES_YES) {
            continue;
        }
        if (at->slice != slice) {
            slice = at->slice;
            answer = skr_devices_stock_answers(m->stock, at->slice, selector);
        }
        if (!answer) {
            unmodelled(m, skr_devices_later, SKR_UNCOUNTED_BUDGET);
            return;
        }
        switch ((enum skr_device_selector_answer)answer[at->device]) {
        case SKR_SELECTOR_YES:
            break;
        case SKR_SELECTOR_NO:
            match[row] = SKR_DEVICES_NO;
            break;
        case SKR_SELECTOR_FAILS:
            match[row] = SKR_DEVICES_FAILS;
            break;
        case SKR_SELECTOR_UNMODELLED:
        default:
            unmodelled(m, selector->program ? "a selector costs too much" : selector->why,
                       SKR_UNCOUNTED_SELECTOR);
            break;
        }
    }
}

/* The first device of the slice from this one on that may serve the request; n_devices: none may. */
static size_t next_that_may_serve(const struct skr_devices_stock *stock, struct skr_stock_slice *s,
                                  size_t d, const struct skr_claim_request *request,
                                  const struct skr_stock_class *class)
{
    for (; class && d < s->slice->n_devices; d++) {
        bool may = true;
        for (size_t i = 0; may && i < class->n + request->n_selectors; i++) {
            struct skr_device_selector *selector =
                i < class->n ? class->selector[i] : request->selector[i - class->n];
            const uint8_t *answer = selector ? skr_devices_stock_answers(stock, s, selector) : NULL;
            may = !answer || answer[d] != SKR_SELECTOR_NO;
        }
        if (may) {
            return d;
        }
    }
    return s->slice->n_devices;
}

/* Whether a device may serve the request of which it is not known which nodes reach it. */
static bool is_served_somewhere(const struct skr_devices_stock *stock,
                                const struct skr_claim_request *request,
                                const struct skr_stock_class *class)
{
    struct skr_stock_slice *s;
    DL_FOREACH2(stock->elsewhere, s, nnext)
    {
        for (size_t d = 0; d < s->slice->n_devices; d++) {
            const struct skr_stock_region *region = s->of_device ? s->of_device[d] : s->region;
            if (region && !region->nodes && next_that_may_serve(stock, s, d, request, class) == d) {
                return true;
            }
        }
    }
    return false;
}

static void add_reach(const struct skr_devices_stock *stock,
                      const struct skr_claim_request *request, struct skr_stock_slice *s,
                      struct skr_stock_reach *to)
{
    const struct skr_stock_class *class = skr_devices_stock_class(stock, request->class_);
    for (size_t d = 0; (d = next_that_may_serve(stock, s, d, request, class)) < s->slice->n_devices;
         d++) {
        skr_stock_reach_add(to, s, d);
        if (!s->of_device) {
            return; /* the others are like it */
        }
    }
}

static void find_reach(const struct skr_devices_stock *stock, struct skr_claim_spec *spec)
{
    struct skr_stock_slice *s, *next;
    struct skr_stock_reach reach = {.n = 0};
    HASH_ITER(hh, stock->slices, s, next)
    {
        for (size_t i = 0; i < spec->n_requests; i++) {
            add_reach(stock, &spec->request[i], s, &reach);
        }
    }
    free(spec->region);
    spec->reach = skr_stock_reach_end(&reach);
    spec->reach_epoch = skr_devices_are_later(stock) ? 0 : stock->epoch; /* some are not known */
    spec->region = reach.region;
    spec->n_regions = spec->reach == SKR_CLAIM_OF_REGIONS ? reach.n : 0;
}

enum skr_claim_reach skr_claim_reach_of(const struct skr_devices_stock *stock,
                                        const struct skr_claim_spec *spec)
{
    struct skr_claim_spec *cache = (struct skr_claim_spec *)(uintptr_t)spec;
    if (!stock->everywhere && !stock->elsewhere) {
        return SKR_CLAIM_OF_ONE_NODE;
    }
    if (spec->reach_epoch != stock->epoch || spec->reach_epoch == 0) {
        find_reach(stock, cache);
    }
    return spec->reach;
}

static bool repels(const struct skr_claim_request *request, const struct skr_device_taint *taint)
{
    return (strcmp(taint->effect, "NoSchedule") == 0 || strcmp(taint->effect, "NoExecute") == 0) &&
           !skr_claim_tolerates(request, taint);
}

static bool is_any_or(const char *selected, const char *name)
{
    return !*selected || strcmp(selected, name) == 0;
}

/* Whether the rule is about the device. */
static bool is_selected(const struct skr_devices_stock *stock,
                        const struct skr_device_taint_rule *rule,
                        const struct skr_device_slice *slice, const struct skr_device *device)
{
    return (rule->selects || stock->version < SKR_DEVICES_1_37) &&
           is_any_or(rule->driver, slice->driver) && is_any_or(rule->pool, slice->pool) &&
           is_any_or(rule->device, device->name);
}

bool skr_device_is_tainted(const struct skr_devices_stock *stock,
                           const struct skr_claim_request *request,
                           const struct skr_device_slice *slice, const struct skr_device *device)
{
    bool tainted = false;
    for (size_t i = 0; !tainted && i < device->kind->n_taints; i++) {
        tainted = repels(request, &device->kind->taint[i]);
    }
    for (const struct skr_stock_rule *r = stock->rules; !tainted && r; r = r->hh.next) {
        tainted = is_selected(stock, r->rule, slice, device) && repels(request, &r->rule->taint);
    }
    return tainted;
}

static void make_request(struct making *m, const struct skr_claim_request *from,
                         struct skr_devices_request *ret)
{
    const struct skr_devices_node *node = &m->rows->node;
    const struct skr_stock_class *class = skr_devices_stock_class(m->stock, from->class_);
    uint8_t *match = room(m, node->n, 1), *tainted = room(m, node->n, 1);
    skr_int128 *need = room(m, node->n_capacities, sizeof *need);
    *ret = (struct skr_devices_request){.all = from->all,
                                        .admin = from->admin,
                                        .count = from->count,
                                        .match = match,
                                        .tainted = tainted,
                                        .need = need};
    if (m->full || !class) {
        m->fails = m->fails || !class;
        return;
    }
    for (size_t row = 0; row < node->n; row++) {
        match[row] = m->rows->row[row].apart ? SKR_DEVICES_NO : SKR_DEVICES_YES;
    }
    for (size_t i = 0; i < class->n; i++) {
        narrow(m, class->selector[i], match);
    }
    for (size_t i = 0; i < from->n_selectors; i++) {
        narrow(m, from->selector[i], match);
    }
    for (size_t row = 0; row < node->n; row++) {
        const struct skr_device *device = skr_node_rows_device(m->rows, row);
        if (match[row] == SKR_DEVICES_YES && m->rows->row[row].away) {
            match[row] = SKR_DEVICES_NO;
        } else if (match[row] == SKR_DEVICES_YES) {
            match[row] = (uint8_t)fits(m, from, device->kind, &need[node->row[row].first_capacity]);
        }
        tainted[row] =
            skr_device_is_tainted(m->stock, from, m->rows->row[row].slice->slice, device);
    }
    if (is_served_somewhere(m->stock, from, class)) {
        unmodelled(m, "a node selector of a slice cannot be read", SKR_UNCOUNTED_FEATURE);
    }
}

/* ---- constraints ---- */

/* The number of an attribute; n_attributes: it has none of that name. */
static size_t attribute_of(const struct skr_device_kind *kind, const char *driver, const char *name)
{
    const char *slash = strchr(name, '/');
    size_t own = kind->n_attributes;
    const bool is_own = slash && strlen(driver) == (size_t)(slash - name) &&
                        strncmp(driver, name, (size_t)(slash - name)) == 0;
    for (size_t i = 0; i < kind->n_attributes; i++) {
        if (strcmp(kind->attribute[i].name, name) == 0) {
            return i;
        }
        if (is_own && strcmp(kind->attribute[i].name, slash + 1) == 0) {
            own = i;
        }
    }
    return own;
}

/* Numbers of the values of an attribute, by first appearance. */
static const uint32_t *values_of(struct making *m, const char *attribute)
{
    const struct skr_devices_node *node = &m->rows->node;
    uint32_t *value = room(m, node->n, sizeof *value);
    struct skr_device_attribute *seen = room(m, node->n, sizeof *seen);
    uint32_t n_seen = 0;
    for (size_t row = 0; value && seen && row < node->n; row++) {
        const struct skr_device *device = skr_node_rows_device(m->rows, row);
        const size_t at =
            attribute_of(device->kind, m->rows->row[row].slice->slice->driver, attribute);
        const struct skr_device_attribute a = at < device->kind->n_attributes
                                                  ? skr_device_attribute(device, at)
                                                  : (struct skr_device_attribute){.name = NULL};
        if (a.kind == SKR_DEVICE_VALUE_OTHER) {
            value[row] = a.name ? SKR_DEVICES_UNKNOWN : SKR_DEVICES_ABSENT;
            continue;
        }
        uint32_t i = 0;
        while (i < n_seen && !skr_device_same_value(&seen[i], &a)) {
            i++;
        }
        if (i == n_seen) {
            seen[n_seen++] = a;
        }
        value[row] = i + 1;
    }
    return value;
}

static void make_constraint(struct making *m, const struct skr_claim_spec *spec, size_t number,
                            uint16_t claim, size_t first_request, size_t n_requests,
                            struct skr_devices_constraint *ret)
{
    const struct skr_claim_constraint *from = &spec->constraint[number];
    uint8_t *applies = room(m, n_requests, 1);
    *ret = (struct skr_devices_constraint){.claim = claim,
                                           .distinct = from->distinct,
                                           .applies = applies,
                                           .value = values_of(m, from->attribute)};
    for (size_t i = 0; applies && i < spec->n_asks; i++) {
        const struct skr_claim_ask *ask = &spec->ask[i];
        for (size_t k = ask->first; k < ask->first + ask->n; k++) {
            applies[first_request + k] =
                skr_claim_constraint_is_about(from, ask, &spec->request[k]);
        }
    }
}

/* ---- equal devices ---- */

static bool equal_uses(const struct skr_devices_row *a, const struct skr_devices_row *b)
{
    bool equal = a->n_uses == b->n_uses && (a->n_uses == 0 || a->pool == b->pool);
    for (size_t i = 0; equal && i < a->n_uses; i++) {
        equal = a->uses[i].counter == b->uses[i].counter && a->uses[i].value == b->uses[i].value;
    }
    return equal;
}

static bool are_equal(const struct skr_devices_problem *p, uint32_t a, uint32_t b)
{
    const struct skr_devices_row *row = p->node->row;
    bool equal = !row[a].shared && !row[b].shared && equal_uses(&row[a], &row[b]);
    for (size_t i = 0; equal && i < p->n_requests; i++) {
        equal = p->request[i].match[a] == p->request[i].match[b] &&
                p->request[i].tainted[a] == p->request[i].tainted[b];
    }
    for (size_t i = 0; equal && i < p->n_constraints; i++) {
        equal = p->constraint[i].value[a] == p->constraint[i].value[b];
    }
    return equal;
}

/* Fills before. O(rows^2). */
static void link_equal(const struct skr_devices_problem *p, uint32_t *before)
{
    for (uint32_t row = 0; row < p->node->n; row++) {
        uint32_t b = row;
        while (b > 0 && !are_equal(p, b - 1, row)) {
            b--;
        }
        *p->work += (row - b) + p->n_requests;
        before[row] = b > 0 ? b - 1 : UINT32_MAX;
    }
}

/* ---- the pod ---- */

static void add_claim(struct making *m, const struct skr_claim_spec *spec, uint16_t claim,
                      size_t n_requests, struct skr_devices_problem *p, struct skr_devices_ask *ask,
                      struct skr_devices_request *request,
                      struct skr_devices_constraint *constraint)
{
    const size_t first = p->n_requests;
    for (size_t i = 0; i < spec->n_asks; i++) {
        const struct skr_claim_ask *from = &spec->ask[i];
        ask[p->n_asks++] = (struct skr_devices_ask){.claim = claim,
                                                    .alternatives = from->alternatives,
                                                    .first = first + from->first,
                                                    .n = from->n};
    }
    for (size_t i = 0; !m->full && i < spec->n_requests; i++) {
        make_request(m, &spec->request[i], &request[p->n_requests++]);
    }
    for (size_t i = 0; !m->full && i < spec->n_constraints; i++) {
        make_constraint(m, spec, i, claim, first, n_requests, &constraint[p->n_constraints++]);
    }
    if (*spec->why) {
        unmodelled(m, spec->why, SKR_UNCOUNTED_FEATURE);
    }
}

bool skr_pod_problem_make(const struct skr_devices_stock *stock, const struct skr_node_rows *rows,
                          const struct skr_pod_claims *pod, struct skr_arena *arena,
                          struct skr_devices_problem *ret, const char **ret_why)
{
    struct making m = {.stock = stock,
                       .rows = rows,
                       .arena = arena,
                       .why = rows->why,
                       .uncounted = rows->uncounted};
    size_t asks = 0, requests = 0, constraints = 0, selectors = 0;
    if (stock->full) {
        unmodelled(&m, stock->full, SKR_UNCOUNTED_BUDGET);
    }
    if (pod->n > SKR_DEVICES_CLAIMS_MAX) {
        unmodelled(&m, "a pod has more than 64 claims", SKR_UNCOUNTED_BUDGET);
    }
    for (size_t i = 0; i < pod->n; i++) {
        asks += pod->spec[i]->n_asks;
        requests += pod->spec[i]->n_requests;
        constraints += pod->spec[i]->n_constraints;
        for (size_t k = 0; k < pod->spec[i]->n_requests; k++) {
            selectors += pod->spec[i]->request[k].n_selectors;
        }
    }
    if (requests > SKR_DEVICES_REQUESTS_MAX) {
        unmodelled(&m, "the claims of a pod have more than 256 requests", SKR_UNCOUNTED_BUDGET);
    }
    if (selectors > SKR_DEVICES_SELECTORS_MAX) {
        unmodelled(&m, "the claims of a pod have more than 512 selectors", SKR_UNCOUNTED_BUDGET);
    }
    struct skr_devices_ask *ask = room(&m, asks, sizeof *ask);
    struct skr_devices_request *request = room(&m, requests, sizeof *request);
    struct skr_devices_constraint *constraint = room(&m, constraints, sizeof *constraint);
    uint32_t *before = room(&m, rows->node.n, sizeof *before);
    *ret = (struct skr_devices_problem){.node = &rows->node,
                                        .steps = stock->steps,
                                        .work = &stock->work->steps,
                                        .ask = ask,
                                        .request = request,
                                        .constraint = constraint};
    for (size_t i = 0; !m.full && !m.why && i < pod->n; i++) {
        add_claim(&m, pod->spec[i], (uint16_t)i, requests, ret, ask, request, constraint);
    }
    if (!m.full && !m.why) {
        link_equal(ret, before);
    }
    ret->before = before;
    ret->fails = m.fails;
    ret->uncounted = m.uncounted;
    *ret_why = m.why;
    return !m.full;
}
