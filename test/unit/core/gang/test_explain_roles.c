/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of several roles that are stuck: explain names the role and the unit that is short of it,
 * and every change that it prints, carried out in the files, places the group.
 */
#include "server/render/explain_text.h"
#include "test/test.h"
#include "test/unit/explain_ways.h"
#include "topology/base/json_field.h"

/* A leader requests 8 CPU; a worker 4 CPU and a GPU. */
struct scenario {
    const char *racks; /* "16/8 16/8|24/4 24/6": CPU/GPU of each node; c: cordoned */
    const char *roles, *constraints;
    int leaders, workers;
    const char *reason, *sentence;
    const char *row;   /* of the table of domains; NULL: not compared */
    const char *helps; /* the first change */
    size_t n_ways;
};

static const struct scenario scenarios[] = {
    {"16/4 20/4|12/8 12/8", "{'leader':{'size':1},'worker':{'size':8}}",
     "{'rack':{'type':'pack','hard':true}}", 1, 8, "NeverFits",
     "group g needs 1 leader and 8 workers in one rack, rack-0 has 7 workers beside 1 leader",
     "rack-0  36    1/1     7/8     1      <none>", "the rack constraint is soft", 2},
    {"24/4 12/1|16/2 12/1", "{'leader':{'size':2},'worker':{'size':8}}",
     "{'sets':[{'level':'rack','roles':{'leader':1,'worker':4}}]}", 2, 8, "NeverFits",
     "group g needs 2 sets of 1 leader and 4 workers, each in one rack, 1 fits", NULL,
     "a set of 1 leader and 4 workers may use several racks", 2},
    {"64/8 64/8|8/1", "{'leader':{'size':2},'worker':{'size':6}}",
     "{'sets':[{'level':'rack','roles':{'leader':1,'worker':3},'exclusive':true}]}", 2, 6,
     "NeverFits", "group g needs 2 sets of 1 leader and 3 workers, each in one rack, 1 fits", NULL,
     "several sets of 1 leader and 3 workers may share a rack", 3},
    {"32/8 32/8", "{'leader':{'size':1},'worker':{'size':8}}",
     "{'roles':{'worker':{'node':{'max':3}}}}", 1, 8, "ConstraintConflict",
     "group g has rules that no placement of 1 leader and 8 workers meets on this tree, whatever "
     "the capacity",
     NULL, "node has no max of role worker", 2},
    {"32/8|32/0", "{'leader':{'size':1},'worker':{'size':9}}", "{}", 1, 9, "NeverFits",
     "group g needs 9 slots for role worker, 8 are free (1 node could hold one if empty)",
     "node-0  8     -       8/9     1      <none>", "the size of role worker is 8, not 9", 1},
    {"32/8c|16/4", "{'leader':{'size':1},'worker':{'size':4}}", "{}", 1, 4, "NeverFits",
     "group g needs 1 leader and 4 workers, all but 1 leader fit under its rules", NULL,
     "node-0 is usable again", 2},
    {"32/0|6/8 6/8", "{'leader':{'size':2},'worker':{'size':4,'minimum':3}}", "{}", 2, 4,
     "NeverFits",
     "group g needs 4 slots for role worker, 2 are free (2 nodes could hold one if empty)", NULL,
     "the minimum of role worker is 2, not 3", 1},
    {"16/0 16/0", "{'leader':{'size':1},'worker':{'size':2}}", "{}", 1, 2, "NeverFits",
     "group g needs nvidia.com/gpu, no node has it", NULL, "", 0},
};

static json_t *quoted(const char *text)
{
    SKR_STRBUF(b);
    for (const char *c = text; *c; c++) {
        skr_strbuf_addc(&b, *c == '\'' ? '"' : *c);
    }
    return json_string(b.s);
}

static void add_pods(json_t *items, int n, const char *role, const char *cpu, const char *gpu)
{
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%d", role, i);
        json_t *pod = json_pack(
            "{s:s,s:s,s:{s:s,s:s,s:s,s:{s:s},s:{s:s}},s:{s:s,s:[{s:s}],s:s,s:[{s:s,s:s,s:{s:{s:s},"
            "s:{}}}]},s:{s:s}}",
            "apiVersion", "v1", "kind", "Pod", "metadata", "name", name, "namespace", "default",
            "uid", name, "labels", "sakkara.group.name", "g", "annotations", "sakkara.group.role",
            role, "spec", "schedulerName", "sakkara", "schedulingGates", "name", "sakkara.gang",
            "restartPolicy", "Never", "containers", "name", "main", "image", "i", "resources",
            "requests", "cpu", cpu, "limits", "status", "phase", "Pending");
        json_t *resources = json_object_get(
            json_array_get(json_object_get(json_object_get(pod, "spec"), "containers"), 0),
            "resources");
        if (gpu) {
            json_object_set_new(json_object_get(resources, "requests"), "nvidia.com/gpu",
                                json_string(gpu));
            json_object_set_new(json_object_get(resources, "limits"), "nvidia.com/gpu",
                                json_string(gpu));
        }
        json_array_append_new(items, pod);
    }
}

