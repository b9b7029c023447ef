/* SPDX-License-Identifier: Apache-2.0 */
/* The capacity ledger: tables of what a user would notice, and a random walk beside a naive model
 * that keeps a list of charges and adds them up whenever it is asked. */
#include "test/test.h"
#include "topology/ledger.h"
#include "topology/ledger_nodes.h"

static struct skr_amount item_4c[] = {{SKR_RESOURCE_CPU, false, 4000},
                                      {SKR_RESOURCE_PODS, false, 10}};
static struct skr_amount item_8c[] = {{SKR_RESOURCE_CPU, false, 8000},
                                      {SKR_RESOURCE_PODS, false, 10}};
static struct skr_amount item_1c[] = {{SKR_RESOURCE_CPU, false, 1000},
                                      {SKR_RESOURCE_PODS, false, 1}};
static struct skr_amount item_3c[] = {{SKR_RESOURCE_CPU, false, 3000},
                                      {SKR_RESOURCE_PODS, false, 1}};
static struct skr_amount item_gpu[] = {{SKR_RESOURCE_PODS, false, 1}, {7, false, 2}};
static const struct skr_amounts node_4c = {2, item_4c};
static const struct skr_amounts node_8c = {2, item_8c};
static const struct skr_amounts pod_1c = {2, item_1c};
static const struct skr_amounts pod_3c = {2, item_3c};
static const struct skr_amounts pod_gpu = {2, item_gpu};
static const struct skr_amounts nothing = {0, NULL};

static bool is_reserved(const struct skr_ledger *ledger, const char *node)
{
    const struct skr_ledger_node *found = skr_ledger_get(ledger, node);
    return found && found->n_reserved > 0;
}

struct world {
    struct skr_resource_names *names;
    struct skr_ledger *ledger;
};

static void world_set_up(struct world *world)
{
    world->names = skr_resource_names_create();
    world->ledger = skr_ledger_create(world->names);
}

static void assert_sound(const struct skr_ledger *ledger)
{
    struct skr_error error = {.code = SKR_OK};
    if (skr_ledger_check(ledger, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

static void world_tear_down(struct world *world)
{
    assert_sound(world->ledger);
    skr_ledger_destroy(world->ledger);
    skr_resource_names_destroy(world->names);
}

static void assert_cpu(const struct skr_ledger *ledger, const char *node, int64_t expected)
{
    assert_true(skr_ledger_free(ledger, node, SKR_RESOURCE_CPU) == expected);
}

TEST_WITH(world, free_is_allocatable_minus_charges)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "n", &node_4c);
    assert_true(skr_ledger_has_node(ledger, "n"));
    assert_cpu(ledger, "n", 4000);
    skr_ledger_charge(ledger, "u1", "n", &pod_1c, SKR_CHARGE_BOUND);
    skr_ledger_charge(ledger, "u2", "n", &pod_1c, SKR_CHARGE_BINDING);
    skr_ledger_charge(ledger, "u3", "n", &pod_1c, SKR_CHARGE_RESERVED);
    assert_cpu(ledger, "n", 1000);
    assert_true(skr_ledger_free(ledger, "n", SKR_RESOURCE_PODS) == 7);
    assert_true(skr_ledger_allocatable(ledger, "n", SKR_RESOURCE_CPU) == 4000);
    assert_true(skr_ledger_free(ledger, "n", SKR_RESOURCE_MEMORY) == 0);
    assert_true(skr_ledger_free(ledger, "n", 200) == 0);
    int64_t each[3] = {-1, -1, -1};
    skr_ledger_free_each(ledger, "n", (const uint16_t[]){SKR_RESOURCE_PODS, 200, SKR_RESOURCE_CPU},
                         3, each);
    assert_true(each[0] == 7 && each[1] == 0 && each[2] == 1000);
    skr_ledger_free_each(ledger, "none", (const uint16_t[]){SKR_RESOURCE_PODS}, 1, each);
    assert_true(each[0] == 0);
    assert_true(skr_ledger_allocatable(ledger, "n", 200) == 0);
    assert_true(skr_ledger_release(ledger, "u2"));
    assert_cpu(ledger, "n", 2000);
    assert_false(skr_ledger_release(ledger, "u2"));
}

TEST_WITH(world, r7_a_pod_is_charged_exactly_once)
{
    struct skr_ledger *ledger = world->ledger;
    enum skr_charge_kind kind = SKR_CHARGE_KIND_COUNT;
    skr_ledger_set_node(ledger, "a", &node_4c);
    skr_ledger_set_node(ledger, "b", &node_4c);
    assert_null(skr_ledger_find(ledger, "u", &kind));
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_RESERVED);
    assert_true(is_reserved(ledger, "a"));
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_BOUND);
    assert_false(is_reserved(ledger, "a"));
    assert_cpu(ledger, "a", 3000);
    skr_ledger_charge(ledger, "u", "b", &pod_3c, SKR_CHARGE_BOUND);
    assert_cpu(ledger, "a", 4000);
    assert_cpu(ledger, "b", 1000);
    assert_string_equal(skr_ledger_find(ledger, "u", &kind), "b");
    assert_int_equal(kind, SKR_CHARGE_BOUND);
    assert_string_equal(skr_ledger_find(ledger, "u", NULL), "b");
}

