/* SPDX-License-Identifier: Apache-2.0 */
/* The scenarios, and the objects they are made of. JSON is written with single quotes. */
#include "test/unit/explain_scenarios.h"

#include "test/test.h"
#include "test/unit/json_text.h"

#define GPU "nvidia.com/gpu"

/* Three racks of three nodes. */
#define RACKS                                                                 \
    "{'rack-0':{'n0':{},'n1':{},'n2':{}},'rack-1':{'n3':{},'n4':{},'n5':{}}," \
    "'rack-2':{'n6':{},'n7':{},'n8':{}}}"
/* Two zones of two racks of two nodes. */
#define ZONES                                                    \
    "{'zone-0':{'r0':{'n0':{},'n1':{}},'r1':{'n2':{},'n3':{}}}," \
    "'zone-1':{'r2':{'n4':{},'n5':{}},'r3':{'n6':{},'n7':{}}}}"
#define FLAT "{'n0':{},'n1':{},'n2':{}}"

#define GPUS(n) "{'nvidia.com/gpu':'" #n "'}"
#define HARD    "{'rack':{'hard':true}}"

/* Racks of nodes with so much CPU and so many GPU, for a group of two roles. */
#define PAIRS     "{'rack-0':{'n0':{},'n1':{}},'rack-1':{'n2':{},'n3':{}}}"
#define SINGLES   "{'rack-0':{'n0':{}},'rack-1':{'n1':{}}}"
#define ONE_PAIR  "{'rack-0':{'n0':{},'n1':{}}}"
#define ONE_THREE "{'rack-0':{'n0':{}},'rack-1':{'n1':{},'n2':{}}}"
#define TWO_ONE   "{'rack-0':{'n0':{},'n1':{}},'rack-1':{'n2':{}}}"
#define HAS(node, cpu, gpu) \
    "'" node "':{'status':{'allocatable':{'cpu':'" #cpu "','nvidia.com/gpu':'" #gpu "'}}}"
#define BY_ROLE "{'leader':{'cpu':'8'},'worker':{'cpu':'4','nvidia.com/gpu':'1'}}"