static void add_nodes(json_t *items, const char *racks)
{
    SKR_STRBUF(tree);
    int rack = 0, node = 0;
    skr_strbuf_add(&tree, "{\"rack-0\":{");
    for (const char *c = racks; *c;) {
        char cpu[8] = "", gpu[8] = "", name[32];
        sscanf(c, "%7[0-9]/%7[0-9]", cpu, gpu);
        c += strspn(c, "0123456789/");
        const bool closed = *c == 'c';
        snprintf(name, sizeof name, "node-%d", node++);
        skr_strbuf_addf(&tree, "%s\"%s\":{}", tree.s[tree.len - 1] == '{' ? "" : ",", name);
        json_array_append_new(
            items,
            json_pack("{s:s,s:s,s:{s:s},s:{s:b},s:{s:{s:s,s:s,s:s},s:[{s:s,s:s}]}}", "apiVersion",
                      "v1", "kind", "Node", "metadata", "name", name, "spec", "unschedulable",
                      closed, "status", "allocatable", "cpu", cpu, "pods", "110", "nvidia.com/gpu",
                      gpu, "conditions", "type", "Ready", "status", "True"));
        c += closed;
        if (*c == '|') {
            skr_strbuf_addf(&tree, "},\"rack-%d\":{", ++rack);
        }
        c += *c ? 1 : 0;
    }
    skr_strbuf_add(&tree, "}}");
    json_array_append_new(items, json_pack("{s:s,s:s,s:{s:s,s:s,s:{s:s}},s:{s:s,s:s,s:s}}",
                                           "apiVersion", "v1", "kind", "ConfigMap", "metadata",
                                           "name", "tree", "namespace", "default", "labels",
                                           "sakkara.topology", "", "data", "name", "tree",
                                           "level-names", "[\"rack\",\"node\"]", "tree", tree.s));
}

static json_t *files_of(const struct scenario *s)
{
    json_t *items = json_array();
    add_nodes(items, s->racks);
    json_array_append_new(
        items, json_pack("{s:s,s:s,s:{s:s,s:s,s:{s:s}},s:{s:s,s:o,s:o}}", "apiVersion", "v1",
                         "kind", "ConfigMap", "metadata", "name", "g", "namespace", "default",
                         "labels", "sakkara.group", "", "data", "name", "g", "roles",
                         quoted(s->roles), "constraints", quoted(s->constraints)));
    add_pods(items, s->leaders, "leader", "8", NULL);
    add_pods(items, s->workers, "worker", "4", "1");
    return json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "List", "items", items);
}

static void complain(const struct scenario *s, const json_t *x, const char *what)
{
    SKR_STRBUF(out);
    const struct skr_explain_look look = {.verbose = true};
    skr_explain_write_text(x, &look, &out);
    char *text = json_dumps(json_object_get(x, "relaxations"), JSON_INDENT(1));
    fprintf(stderr, "%s %s %s: %s\n%s%s\n", s->racks, s->roles, s->constraints, what, out.s, text);
    free(text);
    fail();
}

TEST(the_role_and_the_unit_are_named_and_every_way_out_places_the_group)
{
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
        const struct scenario *s = &scenarios[k];
        const struct skr_explain_look look = {.verbose = true}; /* all domains */
        json_auto_t *files = files_of(s);
        json_auto_t *x = explain_ways_explain(files);
        const json_t *ways = json_object_get(x, "relaxations"), *way;
        SKR_STRBUF(out);
        size_t i;
        skr_explain_write_text(x, &look, &out);
        if (strcmp(skr_object_text(x, "reason"), s->reason) != 0 ||
            strcmp(skr_object_text(x, "sentence"), s->sentence) != 0 ||
            (s->row && !strstr(out.s, s->row))) {
            complain(s, x, s->sentence);
        }
        if (strcmp(skr_object_text(json_array_get(ways, 0), "text"), s->helps) != 0 ||
            json_array_size(ways) != s->n_ways) {
            complain(s, x, s->helps);
        }
        json_array_foreach(ways, i, way)
        {
            json_auto_t *group = explain_ways_apply(files, way);
            if (strcmp(skr_object_text(group, "status"), "Bound") != 0) {
                complain(s, x, skr_object_text(way, "text"));
            }
        }
    }
}
