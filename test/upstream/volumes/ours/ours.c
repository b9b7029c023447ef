/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans the gang of each world that main.go makes: one a line on standard input, as JSON; the plan a line on standard
 * output, "g-0=n1 g-1=n2 | g-2=n1", the turns in which members are nominated; or "none". Or it checks the plans of a
 * record (run.sh). The engine is on the rig of the unit tests, whose kube-scheduler asks, and knows no volumes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/pods.h"
#include "core/gang/group/group_table.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/state/types.h"
#include "test/unit/engine_rig_parts.h"

static const char *name_of(const json_t *json)
{
    return json_string_value(json_object_get(json_object_get(json, "metadata"), "name"));
}

/* Objects of a kind that the rig does not store. */
static void tell(struct rig *rig, const json_t *list, const struct skr_object_type *type)
{
    size_t i;
    const json_t *json;
    json_array_foreach(list, i, json)
    {
        struct skr_error error;
        struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
        if (type->decode(json, &event.upsert.object, &error) < 0) {
            (void)fprintf(stderr, "%s: %s\n", name_of(json), error.text);
            exit(2);
        }
        rig_handle(rig, &event);
    }
}

static void add(struct rig *rig, const json_t *list, enum rig_kind kind)
{
    size_t i;
    json_t *json;
    json_array_foreach(list, i, json)
    {
        struct rig_object *o;
        json_auto_t *patch = json_pack(
            "{s:{s:O?}}", "metadata", "uid",
            json_object_get(json_object_get(json, "metadata"), "uid"));
        rig_add(rig, kind, name_of(json), json_deep_copy(json));
        o = rig_find(rig, kind, name_of(json));
        rig_merge(o, patch); /* claimRef of a volume has it */
        rig_changed(rig, o);
    }
}

static void add_members(struct rig *rig, const json_t *list)
{
    size_t i;
    const json_t *json;
    char name[32];
    rig_group(rig, "g", (int)json_array_size(list), 0, NULL);
    json_array_foreach(list, i, json)
    {
        snprintf(name, sizeof name, "g-%zu", i);
        rig_pod(rig, name, "g", RIG_GATED);
        json_auto_t *patch = json_pack(
            "{s:{s:O?}}", "spec", "volumes",
            json_object_get(json_object_get(json, "spec"), "volumes"));
        rig_merge(rig_find(rig, RIG_POD, name), patch);
        rig_changed(rig, rig_find(rig, RIG_POD, name));
    }
}

/* The gang, if it has a plan; NULL. */
static const struct group *planned(const struct rig *rig)
{
    const struct group *g = skr_groups_find(rig->gang, "default/g");
    return g && g->plan ? g : NULL;
}

static void say_plan(const struct rig *rig, struct skr_strbuf *ret)
{
    const struct group *g = planned(rig);
    const struct pod_entry *p;
    if (!g) {
        skr_strbuf_add(ret, "none");
        return;
    }
    for (int32_t turn = 0; turn <= g->plan->last_turn; turn++) {
        skr_strbuf_add(ret, turn > 0 ? " |" : "");
        for (size_t i = 0; i < g->n_members; i++) { /* by their numbers */
            DL_FOREACH(g->members, p)
            {
                const char *number = strchr(p->pod->meta.name, '-') + 1;
                if (p->place.turn == turn && strtoul(number, NULL, 10) == i) {
                    skr_strbuf_addf(ret, "%s%s=%s", ret->len > 0 ? " " : "", p->pod->meta.name,
                                    p->place.node);
                }
            }
        }
    }
}

static void answer(const json_t *world, struct skr_strbuf *ret)
{
    static const struct {
        const char *key;
        const struct skr_object_type *type;
    } kind[] = {
        {"volumes", &skr_gang_volume},      {"classes", &skr_gang_storage_class},
        {"csinodes", &skr_gang_csi_node},   {"csidrivers", &skr_gang_csi_driver},
        {"capacities", &skr_gang_csi_capacity}, {"attachments", &skr_gang_attachment},
    };
    struct rig *rig = rig_create();
    rig->keeps_no_log = true;
    add(rig, json_object_get(world, "nodes"), RIG_NODE);
    add(rig, json_object_get(world, "claims"), RIG_VOLUME_CLAIM);
    rig_sync(rig);
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        tell(rig, json_object_get(world, kind[i].key), kind[i].type);
    }
    add(rig, json_object_get(world, "pods"), RIG_POD);
    add_members(rig, json_object_get(world, "members"));
    const skr_time end = rig->now + 5 * SKR_SECOND;
    while (!planned(rig) && (rig_step(rig) || rig_advance(rig, end))) {
    }
    say_plan(rig, ret);
    rig_destroy(rig);
}

/* The line after the tab; *ret_kept is what is before it. */
static const char *world_of(char *line, const char **ret_kept)
{
    char *tab = strchr(line, '\t');
    *ret_kept = tab ? line : "";
    if (tab) {
        *tab = '\0';
    }
    return tab ? tab + 1 : line;
}

/* --recorded: each line begins with the right plan and a tab; the last line of the output counts. */
int main(int argc, char **argv)
{
    const bool recorded = argc == 2 && strcmp(argv[1], "--recorded") == 0;
    char *line = NULL;
    size_t room = 0, passed = 0, failed = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *kept;
        json_auto_t *world = json_loads(world_of(line, &kept), 0, NULL);
        SKR_STRBUF(text);
        if (!world) {
            return 2;
        }
        answer(world, &text);
        const bool same = strcmp(text.s, kept) == 0;
        passed += same;
        failed += !same;
        if (!recorded || !same) {
            printf("%s%s%s\n", recorded ? kept : "", recorded ? "\n" : "", text.s);
        }
        (void)fflush(stdout);
    }
    free(line);
    if (recorded) {
        printf("%zu passed, %zu failed\n", passed, failed);
    }
    return recorded && failed > 0;
}
