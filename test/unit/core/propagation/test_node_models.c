/* SPDX-License-Identifier: Apache-2.0 */
/* Room by resource models: which nodes a cluster has, what fits on them, when its sums count. */
#include <jansson.h>

#include "core/propagation/steps.h"
#include "test/test.h"
#include "test/unit/decision_world.h"
#include "test/unit/json_text.h"

#define CPU_GRADES                                               \
    "{'grade':0,'ranges':[{'name':'cpu','min':'0','max':'1'}]}," \
    "{'grade':1,'ranges':[{'name':'cpu','min':'1','max':'2'}]}," \
    "{'grade':2,'ranges':[{'name':'cpu','min':'2','max':'4'}]}"
#define MEMORY_GRADES                                                                \
    "{'grade':0,'ranges':[{'name':'cpu','min':'0'},{'name':'memory','min':'0'}]},"   \
    "{'grade':1,'ranges':[{'name':'cpu','min':'1'},{'name':'memory','min':'1Gi'}]}," \
    "{'grade':2,'ranges':[{'name':'memory','min':'2Gi'},{'name':'cpu','min':'2'}]}"
#define ONE_EACH "{'grade':0,'count':1},{'grade':1,'count':1},{'grade':2,'count':1}"

struct row {
    const char *title;
    const char *grades;  /* spec.resourceModels */
    const char *counts;  /* allocatableModelings */
    const char *request; /* resourceRequest; NULL: no replicaRequirements */
    int64_t want;        /* pods 1000, cpu 100, memory 100Gi, nvidia.com/gpu 100, foo 7 */
};

static const struct row rows[] = {
    {"the grade that has the minimum", CPU_GRADES, ONE_EACH, "'cpu':'1500m'", 1},
    {"several replicas a node", CPU_GRADES, ONE_EACH, "'cpu':'500m'", 6},
    {"no grade has it", CPU_GRADES, ONE_EACH, "'cpu':'3'", 0},
    {"every resource has to fit", MEMORY_GRADES, ONE_EACH, "'cpu':'1','memory':'1.5Gi'", 1},
    {"one resource that no grade has", MEMORY_GRADES, ONE_EACH, "'cpu':'1','memory':'2.5Gi'", 0},
    {"a resource that grades do not name is not there", CPU_GRADES, ONE_EACH,
     "'cpu':'1','nvidia.com/gpu':'1'", 0},
    {"a name that is on no node is skipped", CPU_GRADES, ONE_EACH, "'cpu':'2','foo':'1'", 1},
    {"pods of a request are skipped", CPU_GRADES, ONE_EACH, "'cpu':'2','pods':'5'", 1},
    {"a request of nothing is skipped", CPU_GRADES, ONE_EACH, "'cpu':'2','nvidia.com/gpu':'0'", 1},
    {"a node has 110 pods", CPU_GRADES, ONE_EACH, "'cpu':'0'", 330},
    {"what a node has is rounded up", "{'grade':0,'ranges':[{'name':'cpu','min':'999.1m'}]}",
     "{'grade':0,'count':3}", "'cpu':'1'", 3},
    {"counts of a grade add up", CPU_GRADES, "{'grade':2,'count':2},{'grade':2,'count':3}",
     "'cpu':'2'", 5},
    {"a grade that spec lacks has no nodes", CPU_GRADES, "{'grade':7,'count':9}", "'cpu':'1'", 0},
    {"a grade without a count has none", CPU_GRADES, "{'grade':2,'count':0}", "'cpu':'1'", 0},
    {"of two grades of a number the later", CPU_GRADES ",{'grade':2,'ranges':[]}",
     "{'grade':2,'count':9}", "'cpu':'1'", 0},
    {"of two ranges of a name the later",
     "{'grade':0,'ranges':[{'name':'cpu','min':'9'},{'name':'cpu','min':'2'}]}",
     "{'grade':0,'count':1}", "'cpu':'1'", 2},
    {"the room in pods bounds it", CPU_GRADES, "{'grade':2,'count':99999}", "'cpu':'1'", 1000},
    {"as many nodes as there may be", CPU_GRADES,
     "{'grade':2,'count':2147483648},{'grade':2,'count':9223372036854775807}", "'cpu':'1'", 1000},
    {"without counts the sums", CPU_GRADES, "", "'cpu':'20'", 5},
    {"without grades the sums", "", ONE_EACH, "'cpu':'20'", 5},
    {"a negative count: the sums", CPU_GRADES, "{'grade':1,'count':1},{'grade':9,'count':-1}",
     "'cpu':'20'", 5},
    {"sums know any name", "", "", "'cpu':'20','foo':'7'", 1},
    {"without requirements the pods", CPU_GRADES, ONE_EACH, NULL, 1000},
};