const struct explain_scenario explain_scenarios[] = {
    /* clang-format off */
    {.name = "one slot short in the best rack", .tree = RACKS,
     .nodes = "{'n8':{'spec':{'unschedulable':true}}}",
     .loads = "n0=8:b-0 n1=8:b-0 n2=2:b-0 n3=6:b-1 n4=6:b-1 n5=2:b-1 n6=8:w n7=4:w", .size = 6,
     .each = GPUS(2), .constraints = HARD, .reason = "TopologyPlacementFailed", .resource = GPU,
     .level = "rack", .domain = "rack-1", .fits = 5, .needs = 6, .blocker = "default/b-1",
     .helps = "2 GPU free up on n3"},
    {.name = "two racks equally near, the first is named", .tree = RACKS,
     .loads = "n0=8:b-0 n1=8:b-0 n2=2:b-0 n3=6:b-1 n4=6:b-1 n5=2:b-1 n6=8:w n7=4:w n8=2:w",
     .size = 6, .each = GPUS(2), .constraints = HARD, .reason = "TopologyPlacementFailed",
     .resource = GPU, .level = "rack", .domain = "rack-1", .fits = 5, .needs = 6,
     .blocker = "default/b-1", .helps = "the rack constraint is soft"},
    {.name = "hard pack into a node, the cluster is nearly empty", .tree = RACKS,
     .loads = "n0=2:w n1=2:w n2=2:w n3=2:w n4=4:w n5=2:w n6=2:w n7=2:w n8=2:w", .size = 4,
     .each = GPUS(2), .constraints = "{'node':{'hard':true},'rack':{'hard':true}}",
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 3, .needs = 4, .blocker = "default/w-0", .helps = "the node constraint is soft"},
    {.name = "sums are short, pods of their own are in the way", .tree = RACKS,
     .loads = "n3=8:w n7=8:w", .size = 9, .each = GPUS(8), .reason = "WaitingForCapacity",
     .resource = GPU, .level = "", .domain = "rack-0", .fits = 3, .needs = 0,
     .helps = "16 GPU free up on n3 and n7"},
    {.name = "sums are short in every rack, groups are in the way", .tree = RACKS,
     .loads = "n0=8:b-1 n3=8:b-1 n6=8:b-1", .size = 7, .each = GPUS(8),
     .reason = "WaitingForCapacity", .resource = GPU, .level = "", .domain = "rack-0", .fits = 2,
     .needs = 0, .blocker = "default/b-1", .helps = "8 GPU free up on n0"},
    {.name = "more members than the cluster has places", .tree = RACKS, .size = 10,
     .each = GPUS(8), .reason = "NeverFits", .resource = GPU, .level = "", .domain = "rack-0",
     .fits = 3, .needs = 0, .helps = "the size is 9, not 10"},
    {.name = "more members than a rack has places", .tree = RACKS, .size = 4, .each = GPUS(8),
     .constraints = HARD, .reason = "NeverFits", .resource = GPU, .level = "rack",
     .domain = "rack-0", .fits = 3, .needs = 4, .helps = "the rack constraint is soft"},
    {.name = "a member larger than any node", .tree = RACKS, .size = 1, .each = GPUS(9),
     .reason = "NeverFits", .resource = GPU, .level = "", .domain = "rack-0", .fits = 0,
     .needs = 0, .sentence = "group g needs 9 GPU a pod, the largest node has 8"},
    {.name = "a member that asks for more CPU than any node has", .tree = RACKS, .size = 2,
     .each = "{'cpu':'65','nvidia.com/gpu':'1'}", .reason = "NeverFits", .resource = "cpu",
     .level = "", .sentence = "group g needs 65 CPU a pod, the largest node has 64"},
    {.name = "a little more memory than any node has", .tree = FLAT, .size = 2,
     .each = "{'memory':'262145Mi'}", .reason = "NeverFits", .resource = "memory", .level = "",
     .sentence = "group g needs 256.1 GiB memory a pod, the largest node has 256 GiB"},
    {.name = "nodes have a little less memory than their size", .tree = FLAT, .size = 2,
     .nodes = "{'n0':{'status':{'allocatable':{'memory':'262143Mi'}}},"
              "'n1':{'status':{'allocatable':{'memory':'262143Mi'}}},"
              "'n2':{'status':{'allocatable':{'memory':'262143Mi'}}}}",
     .each = "{'memory':'256Gi'}", .reason = "NeverFits", .resource = "memory", .level = "",
     .sentence = "group g needs 256 GiB memory a pod, the largest node has 1 MiB less"},
    {.name = "a resource that no node has", .tree = RACKS, .size = 2,
     .each = "{'nvidia.com/gppu':'1','cpu':'1'}", .reason = "NeverFits",
     .resource = "nvidia.com/gppu", .level = "",
     .sentence = "group g needs nvidia.com/gppu, no node has it"},
    {.name = "max of one a node, more members than nodes", .tree = RACKS, .size = 10,
     .each = GPUS(1), .constraints = "{'node':{'max':1}}", .reason = "ConstraintConflict",
     .resource = GPU, .level = "node", .domain = "n0", .fits = 1, .needs = 2,
     .helps = "max of node is 2, not 1"},
    {.name = "max of two a node, few nodes have room", .tree = RACKS,
     .loads = "n1=8:w n2=8:w n4=8:w n5=8:w n7=8:w", .size = 9, .each = GPUS(1),
     .constraints = "{'node':{'max':2}}", .reason = "TopologyPlacementFailed", .resource = GPU,
     .level = "node", .domain = "n0", .fits = 2, .needs = 3, .helps = "max of node is 3, not 2"},
    {.name = "two racks must do, the best two are one short", .tree = RACKS,
     .loads = "n0=6:w n1=4:w n2=4:w n3=8:b-1 n4=6:b-1 n5=4:b-1 n6=4:w n7=4:w n8=4:w", .size = 12,
     .each = GPUS(2), .constraints = "{'rack':{'partitions':2}}",
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 5, .needs = 6, .blocker = "default/w-1", .helps = "partitions of rack is 3, not 2"},
    {.name = "three racks must be used, one is full", .tree = RACKS,
     .loads = "n3=8:b-1 n4=8:b-1 n5=8:b-1", .size = 3, .each = GPUS(8),
     .constraints = "{'rack':{'partitions':3}}", .reason = "TopologyPlacementFailed",
     .resource = GPU, .level = "rack", .helps = "partitions of rack is 2, not 3"},
    {.name = "a size that no multiple of the factor makes", .tree = RACKS, .size = 6,
     .each = GPUS(1), .constraints = "{'node':{'factor':4}}", .reason = "ConstraintConflict",
     .resource = GPU, .level = "node", .helps = "factor of node is 3, not 4"},
    {.name = "only one rack holds a multiple of the factor", .tree = RACKS,
     .loads = "n0=2:w n1=6:w n2=2:w n3=8:w n4=8:w n5=2:w n6=8:w n7=8:w n8=2:w", .size = 8,
     .each = GPUS(2), .constraints = "{'rack':{'factor':4}}", .reason = "TopologyPlacementFailed",
     .resource = GPU, .level = "rack", .helps = "factor of rack is 2, not 4"},
    {.name = "the rest is less than min", .tree = RACKS,
     .loads = "n0=2:w n1=6:w n2=6:w n3=8:w n4=8:w n5=4:w n6=8:w n7=8:w n8=4:w", .size = 7,
     .each = GPUS(2), .constraints = "{'rack':{'min':3}}", .reason = "TopologyPlacementFailed",
     .resource = GPU, .level = "rack", .helps = "min of rack is 2, not 3"},
    {.name = "one a node, more members than nodes", .tree = RACKS, .size = 10, .each = GPUS(1),
     .constraints = "{'node':{'type':'spread','hard':true}}", .reason = "ConstraintConflict",
     .resource = GPU, .level = "node", .domain = "n0", .fits = 1, .needs = 2,
     .helps = "the node constraint is soft"},
    {.name = "one a node, two nodes are full", .tree = RACKS, .loads = "n0=8:b-1 n1=8:b-1",
     .size = 8, .each = GPUS(2), .constraints = "{'node':{'type':'spread','hard':true}}",
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "node",
     .helps = "2 GPU free up on n0"},
    {.name = "more members than a zone has places", .tree = ZONES, .size = 5, .each = GPUS(8),
     .constraints = "{'zone':{'hard':true}}", .reason = "NeverFits", .resource = GPU,
     .level = "zone", .domain = "zone-0", .fits = 4, .needs = 5,
     .helps = "the zone constraint is soft"},
    {.name = "a node of each zone is busy", .tree = ZONES, .loads = "n1=8:b-1 n6=8:b-2",
     .size = 4, .each = GPUS(8), .constraints = "{'zone':{'hard':true}}",
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "zone", .domain = "zone-0",
     .fits = 3, .needs = 4, .blocker = "default/b-1", .helps = "8 GPU free up on n1"},
    {.name = "a node of each rack is busy", .tree = ZONES,
     .loads = "n1=8:b-1 n3=8:b-1 n4=8:b-2 n6=8:b-2", .size = 2, .each = GPUS(8),
     .constraints = "{'zone':{'hard':true},'rack':{'hard':true}}",
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "zone", .domain = "zone-0",
     .fits = 1, .needs = 2, .blocker = "default/b-1", .helps = "the rack constraint is soft"},
    {.name = "a tainted node is what is missing", .tree = RACKS,
     .nodes = "{'n2':{'spec':{'taints':[{'key':'repair','effect':'NoSchedule'}]}}}",
     .loads = "n3=8:w n6=8:w", .size = 3, .each = GPUS(8), .constraints = HARD,
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 2, .needs = 3, .blocker = "n2", .helps = "n2 is usable again"},
    {.name = "a node that is not ready is what is missing", .tree = RACKS,
     .nodes = "{'n5':{'spec':{'taints':[{'key':'node.kubernetes.io/not-ready',"
              "'effect':'NoSchedule'}]},"
              "'status':{'conditions':[{'type':'Ready','status':'False'}]}}}",
     .loads = "n0=8:w n6=8:w", .size = 3, .each = GPUS(8), .constraints = HARD,
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 2, .needs = 3, .blocker = "default/w-0", .helps = "n5 is usable again"},
    {.name = "two cordoned nodes are what is missing", .tree = RACKS,
     .nodes = "{'n1':{'spec':{'unschedulable':true}},'n2':{'spec':{'unschedulable':true}}}",
     .loads = "n3=8:w n4=8:w n6=8:w n7=8:w", .size = 3, .each = GPUS(8), .constraints = HARD,
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 1, .needs = 3, .blocker = "n1", .helps = "n1 and n2 are usable again"},
    {.name = "a node of the tree does not exist", .tree = RACKS, .nodes = "{'n2':null}",
     .loads = "n3=8:w n6=8:w", .size = 3, .each = GPUS(8), .constraints = HARD,
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 2, .needs = 3, .blocker = "n2", .helps = "8 GPU free up on n3"},
    {.name = "cpu is what is short", .tree = RACKS,
     .nodes = "{'n0':{'status':{'allocatable':{'cpu':'32'}}},"
              "'n3':{'status':{'allocatable':{'cpu':'32'}}},"
              "'n6':{'status':{'allocatable':{'cpu':'32'}}}}",
     .size = 6, .each = "{'cpu':'32'}", .constraints = HARD, .reason = "NeverFits",
     .resource = "cpu", .level = "rack", .domain = "rack-0", .fits = 5, .needs = 6,
     .helps = "32 CPU were added on n0"},
    {.name = "memory is what is short", .tree = RACKS,
     .nodes = "{'n0':{'status':{'allocatable':{'memory':'100Gi'}}},"
              "'n3':{'status':{'allocatable':{'memory':'100Gi'}}},"
              "'n6':{'status':{'allocatable':{'memory':'120Gi'}}}}",
     .size = 6, .each = "{'memory':'128Gi','cpu':'1'}", .constraints = HARD,
     .reason = "NeverFits", .resource = "memory", .level = "rack", .domain = "rack-0", .fits = 4,
     .needs = 6, .helps = "the size is 4, not 6"},
    {.name = "nodes take no more pods", .tree = FLAT,
     .nodes = "{'n0':{'status':{'allocatable':{'pods':'2'}}},"
              "'n1':{'status':{'allocatable':{'pods':'2'}}},"
              "'n2':{'status':{'allocatable':{'pods':'2'}}}}",
     .size = 7, .each = "{'cpu':'1'}", .reason = "NeverFits", .resource = "pods", .level = "",
     .domain = "n0", .fits = 2, .needs = 0, .helps = "the size is 6, not 7"},
    {.name = "a member's seat beside the others is taken", .tree = RACKS, .loads = "n2=8:b-1",
     .size = 3, .each = GPUS(8), .constraints = HARD, .bound = "n0 n1",
     .reason = "TopologyPlacementFailed", .resource = GPU, .level = "rack", .domain = "rack-0",
     .fits = 0, .needs = 1, .blocker = "default/b-1", .helps = "8 GPU free up on n2",
     .sentence = "group g needs 1 more slot in rack-0, where 2 members sit and the rule is hard; 0 are free there; "
                 "all 3 would fit in rack-1 if they started anew, or a size of 2 would do"},
    {.name = "hard rack and max contradict the size", .tree = RACKS, .size = 7, .each = GPUS(1),
     .constraints = "{'rack':{'hard':true},'node':{'max':2}}", .reason = "ConstraintConflict",
     .resource = GPU, .level = "rack", .domain = "rack-0", .fits = 6, .needs = 7,
     .helps = "max of node is 3, not 2"},
    {.name = "no number of nodes with four to five makes seven", .tree = RACKS, .size = 7,
     .each = GPUS(1), .constraints = "{'node':{'min':4,'max':5}}", .reason = "ConstraintConflict",
     .resource = GPU, .level = "node", .helps = "min of node is 3, not 4"},
    {.name = "a flat tree, all on one node", .tree = FLAT, .size = 3, .each = GPUS(4),
     .constraints = "{'node':{'hard':true}}", .reason = "NeverFits", .resource = GPU,
     .level = "node", .domain = "n0", .fits = 2, .needs = 3,
     .helps = "the node constraint is soft"},
    {.name = "at most four a rack, one rack is full", .tree = RACKS,
     .loads = "n6=8:b-1 n7=8:b-1 n8=8:b-1", .size = 9, .each = GPUS(2),
     .constraints = "{'rack':{'min':2,'max':4}}", .reason = "TopologyPlacementFailed",
     .resource = GPU, .level = "rack", .domain = "rack-0", .fits = 4, .needs = 5,
     .helps = "max of rack is 5, not 4"},
    {.name = "two rules have to go together", .tree = RACKS, .size = 10, .each = GPUS(8),
     .nodes = "{'n0':{'status':{'allocatable':{'nvidia.com/gpu':'16'}}}}",
     .constraints = "{'rack':{'hard':true},'node':{'type':'spread','hard':true}}",
     .reason = "ConstraintConflict", .resource = GPU, .level = "node", .domain = "n0", .fits = 1,
     .needs = 2, .helps = "the node constraint is soft and the rack constraint is soft"},
    {.name = "many holders in the best rack", .tree = RACKS,
     .loads = "n0=1:b-1 n0=1:b-2 n1=1:b-3 n1=2:b-4 n2=3:w n3=8:w n4=8:w n5=8:w "
              "n6=8:w n7=8:w n8=7:w",
     .size = 17, .each = GPUS(1), .constraints = HARD, .reason = "TopologyPlacementFailed",
     .resource = GPU, .level = "rack", .domain = "rack-0", .fits = 16, .needs = 17,
     .blocker = "default/b-4", .helps = "the rack constraint is soft"},
    {.name = "a rack lacks room for one worker", .tree = PAIRS,
     .nodes = "{" HAS("n0", 16, 4) "," HAS("n1", 20, 4) "," HAS("n2", 12, 8) "," HAS("n3", 12, 8) "}",
     .roles = "{'leader':{'size':1},'worker':{'size':8}}", .each = BY_ROLE, .constraints = HARD,
     .reason = "NeverFits", .helps = "the rack constraint is soft", .n_ways = 2,
     .sentence = "group g needs 1 leader and 8 workers in one rack, rack-0 has 7 workers beside 1 leader",
     .row = "rack-0  36    1/1     7/8     1      <none>"},
    {.name = "a set too many", .tree = PAIRS,
     .nodes = "{" HAS("n0", 24, 4) "," HAS("n1", 12, 1) "," HAS("n2", 16, 2) "," HAS("n3", 12, 1) "}",
     .roles = "{'leader':{'size':2},'worker':{'size':8}}", .each = BY_ROLE,
     .constraints = "{'sets':[{'level':'rack','roles':{'leader':1,'worker':4}}]}",
     .reason = "NeverFits", .helps = "a set of 1 leader and 4 workers may use several racks", .n_ways = 2,
     .sentence = "group g needs 2 sets of 1 leader and 4 workers, each in one rack, 1 fits"},
    {.name = "sets that do not share a rack", .tree = TWO_ONE,
     .nodes = "{" HAS("n2", 8, 1) "}", .roles = "{'leader':{'size':2},'worker':{'size':6}}", .each = BY_ROLE,
     .constraints = "{'sets':[{'level':'rack','roles':{'leader':1,'worker':3},'exclusive':true}]}",
     .reason = "NeverFits", .helps = "several sets of 1 leader and 3 workers may share a rack", .n_ways = 3,
     .sentence = "group g needs 2 sets of 1 leader and 3 workers, each in one rack, 1 fits"},
    {.name = "a rule of a role contradicts its size", .tree = ONE_PAIR,
     .nodes = "{" HAS("n0", 32, 8) "," HAS("n1", 32, 8) "}",
     .roles = "{'leader':{'size':1},'worker':{'size':8}}", .each = BY_ROLE,
     .constraints = "{'roles':{'worker':{'node':{'max':3}}}}", .reason = "ConstraintConflict",
     .helps = "node has no max of role worker", .n_ways = 2,
     .sentence = "group g has rules that no placement of 1 leader and 8 workers meets on this tree, whatever "
                 "the capacity"},
    {.name = "a role fits nowhere even alone", .tree = SINGLES,
     .nodes = "{" HAS("n0", 32, 8) "," HAS("n1", 32, 0) "}",
     .roles = "{'leader':{'size':1},'worker':{'size':9}}", .each = BY_ROLE, .reason = "NeverFits",
     .helps = "the size of role worker is 8, not 9", .n_ways = 1,
     .sentence = "group g needs 9 slots for role worker, 8 are free (1 node could hold one if empty)",
     .row = "n0    8     -       8/9     1      <none>"},
    {.name = "a cordoned node lacks for the leader", .tree = SINGLES,
     .nodes = "{'n0':{'spec':{'unschedulable':true},'status':{'allocatable':{'cpu':'32'}}}," HAS("n1", 16, 4) "}",
     .roles = "{'leader':{'size':1},'worker':{'size':4}}", .each = BY_ROLE, .reason = "NeverFits",
     .helps = "n0 is usable again", .n_ways = 2,
     .sentence = "group g needs 1 leader and 4 workers, all but 1 leader fit under its rules"},
    {.name = "a role has less room than its minimum", .tree = ONE_THREE,
     .nodes = "{" HAS("n0", 32, 0) "," HAS("n1", 6, 8) "," HAS("n2", 6, 8) "}",
     .roles = "{'leader':{'size':2},'worker':{'size':4,'minimum':3}}", .each = BY_ROLE,
     .reason = "NeverFits", .helps = "the minimum of role worker is 2, not 3", .n_ways = 1,
     .sentence = "group g needs 4 slots for role worker, 2 are free (2 nodes could hold one if empty)"},
    {.name = "a role asks for what no node has", .tree = ONE_PAIR,
     .nodes = "{" HAS("n0", 16, 0) "," HAS("n1", 16, 0) "}",
     .roles = "{'leader':{'size':1},'worker':{'size':2}}", .each = BY_ROLE, .reason = "NeverFits",
     .sentence = "group g needs nvidia.com/gpu, no node has it"},
    /* clang-format on */
};
const size_t n_explain_scenarios = sizeof explain_scenarios / sizeof *explain_scenarios;

