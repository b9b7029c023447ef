/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `simulate binding` says would place a binding, taken from the text as a user would take it:
 * each line is a change, and with it the binding is placed.
 */
#include "server/lab/simulate/binding_help.h"
#include "test/property/propagation_world.h"
#include "test/test.h"

enum { LINE_BYTES = 200 };

static const char heading[] = "\n  Would fit (each was tried):\n";

static struct skr_taint taint = {.key = "k", .value = "v", .effect = SKR_TAINT_NO_SCHEDULE};
static const char *excluded[1] = {"c00"};
static const char *evicting[2] = {"c01", "c02"};

/* ---- worlds ---- */

static void spoil_cluster(struct propagation_world *world, size_t i)
{
    struct skr_member_cluster *cluster = &world->cluster[i];
    switch (world_random(world, 12)) {
    case 0:
        cluster->n_taints = 1;
        cluster->taint = &taint;
        break;
    case 1:
        cluster->n_kinds = 0;
        break;
    case 2:
        cluster->n_zones = 0;
        break;
    case 3:
        cluster->region = "";
        cluster->n_zones = 0;
        break;
    case 4:
        cluster->meta.deleting = true;
        break;
    case 5:
        cluster->n_taints = 1;
        cluster->taint = &taint;
        cluster->n_kinds = 0;
        break;
    default:
        break;
    }
}

static void settle_residents(struct propagation_world *world)
{
    for (size_t i = 0; i < world->n; i++) {
        if (world_random(world, 6) == 0) {
            const size_t at = world->binding.n_targets++;
            world->target[at] = (struct skr_target){.name = world->name[i],
                                                    .replicas = (int32_t)world_random(world, 4),
                                                    .has_replicas = true};
            world->target_by_name[at] = &world->target[at];
        }
    }
}

static void make(struct propagation_world *world, size_t run)
{
    struct skr_binding *binding = &world->binding;
    world_make(world, run + 1, 1 + run % 9, 1 + (int64_t)(run / 9 % 5));
    skr_propagation_options_init(
        &world->options, (enum skr_propagation_profile)world_random(world, SKR_PROFILE_COUNT));
    for (size_t i = 0; i < world->n; i++) {
        spoil_cluster(world, i);
    }
    settle_residents(world);
    for (int field = 0; field < SKR_SPREAD_FIELD_COUNT; field++) {
        if (world_random(world, 2) == 0) {
            const int64_t min = 1 + world_random(world, 4);
            world_constrain(world, (enum skr_spread_field)field, min,
                            world_random(world, 5) == 0 ? 0 : min + world_random(world, 2));
        }
    }
    if (world_random(world, 20) == 0 && binding->placement.n_constraints < SKR_SPREAD_FIELD_COUNT) {
        world_constrain(world, SKR_SPREAD_FIELD_COUNT, 1, 1);
        world->constraint[binding->placement.n_constraints - 1].other = "example.com/label";
    }
    binding->replicas = (int32_t)world_random(world, 50);
    binding->placement.kind = (enum skr_division_kind)world_random(world, SKR_DIVISION_KIND_COUNT);
    binding->placement.strategy = "Divided/Foo";
    binding->placement.empty_preference = world_random(world, 2) == 0;
    if (world_random(world, 4) == 0) {
        binding->placement.has_affinity = true;
        binding->placement.affinity = (struct skr_cluster_affinity){
            .never = world_random(world, 2) == 0, .n_excluded = 1, .excluded = excluded};
    }
    if (world_random(world, 4) == 0) {
        binding->n_evicting = 2;
        binding->evicting = evicting;
    }
}

/* ---- changes, by their words ---- */

enum change {
    REPLICAS,
    MAX_GROUPS,
    MIN_GROUPS,
    CONSTRAINT,
    CONSTRAINTS,
    ROOM,
    TAINTS,
    KIND,
    EVICTION,
    PLACE,
    REPLICA_ROOM,
    AFFINITY,
    DIVISION,
    CHANGES
};

static bool is_of(const struct skr_group_constraint *constraint, const char *name)
{
    return strcmp(constraint->field == SKR_SPREAD_FIELD_COUNT
                      ? constraint->other
                      : skr_spread_field_name[constraint->field],
                  name) == 0;
}

static void set_groups(struct propagation_world *world, const char *name, bool max, int64_t number)
{
    for (size_t i = 0; i < world->binding.placement.n_constraints; i++) {
        struct skr_group_constraint *constraint = &world->constraint[i];
        if (is_of(constraint, name)) {
            *(max ? &constraint->max_groups : &constraint->min_groups) = number;
        }
    }
}

static void drop_constraint(struct propagation_world *world, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < world->binding.placement.n_constraints; i++) {
        if (!is_of(&world->constraint[i], name)) {
            world->constraint[n++] = world->constraint[i];
        }
    }
    assert_int_equal(n + 1, world->binding.placement.n_constraints);
    world->binding.placement.n_constraints = n;
}

static size_t cluster_called(const struct propagation_world *world, const char *name)
{
    size_t i = 0;
    while (i < world->n && strcmp(world->name[i], name) != 0) {
        i++;
    }
    assert_true(i < world->n);
    return i;
}

static void end_eviction(struct propagation_world *world, const char *name)
{
    static const char *left[2];
    size_t n = 0;
    for (size_t i = 0; i < world->binding.n_evicting; i++) {
        if (strcmp(evicting[i], name) != 0) {
            left[n++] = evicting[i];
        }
    }
    assert_int_equal(n + 1, world->binding.n_evicting);
    world->binding.evicting = left;
    world->binding.n_evicting = n;
}