TEST_WITH(world, charges_wait_for_a_node_that_is_not_there_yet)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_charge(ledger, "u", "late", &pod_3c, SKR_CHARGE_BOUND);
    assert_false(skr_ledger_has_node(ledger, "late"));
    assert_cpu(ledger, "late", 0);
    assert_false(skr_ledger_fits(ledger, "late", &nothing, NULL));
    skr_ledger_set_node(ledger, "late", &node_4c);
    assert_cpu(ledger, "late", 1000);
}

TEST_WITH(world, charges_outlive_their_node)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "n", &node_4c);
    skr_ledger_charge(ledger, "u", "n", &pod_3c, SKR_CHARGE_RESERVED);
    skr_ledger_remove_node(ledger, "n");
    skr_ledger_remove_node(ledger, "never");
    assert_false(skr_ledger_has_node(ledger, "n"));
    assert_cpu(ledger, "n", 0);
    assert_true(skr_ledger_allocatable(ledger, "n", SKR_RESOURCE_CPU) == 0);
    assert_string_equal(skr_ledger_find(ledger, "u", NULL), "n");
    assert_sound(ledger);
    skr_ledger_set_node(ledger, "n", &node_8c);
    assert_cpu(ledger, "n", 5000);
    skr_ledger_remove_node(ledger, "n");
    assert_true(skr_ledger_release(ledger, "u"));
    assert_false(is_reserved(ledger, "n"));
    skr_ledger_set_node(ledger, "n", &node_4c);
    assert_cpu(ledger, "n", 4000);
}

TEST_WITH(world, overcommitted_nodes_have_negative_room)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "n", &node_4c);
    skr_ledger_charge(ledger, "u1", "n", &pod_3c, SKR_CHARGE_BOUND);
    skr_ledger_charge(ledger, "u2", "n", &pod_3c, SKR_CHARGE_BOUND);
    assert_cpu(ledger, "n", -2000);
    assert_false(skr_ledger_fits(ledger, "n", &pod_1c, NULL));
    /* a request of nothing is not limited by it */
    static struct skr_amount one_pod[] = {{SKR_RESOURCE_PODS, false, 1}};
    const struct skr_amounts pod = {1, one_pod};
    assert_true(skr_ledger_fits(ledger, "n", &pod, NULL));
    assert_true(skr_ledger_fits(ledger, "n", &nothing, NULL));
}