/* ---- files ---- */

static json_t *config_map(const char *name, const char *label, json_t *data)
{
    return json_pack("{s:s,s:s,s:{s:s,s:s,s:{s:s}},s:o}", "apiVersion", "v1", "kind", "ConfigMap",
                     "metadata", "name", name, "namespace", "default", "labels", label, "", "data",
                     data);
}

static void merge(json_t *target, const json_t *patch)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)patch, key, value)
    {
        json_t *old = json_object_get(target, key);
        if (json_is_object(old) && json_is_object(value)) {
            merge(old, value);
        } else {
            json_object_set(target, key, value);
        }
    }
}

static void add_nodes(json_t *items, const struct explain_scenario *s)
{
    json_auto_t *patches = s->nodes ? json_text_load(s->nodes) : json_object();
    for (const char *at = strstr(s->tree, "'n"); at; at = strstr(at + 1, "'n")) {
        char name[8];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "'"), at + 1);
        const json_t *patch = json_object_get(patches, name);
        if (json_is_null(patch)) {
            continue;
        }
        json_t *node =
            json_pack("{s:s,s:s,s:{s:s},s:{},s:{s:{s:s,s:s,s:s,s:s},s:[{s:s,s:s}]}}", "apiVersion",
                      "v1", "kind", "Node", "metadata", "name", name, "spec", "status",
                      "allocatable", "cpu", "64", "memory", "256Gi", "pods", "110", GPU, "8",
                      "conditions", "type", "Ready", "status", "True");
        merge(node, patch);
        json_array_append_new(items, node);
    }
}

