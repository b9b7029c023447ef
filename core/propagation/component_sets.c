/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First fit of sets on counted nodes.
 *
 * A set is put on the runs in one pass for each component. Runs that no component fits on are
 * dropped. Now and then the runs are saved (Brent's way to find cycles). If a later set leaves the
 * same sequence of nodes behind as the saved one, but for the counts of runs, then all sets since
 * form a period. Repeating the period changes each count by the same number, as long as each run
 * whose count changes has more nodes than the period touches: then no run ends in the middle of it.
 */
#include "core/propagation/component_sets.h"

#include <stdlib.h>
#include <string.h>

/* Equal nodes in a row. has[]: what each of them still has, pods first. */
struct runs {
    size_t n, room, room_has;
    int64_t *nodes;
    int64_t *has; /* [n * width of the set] */
};

struct packing {
    const struct skr_component_set *set;
    uint64_t work;
    struct runs runs, next, saved;
};

/* ---- runs ---- */

static int64_t fits(const struct skr_component_set *set, const int64_t *has, size_t component)
{
    const int64_t *request = set->request + component * set->width;
    int64_t most = has[0];
    for (size_t r = 1; r < set->width; r++) {
        if (request[r] > 0 && has[r] / request[r] < most) {
            most = has[r] / request[r];
        }
    }
    return most;
}

static bool is_of_use(const struct skr_component_set *set, const int64_t *has)
{
    bool is = false;
    for (size_t i = 0; i < set->n && !is; i++) {
        is = fits(set, has, i) > 0;
    }
    return is;
}

static void reserve(const struct skr_component_set *set, struct runs *runs, size_t n)
{
    skr_grow(&runs->nodes, &runs->room, n, sizeof *runs->nodes);
    skr_grow(&runs->has, &runs->room_has, n, set->width * sizeof *runs->has);
}

static void save(struct packing *p)
{
    const size_t n = p->runs.n;
    reserve(p->set, &p->saved, n);
    p->saved.n = n;
    if (n > 0) {
        memcpy(p->saved.nodes, p->runs.nodes, n * sizeof *p->saved.nodes);
        memcpy(p->saved.has, p->runs.has, n * p->set->width * sizeof *p->saved.has);
    }
}

/* Appends nodes of which each has what has says, less replicas of the component. */
static void add(const struct skr_component_set *set, struct runs *to, int64_t nodes,
                const int64_t *has, size_t component, int64_t replicas)
{
    const int64_t *request = set->request + component * set->width;
    if (nodes == 0) {
        return;
    }
    reserve(set, to, to->n + 1);
    int64_t *left = to->has + to->n * set->width;
    for (size_t r = 0; r < set->width; r++) {
        left[r] = has[r] - replicas * request[r];
    }
    if (!is_of_use(set, left)) {
        return;
    }
    if (to->n > 0 && memcmp(left - set->width, left, set->width * sizeof *left) == 0) {
        to->nodes[to->n - 1] += nodes;
    } else {
        to->nodes[to->n++] = nodes;
    }
}

/* ---- sets ---- */

/* Puts all replicas of the component. Returns whether they have room. */
static bool put_component(struct packing *p, size_t component)
{
    int64_t left = p->set->replicas[component];
    p->next.n = 0;
    for (size_t i = 0; i < p->runs.n; i++) {
        const int64_t *has = p->runs.has + i * p->set->width;
        const int64_t each = left > 0 ? fits(p->set, has, component) : 0;
        int64_t nodes = p->runs.nodes[i];
        if (each > 0) {
            const int64_t full = left / each < nodes ? left / each : nodes;
            add(p->set, &p->next, full, has, component, each);
            nodes -= full;
            left -= full * each;
            if (nodes > 0 && left > 0) {
                add(p->set, &p->next, 1, has, component, left);
                nodes--;
                left = 0;
            }
        }
        add(p->set, &p->next, nodes, has, component, 0);
    }
    /* Every run is compared with every request. */
    const uint64_t compared = p->runs.n * p->set->n * p->set->width;
    p->work -= compared < p->work ? compared : p->work;
    const struct runs swapped = p->runs;
    p->runs = p->next;
    p->next = swapped;
    return left == 0;
}

/* false: no room, or no work left. */
static bool put_set(struct packing *p)
{
    bool has_room = true;
    for (size_t i = 0; i < p->set->n && has_room; i++) {
        has_room = p->work > 0 && put_component(p, i);
    }
    return has_room;
}

/* How often the sets since the saved runs can be repeated. */
static int64_t repetitions(const struct packing *p, int64_t sets)
{
    int64_t times = INT64_MAX;
    const skr_int128 touched = (skr_int128)sets * p->set->pods;
    if (p->runs.n == 0 || p->runs.n != p->saved.n ||
        memcmp(p->runs.has, p->saved.has, p->runs.n * p->set->width * sizeof *p->runs.has) != 0) {
        return 0;
    }
    for (size_t i = 0; i < p->runs.n; i++) {
        const int64_t now = p->runs.nodes[i];
        const int64_t gained = now - p->saved.nodes[i];
        if (gained != 0 && (p->saved.nodes[i] <= touched || now <= touched)) {
            return 0;
        }
        if (gained < 0 && (now - (int64_t)touched - 1) / -gained < times) {
            times = (now - (int64_t)touched - 1) / -gained;
        }
    }
    return times;
}

static int64_t put_sets(struct packing *p, int64_t most)
{
    int64_t done = 0;
    int64_t since = 0; /* sets since the runs were saved */
    int64_t save_after = 1;
    save(p);
    while (done < most && put_set(p)) {
        done++;
        since++;
        int64_t times = repetitions(p, since);
        if (times > (most - done) / since) {
            times = (most - done) / since;
        }
        for (size_t i = 0; i < p->runs.n && times > 0; i++) {
            p->runs.nodes[i] += times * (p->runs.nodes[i] - p->saved.nodes[i]);
        }
        done += times * since;
        if (times > 0 || since == save_after) {
            save_after = times > 0 ? 1 : 2 * save_after;
            since = 0;
            save(p);
        }
    }
    return done;
}

static void list_nodes(struct packing *p, const struct skr_node_models *models)
{
    const struct skr_component_set *set = p->set;
    SKR_AUTO_FREE int64_t *has = skr_alloc_array(set->width, sizeof *has);
    for (size_t i = 0; i < models->n; i++) {
        const struct skr_node_model *model = &models->model[i];
        has[0] = SKR_MODEL_PODS;
        for (size_t r = 1; r < set->width; r++) {
            has[r] = skr_node_model_has(model, set->sum.item[r - 1].name);
        }
        add(set, &p->runs, model->nodes, has, 0, 0);
    }
}

static void forget(struct runs *runs)
{
    free(runs->nodes);
    free(runs->has);
}

int64_t skr_component_sets_on_nodes(const struct skr_component_set *set,
                                    const struct skr_node_models *models, int64_t most,
                                    uint64_t *work)
{
    struct packing packing = {.set = set, .work = *work};
    if (set->n == 0) {
        return most;
    }
    list_nodes(&packing, models);
    const int64_t sets = put_sets(&packing, most);
    *work = sets < most ? packing.work : *work;
    forget(&packing.runs);
    forget(&packing.next);
    forget(&packing.saved);
    return sets;
}

/* ---- a set ---- */

static size_t index_of(const struct skr_quantities *sum, const char *name)
{
    size_t i = 0;
    while (i < sum->n && strcmp(sum->item[i].name, name) != 0) {
        i++;
    }
    return i;
}

static int list_names(struct skr_quantities *sum, const struct skr_component *component, size_t n,
                      struct skr_error *error)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < component[i].request.n; k++) {
            const struct skr_quantity_item *item = &component[i].request.item[k];
            if (item->amount <= 0 || index_of(sum, item->name) < sum->n) {
                continue;
            }
            if (sum->n == SKR_COMPONENT_RESOURCES_MAX) {
                return skr_error_set(error, SKR_LIMIT,
                                     "spec.components request more than %d resources",
                                     (int)SKR_COMPONENT_RESOURCES_MAX);
            }
            sum->item[sum->n++].name = item->name;
        }
    }
    return 0;
}