TEST_WITH(world, fits_can_leave_one_pod_out_of_account)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "a", &node_4c);
    skr_ledger_set_node(ledger, "b", &node_4c);
    skr_ledger_charge(ledger, "u", "a", &pod_3c, SKR_CHARGE_RESERVED);
    skr_ledger_charge(ledger, "v", "b", &pod_3c, SKR_CHARGE_RESERVED);
    assert_true(skr_ledger_fits(ledger, "a", &pod_1c, NULL));
    assert_false(skr_ledger_fits(ledger, "a", &pod_3c, NULL));
    assert_true(skr_ledger_fits(ledger, "a", &pod_3c, "u"));
    assert_false(skr_ledger_fits(ledger, "a", &pod_3c, "v"));
    assert_false(skr_ledger_fits(ledger, "a", &pod_3c, "w"));
    assert_false(skr_ledger_fits(ledger, "a", &node_8c, "u"));
    assert_false(skr_ledger_fits(ledger, "no such node", &pod_1c, "u"));
    assert_cpu(ledger, "a", 1000);
}

TEST_WITH(world, resources_may_appear_after_the_nodes)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "n", &node_4c);
    assert_false(skr_ledger_fits(ledger, "n", &pod_gpu, NULL));
    skr_ledger_charge(ledger, "u", "n", &pod_gpu, SKR_CHARGE_BOUND);
    assert_true(skr_ledger_free(ledger, "n", 7) == -2);
    static struct skr_amount item[] = {{SKR_RESOURCE_CPU, false, 4000},
                                       {SKR_RESOURCE_PODS, false, 10},
                                       {7, false, 8},
                                       {255, false, 1}};
    const struct skr_amounts more = {4, item};
    skr_ledger_set_node(ledger, "n", &more);
    assert_true(skr_ledger_free(ledger, "n", 7) == 6);
    assert_true(skr_ledger_free(ledger, "n", 255) == 1);
    skr_ledger_set_node(ledger, "n", &node_4c); /* the device plugin is gone */
    assert_true(skr_ledger_free(ledger, "n", 7) == -2);
    assert_true(skr_ledger_free(ledger, "n", 255) == 0);
}

/* A device class serves resource 7: only nodes that list it count it. */
TEST_WITH(world, what_a_class_serves_is_counted_where_it_is_listed_and_unlimited_elsewhere)
{
    struct skr_ledger *ledger = world->ledger;
    static struct skr_amount served_item[] = {{SKR_RESOURCE_PODS, false, 1}, {7, true, 2}};
    static struct skr_amount four_item[] = {{SKR_RESOURCE_PODS, false, 10}, {7, false, 4}};
    static const struct skr_amounts served = {2, served_item}, four = {2, four_item};
    skr_ledger_set_node(ledger, "plugin", &four);
    skr_ledger_set_node(ledger, "dra", &node_4c);
    const struct skr_ledger_node *plugin = skr_ledger_get(ledger, "plugin");
    const struct skr_ledger_node *dra = skr_ledger_get(ledger, "dra");
    skr_ledger_charge(ledger, "a", "plugin", &served, SKR_CHARGE_BOUND);
    skr_ledger_charge(ledger, "b", "plugin", &served, SKR_CHARGE_BOUND);
    for (int i = 0; i < 5; i++) {
        char uid[] = "c0";
        uid[1] = (char)('0' + i);
        skr_ledger_charge(ledger, uid, "dra", &served, SKR_CHARGE_BOUND);
    }
    assert_false(skr_ledger_fits(ledger, "plugin", &served, NULL));
    assert_int_equal(skr_ledger_slots(plugin, &served), 0);
    assert_true(skr_ledger_node_room(plugin, &served_item[1]) == 0);
    assert_true(skr_ledger_node_empty_room(plugin, &served_item[1]) == 4);
    assert_true(skr_ledger_fits(ledger, "dra", &served, NULL));
    assert_int_equal(skr_ledger_slots(dra, &served), 5); /* by pods */
    assert_true(skr_ledger_node_room(dra, &served_item[1]) == SKR_ROOM_UNLIMITED);
    assert_true(skr_ledger_node_empty_room(dra, &served_item[1]) == SKR_ROOM_UNLIMITED);
    assert_false(skr_ledger_fits(ledger, "dra", &pod_gpu, NULL)); /* without the class */
    assert_false(skr_ledger_fits(ledger, "gone", &served, NULL));
    assert_true(skr_room_plus(SKR_ROOM_UNLIMITED, 7) == SKR_ROOM_UNLIMITED);
    assert_true(skr_room_plus(5, -7) == -2);
}

