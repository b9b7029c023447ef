/* SPDX-License-Identifier: Apache-2.0 */
/* Persisted plans: what is written can be read back, and nothing else is taken for a plan. */
#include "core/gang/state/plan_text.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

static struct skr_plan_member worked_example[] = {
    {"uid-2", "node-1", 2}, {"uid-0", "node-0", 0}, {"uid-1", "node-0", 1}};

static struct skr_plan_record example(void)
{
    struct skr_plan_record plan = {
        .state = SKR_PLAN_PLANNED, .has_members = true, .n_members = 3, .member = worked_example};
    skr_plan_id("default", "group-a", worked_example, 3, plan.id);
    return plan;
}

TEST(the_id_depends_on_content_not_on_order)
{
    char first[SKR_PLAN_ID_LEN + 1];
    char other[SKR_PLAN_ID_LEN + 1];
    const struct skr_plan_member same[] = {
        {"uid-0", "node-0", 0}, {"uid-1", "node-0", 1}, {"uid-2", "node-1", 2}};
    const struct skr_plan_member rank[] = {
        {"uid-0", "node-0", 1}, {"uid-1", "node-0", 0}, {"uid-2", "node-1", 2}};
    const struct skr_plan_member node[] = {
        {"uid-0", "node-0", 0}, {"uid-1", "node-1", 1}, {"uid-2", "node-1", 2}};
    const struct skr_plan_member uid[] = {
        {"uid-0", "node-0", 0}, {"uid-1", "node-0", 1}, {"uid-3", "node-1", 2}};
    skr_plan_id("default", "group-a", worked_example, 3, first);
    assert_int_equal(strspn(first, "0123456789abcdef"), SKR_PLAN_ID_LEN);
    skr_plan_id("default", "group-a", same, 3, other);
    assert_string_equal(first, other);
    const struct skr_plan_member *const different[] = {rank, node, uid};
    for (size_t i = 0; i < 3; i++) {
        skr_plan_id("default", "group-a", different[i], 3, other);
        assert_string_not_equal(first, other);
    }
    skr_plan_id("default", "group-a", same, 2, other);
    assert_string_not_equal(first, other);
    skr_plan_id("defaul", "tgroup-a", same, 3, other);
    assert_string_not_equal(first, other);
    skr_plan_id("default", "group-b", same, 3, other);
    assert_string_not_equal(first, other);
    assert_string_equal(worked_example[0].uid, "uid-2"); /* the caller's order stays */
}

TEST(the_id_never_changes_between_releases)
{
    /* A plan persisted by one release must be recognised by the next. The
     * figures were computed by another program. */
    char id[SKR_PLAN_ID_LEN + 1];
    skr_plan_id("default", "group-a", NULL, 0, id);
    assert_string_equal(id, "a427a068e9eb2c69");
    skr_plan_id("default", "group-a", worked_example, 3, id);
    assert_string_equal(id, "65c6538af07bb614");
}

TEST(a_plan_is_written_in_byte_order)
{
    struct skr_plan_record plan = example();
    bool dropped = true;
    char want[512];
    snprintf(want, sizeof want,
             "{\"v\":1,\"id\":\"%s\",\"state\":\"Planned\",\"nodes\":{\"node-0\":2,\"node-1\":1},"
             "\"members\":{\"uid-0\":\"node-0\",\"uid-1\":\"node-0\",\"uid-2\":\"node-1\"}}",
             plan.id);
    char *text = skr_plan_write(&plan, &dropped);
    assert_string_equal(text, want);
    assert_false(dropped);
    free(text);

    const char *victims[] = {"ns/a", "ns/\"b\""};
    plan.victim = victims;
    plan.n_victims = 2;
    plan.state = SKR_PLAN_PREEMPTING;
    text = skr_plan_write(&plan, NULL);
    assert_non_null(strstr(text, "\"state\":\"Preempting\""));
    assert_non_null(strstr(text, ",\"victims\":[\"ns/a\",\"ns/\\\"b\\\"\"]}"));
    free(text);
}