/* "zone of its own" and "region and zone of its own" */
static void settle(struct propagation_world *world, size_t i, const char *places)
{
    static const char *own[1] = {"its-own"};
    struct skr_member_cluster *cluster = &world->cluster[i];
    cluster->provider = strstr(places, "provider") ? own[0] : cluster->provider;
    cluster->region = strstr(places, "region") ? own[0] : cluster->region;
    if (strstr(places, "zone")) {
        cluster->n_zones = 1;
        cluster->zone = own;
    }
}

/* What stands behind the name of a cluster. */
static void change_cluster(struct propagation_world *world, const char *name, const char *text,
                           size_t *made)
{
    const size_t i = cluster_called(world, name);
    struct skr_member_cluster *cluster = &world->cluster[i];
    const char *places = strstr(text, "in a ");
    size_t n = 0;
    if (strstr(text, "without taints")) {
        cluster->n_taints = 0;
        n += ++made[TAINTS] > 0;
    }
    if (strstr(text, "serving apps/v1 Deployment")) {
        cluster->n_kinds = 1;
        n += ++made[KIND] > 0;
    }
    if (strstr(text, "with its eviction ended")) {
        end_eviction(world, name);
        n += ++made[EVICTION] > 0;
    }
    if (places) {
        settle(world, i, places);
        n += ++made[PLACE] > 0;
    }
    if (strstr(text, "with room for all replicas")) {
        cluster->room = world->binding.replicas;
        n += ++made[REPLICA_ROOM] > 0;
    }
    assert_true(n > 0);
}

static void apply(struct propagation_world *world, const char *line, size_t *made)
{
    struct skr_binding_placement *placement = &world->binding.placement;
    long long number = 0;
    long long now = 0;
    char name[LINE_BYTES];
    char rest[LINE_BYTES] = "";
    if (sscanf(line, "with replicas %lld", &number) == 1) {
        world->binding.replicas = (int32_t)number;
        made[REPLICAS]++;
    } else if (sscanf(line, "with maxGroups %lld of %s", &number, name) == 2) {
        set_groups(world, name, true, number);
        made[MAX_GROUPS]++;
    } else if (sscanf(line, "with minGroups %lld of %s", &number, name) == 2) {
        set_groups(world, name, false, number);
        made[MIN_GROUPS]++;
    } else if (sscanf(line, "without the constraint on %s", name) == 1) {
        drop_constraint(world, name);
        made[CONSTRAINT]++;
    } else if (strcmp(line, "without spreadConstraints") == 0) {
        placement->n_constraints = 0;
        made[CONSTRAINTS]++;
    } else if (sscanf(line, "with room for %lld new replicas in cluster %s (%lld now)", &number,
                      name, &now) == 3) {
        struct skr_member_cluster *cluster = &world->cluster[cluster_called(world, name)];
        assert_int_equal(cluster->room, now);
        assert_true(number > now);
        cluster->room = number;
        made[ROOM]++;
    } else if (sscanf(line, "with cluster %s %[^\n]", name, rest) == 2) {
        change_cluster(world, name, rest, made);
    } else if (strcmp(line, "without clusterAffinity") == 0) {
        placement->has_affinity = false;
        made[AFFINITY]++;
    } else if (strcmp(line, "with replicaSchedulingType Duplicated") == 0) {
        placement->kind = SKR_DIVISION_DUPLICATED;
        made[DIVISION]++;
    } else if (strcmp(line, "with replicaDivisionPreference Aggregated") == 0) {
        placement->kind = SKR_DIVISION_AGGREGATED;
    } else if (strcmp(line, "with dynamicWeight AvailableReplicas") == 0) {
        placement->kind = SKR_DIVISION_DYNAMIC;
    } else {
        fail_msg("no change: %s", line);
    }
}

static char *help_of(struct propagation_world *world)
{
    SKR_STRBUF(text);
    struct skr_binding_decision *decision = world_decide(world);
    skr_binding_help_write(decision, &text);
    skr_binding_decision_destroy(decision);
    skr_strbuf_add(&text, "");
    return skr_strbuf_take(&text, NULL);
}

static void expect_placed(size_t run, const char *line, size_t *made)
{
    struct propagation_world world;
    make(&world, run);
    apply(&world, line, made);
    struct skr_binding_decision *decision = world_decide(&world);
    if (decision->code != SKR_PROPAGATION_PLACED) {
        fail_msg("run %zu: \"%s\" does not help: %s", run, line, decision->message);
    }
    skr_binding_decision_destroy(decision);
}

TEST(every_way_that_is_named_places_the_binding)
{
    size_t made[CHANGES] = {0};
    size_t helpless = 0;
    for (size_t run = 0; run < test_number("N", 20000); run++) {
        struct propagation_world world;
        char line[LINE_BYTES];
        make(&world, run);
        char *text = help_of(&world);
        const bool begins = strncmp(text, heading, sizeof heading - 1) == 0;
        const char *at = begins ? text + sizeof heading - 1 : "";
        helpless += text[0] != '\0' && !begins ? 1 : 0;
        for (; *at != '\0'; at += strcspn(at, "\n") + 1) {
            assert_int_equal(sscanf(at, "    %199[^\n]", line), 1);
            expect_placed(run, line, made);
        }
        free(text);
    }
    for (int change = 0; change < CHANGES && test_number("N", 20000) >= 20000; change++) {
        if (made[change] == 0) {
            fail_msg("change %d was never named", change);
        }
    }
    assert_true(helpless > 0 || test_number("N", 20000) < 20000);
}