TEST_WITH(world, a_node_is_kept_for_groups_by_reservations_and_by_what_it_lists_alone)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "n", &node_4c);
    skr_ledger_charge(ledger, "bound", "n", &pod_3c, SKR_CHARGE_BOUND);
    assert_false(skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "n"), &pod_3c, NULL)); /* full */
    skr_ledger_charge(ledger, "member", "n", &pod_1c, SKR_CHARGE_RESERVED);
    assert_true(skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "n"), &pod_1c, NULL));
    assert_false(
        skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "n"), &pod_1c, "bound")); /* its own */
    assert_false(skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "n"), &pod_gpu, NULL));
    assert_false(skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "unknown"), &pod_1c, NULL));
    skr_ledger_remove_node(ledger, "n");
    assert_false(skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "n"), &pod_1c, NULL));
    skr_ledger_set_node(ledger, "n", &node_4c);
    assert_true(skr_ledger_release(ledger, "member"));
    assert_false(skr_ledger_is_kept(ledger, skr_ledger_get(ledger, "n"), &pod_3c, NULL));
}

TEST_WITH(world, sums_beyond_64_bits_stay_exact)
{
    struct skr_ledger *ledger = world->ledger;
    static struct skr_amount huge_item[] = {{SKR_RESOURCE_MEMORY, false, INT64_MAX}};
    static const struct skr_amounts huge = {1, huge_item};
    char uid[16];
    skr_ledger_set_node(ledger, "n", &huge);
    for (int i = 0; i < 5; i++) {
        int64_t expected = i == 0 ? INT64_MAX : i == 1 ? 0 : i == 2 ? -INT64_MAX : INT64_MIN;
        assert_true(skr_ledger_free(ledger, "n", SKR_RESOURCE_MEMORY) == expected);
        assert_int_equal(skr_ledger_fits(ledger, "n", &huge, NULL), i == 0);
        (void)snprintf(uid, sizeof uid, "u%d", i);
        skr_ledger_charge(ledger, uid, "n", &huge, SKR_CHARGE_BOUND);
        assert_sound(ledger);
    }
    for (int i = 4; i > 0; i--) {
        (void)snprintf(uid, sizeof uid, "u%d", i);
        assert_true(skr_ledger_release(ledger, uid));
    }
    assert_true(skr_ledger_free(ledger, "n", SKR_RESOURCE_MEMORY) == 0);
    assert_true(skr_ledger_fits(ledger, "n", &huge, "u0"));
}