TEST(every_state_survives_a_restart)
{
    static const char *const name[] = {"Planned", "Admitting", "Holding", "Binding", "Preempting"};
    const char *victims[] = {"ns/b", "ns/a"};
    int32_t pods[] = {3, 1};
    for (int i = 0; i < SKR_PLAN_STATE_COUNT; i++) {
        struct skr_plan_record plan = example();
        struct skr_plan_record *read = NULL;
        struct skr_error error = {.text = ""};
        plan.state = (enum skr_plan_state)i;
        plan.victim = victims;
        plan.n_victims = 2;
        plan.victim_pods = i % 2 == 0 ? pods : NULL; /* of a version that did not write them */
        assert_string_equal(skr_plan_state_name(plan.state), name[i]);
        SKR_AUTO_FREE char *text = skr_plan_write(&plan, NULL);
        if (skr_plan_parse(text, &read, &error) != 0) {
            fail_msg("%s: %s", text, error.text);
        }
        assert_string_equal(read->id, plan.id);
        assert_int_equal(read->state, plan.state);
        assert_true(read->has_members);
        assert_int_equal(read->n_members, 3);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(read->member[k].rank, -1);
        }
        assert_string_equal(read->member[0].uid, "uid-0");
        assert_string_equal(read->member[2].node, "node-1");
        assert_int_equal(read->n_nodes, 2);
        assert_string_equal(read->node[0].node, "node-0");
        assert_int_equal(read->node[0].count, 2);
        assert_int_equal(read->n_victims, 2);
        assert_string_equal(read->victim[0], "ns/b");
        assert_int_equal(!read->victim_pods, !plan.victim_pods);
        assert_true(!read->victim_pods || (read->victim_pods[0] == 3 && read->victim_pods[1] == 1));
        SKR_AUTO_FREE char *again = skr_plan_write(read, NULL);
        assert_string_equal(again, text);
        skr_plan_record_destroy(read);
    }
    assert_string_equal(skr_plan_state_name(SKR_PLAN_STATE_COUNT), "");
    skr_plan_record_destroy(NULL);
}

TEST(any_order_of_members_is_read_sorted)
{
    char *text = json_text_quote("{'members':{'b':'n2','a':'n1'},'nodes':{'n2':1,'n1':1},"
                                 "'state':'Binding','id':'0123456789abcdef','v':1,'later':[]}");
    struct skr_plan_record *read = NULL;
    assert_int_equal(skr_plan_parse(text, &read, NULL), 0);
    assert_int_equal(read->state, SKR_PLAN_BINDING);
    assert_string_equal(read->member[0].uid, "a");
    assert_string_equal(read->member[1].uid, "b");
    assert_string_equal(read->node[0].node, "n1");
    skr_plan_record_destroy(read);
    free(text);
}

/* n members with uids as the API server makes them, `nodes` nodes with names of this length. */
static char *write_large(size_t n, size_t nodes, int width, bool *ret_dropped)
{
    SKR_AUTO_FREE struct skr_plan_member *member = calloc(n, sizeof *member);
    SKR_AUTO_FREE char *names = calloc(n, 512);
    struct skr_plan_record plan = {.has_members = true, .n_members = n, .member = member};
    for (size_t i = 0; i < n; i++) {
        char *uid = names + 512 * i;
        char *node = uid + 64;
        snprintf(uid, 64, "6b29fc40-ca47-1067-b31d-%012zu", i);
        snprintf(node, 256, "%0*zu", width, i % nodes);
        member[i] = (struct skr_plan_member){uid, node, (int32_t)i};
    }
    skr_plan_id("ns", "g", member, n, plan.id);
    return skr_plan_write(&plan, ret_dropped);
}

TEST(members_and_then_nodes_are_dropped_when_they_do_not_fit)
{
    static const struct {
        size_t members, nodes;
        int width;
        bool dropped, has_nodes;
    } row[] = {
        {3000, 1000, 12, false, true},
        {6000, 1000, 12, true, true},
        {6000, 6000, 60, true, false},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        bool dropped;
        struct skr_plan_record *read = NULL;
        char *text = write_large(row[i].members, row[i].nodes, row[i].width, &dropped);
        assert_true(strlen(text) <= SKR_PLAN_BYTES_MAX);
        assert_int_equal(dropped, row[i].dropped);
        assert_int_equal(skr_plan_parse(text, &read, NULL), 0);
        assert_int_equal(read->has_members, !row[i].dropped);
        assert_int_equal(read->n_members, row[i].dropped ? 0 : row[i].members);
        assert_int_equal(read->n_nodes, row[i].has_nodes ? row[i].nodes : 0);
        /* Written again it still says that the members are missing. */
        SKR_AUTO_FREE char *again = skr_plan_write(read, &dropped);
        assert_string_equal(again, text);
        assert_int_equal(dropped, row[i].dropped);
        free(text);
        skr_plan_record_destroy(read);
    }
}