static void add_pod(json_t *items, const char *name, const char *group, const char *node,
                    json_t *requests)
{
    json_t *pod =
        json_pack("{s:s,s:s,s:{s:s,s:s,s:s,s:{}},s:{s:s,s:[{s:s,s:s,s:{s:O,s:o}}]},s:{s:s}}",
                  "apiVersion", "v1", "kind", "Pod", "metadata", "name", name, "namespace",
                  "default", "uid", name, "labels", "spec", "schedulerName", "sakkara",
                  "containers", "name", "c", "image", "i", "resources", "limits", requests,
                  "requests", requests, "status", "phase", node ? "Running" : "Pending");
    json_t *spec = json_object_get(pod, "spec");
    if (group) {
        json_object_set_new(json_object_get(json_object_get(pod, "metadata"), "labels"),
                            "sakkara.group.name", json_string(group));
    }
    if (node) {
        json_object_set_new(spec, "nodeName", json_string(node));
    } else {
        json_object_set_new(spec, "schedulingGates", json_pack("[{s:s}]", "name", "sakkara.gang"));
    }
    json_array_append_new(items, pod);
}

/* "n0=5:b-1 n1=8:w" */
static void add_loads(json_t *items, const char *loads)
{
    json_t *groups = json_object(), *count;
    const char *key;
    int n = 0;
    for (const char *at = loads; at && *at; at += strspn(at, " ")) {
        char node[8], holder[8], name[16], amount[8];
        assert_int_equal(sscanf(at, "%7[^=]=%7[^:]:%7[^ ]", node, amount, holder), 3);
        bool grouped = holder[0] == 'b';
        snprintf(name, sizeof name, "%s-%d", holder, n++);
        add_pod(items, name, grouped ? holder : NULL, node, json_pack("{s:s}", GPU, amount));
        json_int_t before = json_integer_value(json_object_get(groups, holder));
        if (grouped) {
            json_object_set_new(groups, holder, json_integer(before + 1));
        }
        at += strcspn(at, " ");
    }
    json_object_foreach(groups, key, count)
    {
        char size[16];
        snprintf(size, sizeof size, "%d", (int)json_integer_value(count));
        json_array_append_new(items, config_map(key, "sakkara.group",
                                                json_pack("{s:s,s:s,s:s}", "name", key, "size",
                                                          size, "priority", "1")));
    }
    json_decref(groups);
}