static void add_component(struct skr_component_set *set, const struct skr_component *component)
{
    int64_t *request = set->request + set->n * set->width;
    request[0] = 1;
    set->pods += component->replicas;
    for (size_t k = 0; k < component->request.n; k++) {
        const struct skr_quantity_item *item = &component->request.item[k];
        if (item->amount > 0) {
            const size_t i = index_of(&set->sum, item->name);
            const skr_int128 sum =
                set->sum.item[i].amount + (skr_int128)item->amount * component->replicas;
            set->sum.item[i].amount = sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
            request[1 + i] = skr_node_model_counts(item->name) ? item->amount : 0;
        }
    }
    set->replicas[set->n++] = component->replicas;
}

int skr_component_set_init(struct skr_component_set *set, struct skr_arena *arena,
                           const struct skr_component *component, size_t n, struct skr_error *error)
{
    *set = (struct skr_component_set){
        .sum.item = skr_arena_array(arena, SKR_COMPONENT_RESOURCES_MAX, sizeof *set->sum.item)};
    const int rc = set->sum.item ? list_names(&set->sum, component, n, error) : 0;
    if (rc < 0) {
        return rc;
    }
    set->width = 1 + set->sum.n;
    set->replicas = skr_arena_array(arena, n, sizeof *set->replicas);
    set->request = skr_arena_array(arena, n * set->width, sizeof *set->request);
    if (!set->sum.item || !set->replicas || !set->request) {
        return skr_error_set(error, SKR_NO_MEMORY, "spec.components: out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        if (component[i].replicas > 0) {
            add_component(set, &component[i]);
        }
    }
    return 0;
}
