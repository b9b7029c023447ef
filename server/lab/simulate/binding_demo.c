/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the worked example: five clusters, three policies, decided by the daemon's own code. */
#include "server/lab/simulate/binding_demo.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/exit_code.h"
#include "server/lab/simulate/binding.h"
#include "server/lab/simulate/binding_text.h"

static const struct {
    const char *name, *provider, *region, *zone;
    int score, room;
} clusters[] = {
    {"a", "p1", "r1", "z1", 100, 3}, {"b", "p1", "r1", "z1", 0, 5}, {"c", "p1", "r2", "z2", 100, 2},
    {"d", "p1", "r2", "z2", 0, 4},   {"e", "p2", "r3", "z3", 0, 9},
};

static const struct {
    const char *title, *constraints;
    int replicas;
} stories[] = {
    {"10 replicas in 2 zones and 2 or 3 clusters: zones z1 and z2 come first, and two\n"
     "clusters of them hold 9 at most, so it takes three.",
     "{'spreadByField':'zone','minGroups':2,'maxGroups':2},"
     "{'spreadByField':'cluster','minGroups':2,'maxGroups':3}",
     10},
    {"7 replicas, the same rules: a and c come first and hold 5; c makes way for d.",
     "{'spreadByField':'zone','minGroups':2,'maxGroups':2},"
     "{'spreadByField':'cluster','minGroups':2,'maxGroups':3}",
     7},
    {"12 replicas in 2 providers, 2 zones, 2 or 3 clusters.",
     "{'spreadByField':'provider','minGroups':2,'maxGroups':2},"
     "{'spreadByField':'zone','minGroups':2,'maxGroups':2},"
     "{'spreadByField':'cluster','minGroups':2,'maxGroups':3}",
     12},
    {"19 replicas in 2 zones and 2 clusters: there is no such place, and this is why.",
     "{'spreadByField':'zone','minGroups':2,'maxGroups':2},"
     "{'spreadByField':'cluster','minGroups':2,'maxGroups':2}",
     19},
};

static void write_objects(size_t story, struct skr_strbuf *text)
{
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        skr_strbuf_addf(
            text,
            "{'apiVersion':'cluster.karmada.io/v1alpha1','kind':'Cluster','metadata':{'name':'%s',"
            "'annotations':{'sakkara.simulate/score':'%d','sakkara.simulate/room':'%d'}},"
            "'spec':{'provider':'%s','region':'%s','zones':['%s']},'status':{'apiEnablements':["
            "{'groupVersion':'apps/v1','resources':[{'kind':'Deployment'}]}]}}\n",
            clusters[i].name, clusters[i].score, clusters[i].room, clusters[i].provider,
            clusters[i].region, clusters[i].zone);
    }
    skr_strbuf_addf(
        text,
        "{'apiVersion':'work.karmada.io/v1alpha2','kind':'ResourceBinding','metadata':{"
        "'namespace':'default','name':'web'},'spec':{'replicas':%d,'resource':{'apiVersion':"
        "'apps/v1','kind':'Deployment','name':'web','uid':'u'},'placement':{'spreadConstraints':["
        "%s],'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':"
        "'Weighted','weightPreference':{'dynamicWeight':'AvailableReplicas'}}}}}\n",
        stories[story].replicas, stories[story].constraints);
    for (size_t i = 0; i < text->len; i++) {
        text->s[i] = text->s[i] == '\'' ? '"' : text->s[i];
    }
}

static void draw(const struct skr_fleet_input *input, const struct skr_binding_decision *decision,
                 bool ascii, struct skr_strbuf *out)
{
    SKR_AUTO_FREE struct skr_place_row *row = skr_alloc_array(decision->n_targets + 1, sizeof *row);
    for (size_t i = 0; i < decision->n_targets; i++) {
        row[i] = skr_binding_row(input, decision->target[i].name, decision->target[i].replicas);
    }
    skr_place_tree_write("web", row, decision->n_targets, SKR_BINDING_NAME_COLUMN, ascii, out);
}

static int play(size_t story, bool ascii, struct skr_strbuf *out)
{
    struct skr_propagation_options options;
    struct skr_fleet_input input;
    struct skr_binding_decision *decision = NULL;
    int code = SKR_EXIT_ERROR;
    SKR_STRBUF(text);
    skr_fleet_input_init(&input, &skr_binding_rules);
    skr_propagation_options_init(&options, SKR_PROFILE_DEFAULT);
    write_objects(story, &text);
    if (skr_fleet_input_parse(&input, "demo", text.s, text.len, out) == 0 &&
        skr_fleet_input_finish(&input, out) == 0 &&
        skr_binding_decide_here(&input, skr_binding_find(&input, "web"), &options, &decision,
                                NULL) == 0) {
        skr_strbuf_addf(out, "%s\n\n", stories[story].title);
        if (decision->code == SKR_PROPAGATION_PLACED) {
            draw(&input, decision, ascii, out);
        } else {
            skr_binding_text_write(decision, false, out);
        }
        skr_strbuf_addc(out, '\n');
        code = SKR_EXIT_OK;
    }
    skr_binding_decision_destroy(decision);
    skr_fleet_input_fini(&input);
    return code;
}

int skr_binding_demo_play(bool ascii, struct skr_strbuf *out)
{
    int code = SKR_EXIT_OK;
    skr_strbuf_add(out, "CLUSTER  PROVIDER  REGION  ZONE  SCORE  ROOM\n");
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        skr_strbuf_addf(out, "%-7s  %-8s  %-6s  %-4s  %-5d  %d\n", clusters[i].name,
                        clusters[i].provider, clusters[i].region, clusters[i].zone,
                        clusters[i].score, clusters[i].room);
    }
    skr_strbuf_addc(out, '\n');
    for (size_t i = 0; i < sizeof stories / sizeof stories[0] && code == SKR_EXIT_OK; i++) {
        code = play(i, ascii, out);
    }
    return code;
}