static struct skr_member_cluster *read_cluster(const struct row *row, const char *pods)
{
    struct skr_error error = {.text = ""};
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'a'},'spec':{'resourceModels':[%s]},'status':{"
                    "'resourceSummary':{'allocatable':{'pods':'%s','cpu':'100','memory':'100Gi',"
                    "'nvidia.com/gpu':'100','foo':'7'},'allocatableModelings':[%s]}}}",
                    row->grades, pods, row->counts);
    json_auto_t *json = json_text_load(text.s);
    void *cluster = NULL;
    if (skr_member_cluster_decode(json, &cluster, &error) < 0) {
        fail_msg("%s: %s", row->title, error.text);
    }
    return cluster;
}

static int64_t room_of(const struct row *row, const char *pods, const char *options_text)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options options;
    SKR_STRBUF(more);
    decision_set_options(options_text, &options);
    skr_strbuf_addf(&more,
                    "'replicaRequirements':{'nodeClaim':{'nodeSelector':{'disk':'ssd'}},"
                    "'resourceRequest':{%s}}",
                    row->request ? row->request : "");
    struct skr_member_cluster *cluster = read_cluster(row, pods);
    struct skr_binding *binding =
        decision_read_binding(&world, 6, DYNAMIC, row->request ? more.s : NULL);
    const int64_t room = skr_binding_estimate(binding, cluster, &options, 0);
    skr_object_destroy(binding);
    skr_object_destroy(cluster);
    return room;
}

TEST_EACH(row, rows, room_is_what_fits_on_the_nodes_of_the_models)
{
    const int64_t room = room_of(row, "1000", NULL);
    if (room != row->want) {
        fail_msg("%s: %lld, not %lld", row->title, (long long)room, (long long)row->want);
    }
}

TEST(the_nodes_of_a_grade_are_counted_without_a_loop)
{
    const struct row row = {"many", CPU_GRADES, "{'grade':2,'count':2147483648}", "'cpu':'1'", 0};
    assert_int_equal(room_of(&row, "9000000000", NULL), INT64_C(2) * 2147483648);
}

TEST(an_option_goes_back_to_the_sums)
{
    const struct row row = {"off", CPU_GRADES, ONE_EACH, "'cpu':'20'", 0};
    assert_int_equal(room_of(&row, "1000", "resourceModels=off"), 5);
    assert_int_equal(room_of(&row, "1000", "upstream"), 0);
}

TEST(the_room_of_a_file_wins)
{
    json_auto_t *json = json_text_load(
        "{'metadata':{'name':'a','annotations':{'sakkara.simulate/room':'9'}},'spec':{"
        "'resourceModels':[" CPU_GRADES "]},'status':{'resourceSummary':{'allocatable':{'pods':"
        "'20'},'allocatableModelings':[" ONE_EACH "]}}}");
    struct decision_world world = {.n = 0};
    struct skr_propagation_options options;
    void *cluster = NULL;
    decision_set_options(NULL, &options);
    assert_int_equal(skr_member_cluster_decode(json, &cluster, NULL), 0);
    struct skr_binding *binding = decision_read_binding(
        &world, 6, DYNAMIC, "'replicaRequirements':{'resourceRequest':{'cpu':'3'}}");
    assert_int_equal(skr_binding_estimate(binding, cluster, &options, 0), 9);
    skr_object_destroy(binding);
    skr_object_destroy(cluster);
}