/* Pods NAME-0 .., of that role if it has one. */
static void add_members(json_t *items, const struct explain_scenario *s, const char *name, int n,
                        json_t *each)
{
    const char *at = s->bound;
    for (int i = 0; i < n; i++) {
        char node[8] = "", pod[16];
        if (at && sscanf(at, "%7s", node) == 1) {
            at += strcspn(at, " ");
            at += strspn(at, " ");
        }
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        add_pod(items, pod, "g", node[0] ? node : NULL, json_incref(each));
        if (s->roles) {
            json_t *last = json_array_get(items, json_array_size(items) - 1);
            json_object_set_new(json_object_get(last, "metadata"), "annotations",
                                json_pack("{s:s}", "sakkara.group.role", name));
        }
    }
}

static void add_group(json_t *items, const struct explain_scenario *s)
{
    char number[16];
    snprintf(number, sizeof number, "%d", s->size);
    char *size = json_text_quote(s->roles ? s->roles : number);
    char *constraints = json_text_quote(s->constraints ? s->constraints : "{}");
    json_auto_t *each = json_text_load(s->each),
                *roles = s->roles ? json_text_load(s->roles) : NULL;
    json_t *role;
    const char *name;
    json_array_append_new(
        items, config_map("g", "sakkara.group",
                          json_pack("{s:s,s:s,s:s}", "name", "g", s->roles ? "roles" : "size", size,
                                    "constraints", constraints)));
    free(size);
    free(constraints);
    json_object_foreach(roles, name, role)
    {
        add_members(items, s, name, (int)json_integer_value(json_object_get(role, "size")),
                    json_object_get(each, name));
    }
    if (!roles) {
        add_members(items, s, "p", s->size, each);
    }
}

json_t *explain_scenario_files(const struct explain_scenario *s)
{
    json_t *items = json_array();
    bool zones = strstr(s->tree, "zone-0"), racks = strstr(s->tree, "rack-0");
    char *tree = json_text_quote(s->tree);
    const char *levels = zones   ? "[\"zone\",\"rack\",\"node\"]"
                         : racks ? "[\"rack\",\"node\"]"
                                 : "[\"node\"]";
    json_array_append_new(items,
                          config_map("topology", "sakkara.topology",
                                     json_pack("{s:s,s:s}", "level-names", levels, "tree", tree)));
    free(tree);
    add_nodes(items, s);
    add_loads(items, s->loads);
    add_group(items, s);
    return json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "List", "items", items);
}