TEST(what_is_no_plan_is_refused_with_the_place)
{
#define HEAD "{'v':1,'id':'0123456789abcdef','state':'Planned'"
    static const struct {
        const char *text, *error;
    } row[] = {
        {"", "sakkara.plan: 1:1: "},
        {"{", "sakkara.plan: 1:2: "},
        {"[]", "sakkara.plan: must be an object, got an array"},
        {"{}", "sakkara.plan.v: 0 is not supported, only 1 is"},
        {"{'v':2}", "sakkara.plan.v: 2 is not supported, only 1 is"},
        {"{'v':'1'}", "sakkara.plan.v: must be an integer, got a string"},
        {"{'v':1}", "sakkara.plan.id: must be 16 hex digits, got \"\""},
        {"{'v':1,'id':'0123456789ABCDEF'}",
         "sakkara.plan.id: must be 16 hex digits, got \"0123456789ABCDEF\""},
        {"{'v':1,'id':'0123456789abcdef0'}",
         "sakkara.plan.id: must be 16 hex digits, got \"0123456789abcdef0\""},
        {"{'v':1,'id':'0123456789abcdef'}", "sakkara.plan.state: \"\" is unknown"},
        {"{'v':1,'id':'0123456789abcdef','state':'planned'}",
         "sakkara.plan.state: \"planned\" is unknown"},
        {HEAD ",'nodes':[]}", "sakkara.plan.nodes: must be an object, got an array"},
        {HEAD ",'nodes':{'n':0}}",
         "sakkara.plan.nodes.n: must be a positive integer, got a number"},
        {HEAD ",'nodes':{'n':1.5}}",
         "sakkara.plan.nodes.n: must be a positive integer, got a number"},
        {HEAD ",'nodes':{'n':3000000000}}",
         "sakkara.plan.nodes.n: must be a positive integer, got a number"},
        {HEAD ",'members':{'u':1}}",
         "sakkara.plan.members.u: must be the name of a node, got a number"},
        {HEAD ",'members':{'u':''}}",
         "sakkara.plan.members.u: must be the name of a node, got a string"},
        {HEAD ",'victims':{}}", "sakkara.plan.victims: must be an array, got an object"},
        {HEAD ",'victims':['a',null]}", "sakkara.plan.victims[1]: must be a string, got null"},
        {HEAD ",'victims':['a'],'victimPods':[]}",
         "sakkara.plan.victimPods: must have an entry for each of 1 victims, got 0"},
        {HEAD ",'victims':['a'],'victimPods':[-1]}",
         "sakkara.plan.victimPods[0]: must be an integer of at least 0, got a number"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_plan_record *read = NULL;
        struct skr_error error = {.text = ""};
        SKR_AUTO_FREE char *text = json_text_quote(row[i].text);
        assert_int_equal(skr_plan_parse(text, &read, &error), -SKR_INVALID);
        if (strncmp(error.text, row[i].error, strlen(row[i].error)) != 0) {
            fail_msg("%s: %s", text, error.text);
        }
        assert_null(read);
    }
}

TEST(texts_too_long_or_too_deep_are_refused)
{
    static char text[SKR_PLAN_READ_MAX + 2];
    struct skr_plan_record *read = NULL;
    struct skr_error error;
    memset(text, ' ', sizeof text - 1);
    assert_int_equal(skr_member_plan_parse(text, NULL, NULL, 0, NULL), -SKR_LIMIT);
    assert_int_equal(skr_plan_parse(text, &read, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "sakkara.plan: 262145 bytes, at most 262144 are read");
    memset(text, '[', 100);
    text[100] = '\0';
    assert_int_equal(skr_plan_parse(text, &read, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "sakkara.plan: 1:33: nested deeper than 32 levels");
}

TEST(a_member_s_annotation_survives_a_restart)
{
    char id[SKR_PLAN_ID_LEN + 1] = "";
    char node[254] = "";
    SKR_AUTO_FREE char *text = skr_member_plan_write("0123456789abcdef", "node-0", NULL, -1);
    assert_string_equal(text, "{\"id\":\"0123456789abcdef\",\"node\":\"node-0\"}");
    assert_int_equal(skr_member_plan_parse(text, id, node, sizeof node, NULL), 0);
    assert_string_equal(id, "0123456789abcdef");
    assert_string_equal(node, "node-0");
    assert_int_equal(skr_member_plan_parse(text, NULL, NULL, 0, NULL), 0);
    assert_int_equal(skr_member_plan_parse(text, id, NULL, 0, NULL), 0);
}

TEST(the_whole_plan_on_a_member_is_read_both_ways)
{
    char id[SKR_PLAN_ID_LEN + 1];
    char node[16];
    struct skr_plan_record *read = NULL;
    SKR_STRBUF(b);
    SKR_AUTO_FREE char *text = write_large(3000, 1000, 12, NULL);
    skr_strbuf_add(&b, "{\"node\":\"node-7\",");
    skr_strbuf_add(&b, text + 1);
    assert_int_equal(skr_member_plan_parse(b.s, id, node, sizeof node, NULL), 0);
    assert_string_equal(node, "node-7");
    assert_int_equal(skr_plan_parse(b.s, &read, NULL), 0);
    assert_string_equal(read->id, id);
    assert_int_equal(read->n_members, 3000);
    skr_plan_record_destroy(read);
}

TEST(what_is_no_member_s_annotation_is_refused)
{
    static const struct {
        const char *text;
        int rc;
    } row[] = {
        {"", -SKR_INVALID},
        {"null", -SKR_INVALID},
        {"{}", -SKR_INVALID},
        {"{'id':'0123456789abcdef'}", -SKR_INVALID},
        {"{'id':'0123456789abcdef','node':''}", -SKR_INVALID},
        {"{'id':'0123456789abcdef','node':7}", -SKR_INVALID},
        {"{'id':'0123','node':'n'}", -SKR_INVALID},
        {"{'id':7,'node':'n'}", -SKR_INVALID},
        {"{'id':'0123456789abcdef','node':'a-node-name'}", -SKR_INVALID}, /* longer than 8 */
        {"{'id':'0123456789abcdef','node':'1234567'}", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char id[SKR_PLAN_ID_LEN + 1] = "same";
        char node[8] = "same";
        SKR_AUTO_FREE char *text = json_text_quote(row[i].text);
        assert_int_equal(skr_member_plan_parse(text, id, node, sizeof node, NULL), row[i].rc);
        if (row[i].rc != 0) {
            assert_string_equal(id, "same");
            assert_string_equal(node, "same");
        }
    }
}

TEST(roles_by_node_are_written_and_read_back)
{
    struct skr_plan_role role[] = {
        {"node-0", "leader", 1}, {"node-0", "worker", 1}, {"node-1", "worker", 1}};
    struct skr_plan_record plan = example(), *read;
    struct skr_error error;
    plan.role = role;
    plan.n_roles = 3;
    SKR_AUTO_FREE char *text = skr_plan_write(&plan, NULL);
    assert_non_null(strstr(text, "\"nodes\":{\"node-0\":2,\"node-1\":1},\"roles\":{\"node-0\":{"
                                 "\"leader\":1,\"worker\":1},\"node-1\":{\"worker\":1}},"
                                 "\"members\":{"));
    assert_int_equal(skr_plan_parse(text, &read, &error), 0);
    assert_int_equal(read->n_roles, 3);
    assert_string_equal(read->role[1].node, "node-0");
    assert_string_equal(read->role[1].role, "worker");
    assert_int_equal(read->role[2].count, 1);
    skr_plan_record_destroy(read);
    static const char *const bad[] = {"[]", "{\"node-0\":1}", "{\"node-0\":{\"leader\":0}}",
                                      "{\"node-0\":{\"leader\":\"1\"}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char one[200];
        snprintf(one, sizeof one,
                 "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Planned\",\"roles\":%s}",
                 bad[i]);
        assert_int_equal(skr_plan_parse(one, &read, &error), -SKR_INVALID);
        assert_non_null(strstr(error.text, "roles"));
    }
}