TEST_WITH(world, the_epoch_grows_when_and_only_when_room_is_gained)
{
    struct skr_ledger *ledger = world->ledger;
    uint64_t epoch = skr_ledger_freed_epoch(ledger);
#define assert_epoch(by)                                             \
    do {                                                             \
        assert_true(skr_ledger_freed_epoch(ledger) == epoch + (by)); \
        epoch = skr_ledger_freed_epoch(ledger);                      \
    } while (0)
    skr_ledger_set_node(ledger, "a", &node_4c); /* a new node */
    assert_epoch(1);
    skr_ledger_set_node(ledger, "a", &node_4c);
    assert_epoch(0);
    skr_ledger_set_node(ledger, "a", &node_8c);
    assert_epoch(1);
    skr_ledger_set_node(ledger, "a", &node_4c);
    assert_epoch(0);
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_RESERVED);
    assert_epoch(0);
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_BOUND);
    assert_epoch(0);
    skr_ledger_charge(ledger, "u", "a", &pod_3c, SKR_CHARGE_BOUND); /* larger */
    assert_epoch(0);
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_BOUND); /* smaller */
    assert_epoch(1);
    skr_ledger_charge(ledger, "u", "b", &pod_1c, SKR_CHARGE_BOUND); /* moved away */
    assert_epoch(1);
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_BOUND); /* b does not exist */
    assert_epoch(0);
    skr_ledger_charge(ledger, "v", "b", &pod_1c, SKR_CHARGE_BOUND);
    assert_epoch(0);
    assert_true(skr_ledger_release(ledger, "v"));
    assert_epoch(0);
    assert_true(skr_ledger_release(ledger, "u"));
    assert_epoch(1);
    assert_false(skr_ledger_release(ledger, "u"));
    assert_epoch(0);
    skr_ledger_remove_node(ledger, "a");
    assert_epoch(0);
    skr_ledger_set_node(ledger, "a", &node_4c); /* back again */
    assert_epoch(1);
    skr_ledger_charge(ledger, "u", "a", &pod_1c, SKR_CHARGE_BOUND);
    skr_ledger_charge(ledger, "u", "a", &pod_gpu, SKR_CHARGE_BOUND); /* other resources */
    assert_epoch(1);
#undef assert_epoch
}

TEST_WITH(world, a_node_is_reserved_while_any_reservation_is_on_it)
{
    struct skr_ledger *ledger = world->ledger;
    skr_ledger_set_node(ledger, "n", &node_8c);
    assert_false(is_reserved(ledger, "n"));
    assert_false(is_reserved(ledger, "m"));
    skr_ledger_charge(ledger, "u", "n", &pod_1c, SKR_CHARGE_RESERVED);
    skr_ledger_charge(ledger, "v", "n", &pod_1c, SKR_CHARGE_RESERVED);
    skr_ledger_charge(ledger, "w", "n", &pod_1c, SKR_CHARGE_BOUND);
    assert_true(skr_ledger_release(ledger, "u"));
    assert_true(is_reserved(ledger, "n"));
    skr_ledger_charge(ledger, "v", "n", &pod_1c, SKR_CHARGE_BINDING);
    assert_false(is_reserved(ledger, "n"));
}

TEST_WITH(world, uids_of_any_form_are_told_apart)
{
    static const char *const uids[] = {
        "",
        "a",
        "01234567-89ab-cdef-0123-456789abcdef",
        "01234567-89AB-cdef-0123-456789abcdef",
        "01234567-89ab-cdef-0123-456789abcde",
        "01234567-89ab-cdef-0123-456789abcdef0",
        "0123456789abcdef0123456789abcdef",
        "01234567_89ab-cdef-0123-456789abcdef",
        "00000000-0000-0000-0000-000000000000",
        "file:/etc/kubernetes/manifests/x",
    };
    struct skr_ledger *ledger = world->ledger;
    const size_t n = sizeof uids / sizeof uids[0];
    char node[16];
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(node, sizeof node, "n%zu", i);
        assert_null(skr_ledger_find(ledger, uids[i], NULL));
        skr_ledger_charge(ledger, uids[i], node, &pod_1c, SKR_CHARGE_BOUND);
    }
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(node, sizeof node, "n%zu", i);
        assert_string_equal(skr_ledger_find(ledger, uids[i], NULL), node);
    }
    for (size_t i = 0; i < n; i += 2) {
        assert_true(skr_ledger_release(ledger, uids[i]));
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(!skr_ledger_find(ledger, uids[i], NULL), i % 2 == 0);
    }
}

/* ---- the model ---- */

enum { MODEL_NODES = 12, MODEL_PODS = 60, MODEL_SHAPES = 24, MODEL_RESOURCES = 40, STEPS = 10000 };