/* ---- mistakes ---- */

struct mistake {
    const char *title, *grades, *counts, *want;
};
static const struct mistake mistakes[] = {
    {"no quantity", "{'grade':0,'ranges':[{'name':'cpu','min':'x'}]}", ONE_EACH,
     "spec.resourceModels[0].ranges[0].min: "},
    {"no list", "{'grade':0,'ranges':7}", ONE_EACH, "spec.resourceModels[0].ranges: "},
    {"no grade", "{'grade':'x','ranges':[]}", ONE_EACH, "spec.resourceModels[0].grade: "},
    {"no count", CPU_GRADES, "{'grade':0,'count':'x'}",
     "status.resourceSummary.allocatableModelings[0].count: "},
};
TEST_EACH(mistake, mistakes, a_mistake_in_a_model_is_found_by_its_path)
{
    struct skr_error error = {.text = ""};
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'a'},'spec':{'resourceModels':[%s]},'status':{"
                    "'resourceSummary':{'allocatableModelings':[%s]}}}",
                    mistake->grades, mistake->counts);
    json_auto_t *json = json_text_load(text.s);
    void *cluster = NULL;
    assert_int_equal(skr_member_cluster_decode(json, &cluster, &error), -SKR_INVALID);
    assert_ptr_equal(strstr(error.text, mistake->want), error.text);
}

TEST(more_grades_or_ranges_than_the_limit_are_refused)
{
    struct skr_error error = {.text = ""};
    void *cluster = NULL;
    for (int i = 0; i < 2; i++) {
        json_auto_t *list = json_array();
        for (int k = 0; k <= (i == 0 ? (int)SKR_MODEL_GRADES_MAX : (int)SKR_NODE_RESOURCES_MAX);
             k++) {
            json_array_append_new(list, json_object());
        }
        json_auto_t *json = i == 0
                                ? json_pack("{s:{s:s}, s:{s:O}, s:{s:{s:[{}]}}}", "metadata",
                                            "name", "a", "spec", "resourceModels", list, "status",
                                            "resourceSummary", "allocatableModelings")
                                : json_pack("{s:{s:s}, s:{s:[{s:O}]}, s:{s:{s:[{}]}}}", "metadata",
                                            "name", "a", "spec", "resourceModels", "ranges", list,
                                            "status", "resourceSummary", "allocatableModelings");
        assert_int_equal(skr_member_cluster_decode(json, &cluster, &error), -SKR_LIMIT);
        assert_non_null(strstr(error.text, i == 0 ? "spec.resourceModels: 257" : "ranges: 65"));
    }
}

/* ---- what improves ---- */

struct change {
    const char *title, *grades, *counts;
    bool grew;
};
static const struct change changes[] = {
    {"nothing", CPU_GRADES, ONE_EACH, false},
    {"a node more", CPU_GRADES, "{'grade':0,'count':1},{'grade':1,'count':2},{'grade':2,'count':1}",
     true},
    {"a node less", CPU_GRADES, "{'grade':0,'count':1},{'grade':2,'count':1}", false},
    {"another size", MEMORY_GRADES, ONE_EACH, true},
    {"no models", "", "", true},
};
TEST_EACH(change, changes, models_grow_with_nodes_and_with_other_grades)
{
    const struct row was = {"was", CPU_GRADES, ONE_EACH, NULL, 0};
    const struct row is = {change->title, change->grades, change->counts, NULL, 0};
    struct skr_member_cluster *before = read_cluster(&was, "9");
    struct skr_member_cluster *after = read_cluster(&is, "9");
    if (skr_node_models_grew(&before->models, &after->models) != change->grew) {
        fail_msg("%s", change->title);
    }
    skr_object_destroy(before);
    skr_object_destroy(after);
}