struct model {
    bool exists[MODEL_NODES];
    const struct skr_amounts *allocatable[MODEL_NODES];
    int node[MODEL_PODS]; /* -1: not charged */
    const struct skr_amounts *amounts[MODEL_PODS];
    enum skr_charge_kind kind[MODEL_PODS];
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static int64_t model_free(const struct model *m, int node, uint16_t resource, int except)
{
    if (!m->exists[node]) {
        return 0;
    }
    int64_t sum = skr_amounts_get(m->allocatable[node], resource);
    for (int p = 0; p < MODEL_PODS; p++) {
        if (m->node[p] == node && p != except) {
            sum -= skr_amounts_get(m->amounts[p], resource);
        }
    }
    return sum;
}

static bool model_fits(const struct model *m, int node, const struct skr_amounts *want, int except)
{
    bool fits = m->exists[node];
    for (size_t i = 0; i < want->n; i++) {
        fits = fits && want->item[i].amount <= model_free(m, node, want->item[i].resource, except);
    }
    return fits;
}

static void name_of_node(int node, char name[16])
{
    (void)snprintf(name, 16, "node-%d", node);
}

/* Every other pod has a UID in the usual form. */
static void name_of_pod(int pod, char uid[48])
{
    (void)snprintf(uid, 48, pod % 2 == 0 ? "%08x-1111-4222-8333-0123456789ab" : "pod-%d", pod);
}

static void compare_all(const struct skr_ledger *ledger, const struct model *m)
{
    char name[16];
    char uid[48];
    for (int n = 0; n < MODEL_NODES; n++) {
        bool reserved = false;
        name_of_node(n, name);
        assert_int_equal(skr_ledger_has_node(ledger, name), m->exists[n]);
        for (uint16_t r = 0; r < MODEL_RESOURCES; r++) {
            assert_true(skr_ledger_free(ledger, name, r) == model_free(m, n, r, -1));
            assert_true(skr_ledger_allocatable(ledger, name, r) ==
                        (m->exists[n] ? skr_amounts_get(m->allocatable[n], r) : 0));
        }
        for (int p = 0; p < MODEL_PODS; p++) {
            reserved = reserved || (m->node[p] == n && m->kind[p] == SKR_CHARGE_RESERVED);
        }
        assert_int_equal(is_reserved(ledger, name), reserved);
    }
    for (int p = 0; p < MODEL_PODS; p++) {
        enum skr_charge_kind kind = SKR_CHARGE_KIND_COUNT;
        name_of_pod(p, uid);
        const char *found = skr_ledger_find(ledger, uid, &kind);
        assert_int_equal(!!found, m->node[p] >= 0);
        if (found) {
            name_of_node(m->node[p], name);
            assert_string_equal(found, name);
            assert_int_equal(kind, m->kind[p]);
        }
    }
}

/* Whether some resource of some node that existed before and after, or is new, has gained. */
static bool gained(const struct model *before, const struct model *after)
{
    for (int n = 0; n < MODEL_NODES; n++) {
        if (!after->exists[n]) {
            continue;
        }
        if (!before->exists[n]) {
            return true;
        }
        for (uint16_t r = 0; r < MODEL_RESOURCES; r++) {
            if (model_free(after, n, r, -1) > model_free(before, n, r, -1)) {
                return true;
            }
        }
    }
    return false;
}

static struct skr_amount shape_item[MODEL_SHAPES][MODEL_RESOURCES];
static struct skr_amounts shape[MODEL_SHAPES];

/* Later shapes may have higher resource ids: ids grow while the walk goes on. */
static void make_shapes(uint64_t *seed)
{
    for (size_t s = 0; s < MODEL_SHAPES; s++) {
        size_t n = 0;
        for (uint16_t r = 0; r < 3 + s * 37 / (MODEL_SHAPES - 1); r++) {
            if (r == SKR_RESOURCE_PODS || next_random(seed) % 3 == 0) {
                shape_item[s][n++] = (struct skr_amount){r, false, 1 + next_random(seed) % 9};
            }
        }
        shape[s] = (struct skr_amounts){n, shape_item[s]};
    }
}

static void step(struct skr_ledger *ledger, struct model *m, size_t n_shapes, uint64_t *seed)
{
    int node = (int)(next_random(seed) % MODEL_NODES);
    int pod = (int)(next_random(seed) % MODEL_PODS);
    const struct skr_amounts *amounts = &shape[next_random(seed) % n_shapes];
    char name[16];
    char uid[48];
    name_of_node(node, name);
    name_of_pod(pod, uid);
    switch (next_random(seed) % 8) {
    case 0:
        skr_ledger_set_node(ledger, name, amounts);
        m->exists[node] = true;
        m->allocatable[node] = amounts;
        break;
    case 1:
        skr_ledger_remove_node(ledger, name);
        m->exists[node] = false;
        break;
    case 2:
    case 3:
        assert_int_equal(skr_ledger_release(ledger, uid), m->node[pod] >= 0);
        m->node[pod] = -1;
        break;
    default:
        m->node[pod] = node;
        m->amounts[pod] = amounts;
        m->kind[pod] = (enum skr_charge_kind)(next_random(seed) % SKR_CHARGE_KIND_COUNT);
        skr_ledger_charge(ledger, uid, name, amounts, m->kind[pod]);
        break;
    }
    const struct skr_amounts *want = &shape[next_random(seed) % n_shapes];
    int except = (int)(next_random(seed) % MODEL_PODS);
    name_of_pod(except, uid);
    assert_int_equal(skr_ledger_fits(ledger, name, want, NULL), model_fits(m, node, want, -1));
    assert_int_equal(skr_ledger_fits(ledger, name, want, uid), model_fits(m, node, want, except));
}

static int32_t model_slots(const struct model *m, int node, const struct skr_amounts *want)
{
    int64_t slots = INT32_MAX;
    for (size_t i = 0; i < want->n; i++) {
        int64_t room = model_free(m, node, want->item[i].resource, -1);
        int64_t here = room > 0 ? room / want->item[i].amount : 0;
        slots = here < slots ? here : slots;
    }
    return m->exists[node] ? (int32_t)slots : 0;
}

static void note_node(void *context, const char *node)
{
    bool *seen = context;
    long number = strtol(node + strlen("node-"), NULL, 10);
    assert_false(seen[number]);
    seen[number] = true;
}

/* What was told since before is all that differs. */
static void compare_changes(struct skr_ledger *ledger, const struct model *before,
                            const struct model *m)
{
    bool seen[MODEL_NODES] = {false};
    char name[16];
    skr_ledger_see_changed(ledger, note_node, seen);
    for (int n = 0; n < MODEL_NODES; n++) {
        name_of_node(n, name);
        for (size_t s = 0; s < MODEL_SHAPES; s++) {
            int32_t slots = model_slots(m, n, &shape[s]);
            assert_int_equal(skr_ledger_slots(skr_ledger_get(ledger, name), &shape[s]), slots);
            assert_true(seen[n] || slots == model_slots(before, n, &shape[s]));
        }
    }
}

TEST_WITH(world, r7_a_random_walk_agrees_with_the_model)
{
    struct skr_ledger *ledger = world->ledger;
    uint64_t seed = 20240229;
    struct model m;
    memset(&m, 0, sizeof m);
    for (int p = 0; p < MODEL_PODS; p++) {
        m.node[p] = -1;
    }
    make_shapes(&seed);
    struct model told = m;
    for (size_t i = 0; i < STEPS; i++) {
        struct model before = m;
        uint64_t epoch = skr_ledger_freed_epoch(ledger);
        step(ledger, &m, 1 + i * MODEL_SHAPES / STEPS, &seed);
        bool grew = skr_ledger_freed_epoch(ledger) != epoch;
        assert_int_equal(grew, gained(&before, &m));
        assert_sound(ledger);
        if (i % 16 == 0) {
            compare_all(ledger, &m);
        }
        if (i % 23 == 0) {
            compare_changes(ledger, &told, &m);
            told = m;
        }
    }
    compare_all(ledger, &m);
}
