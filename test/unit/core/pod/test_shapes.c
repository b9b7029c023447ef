/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that share what is equal in their JSON: each is what it is without, for every text that is thought of
 * and for very many that are drawn; what is shared outlives the tables. */
#include "core/pod/shapes.h"

#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/pod_same.h"
#include "topology/base/strbuf.h"

enum { DRAWN = 4000, MUTATIONS_MAX = 3 };

/* Everything that is read somewhere. */
static const char rich[] =
    "{'metadata':{'namespace':'team','name':'w-0','uid':'u-0','resourceVersion':'42','generateName'"
    ":'w-',"
    "'creationTimestamp':'2024-10-25T12:00:00Z','deletionTimestamp':'2024-10-25T13:00:00Z',"
    "'labels':{'app':'x','a/b':'y','apps.kubernetes.io/pod-index':'7'},"
    "'annotations':{'sakkara.plan':'{\\\"id\\\":1}','other':'y',"
    "'batch.kubernetes.io/job-completion-index':'3'},"
    "'ownerReferences':[{'uid':'o-1','kind':'X'},{'uid':'o-2','kind':'Job','controller':true}],"
    "'managedFields':[{'fieldsV1':{'f:spec':{}}}]},"
    "'spec':{'schedulerName':'sakkara','nodeName':'node-0','priority':7,'preemptionPolicy':'Never',"
    "'terminationGracePeriodSeconds':9223372036854775807,"
    "'schedulingGates':[{'name':'sakkara.gang'},{'name':'other'}],"
    "'containers':[{'name':'c','image':'i','ports':[{'containerPort':1,'hostPort':80,'protocol':'"
    "UDP'}],"
    "'resources':{'requests':{'cpu':'100m','memory':'1Ki'}}},{'name':'d','resources':{}}],"
    "'initContainers':[{'name':'s','restartPolicy':'Always','resources':{'requests':{'cpu':1}}}],"
    "'overhead':{'cpu':'10m'},'resources':{'requests':{'cpu':'2'}},'nodeSelector':{'disk':'ssd'},"
    "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
    "'nodeSelectorTerms':[{'matchExpressions':[{'key':'z','operator':'In','values':['a','b']}]}]}},"
    "'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'z',"
    "'labelSelector':{'matchLabels':{'app':'x'}},'matchLabelKeys':['a/b']}]}},"
    "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'"
    "DoNotSchedule',"
    "'labelSelector':{'matchLabels':{'app':'x'}}}],"
    "'tolerations':[{'key':'k','operator':'Exists','effect':'NoExecute'}],"
    "'volumes':[{'name':'v','emptyDir':{}},{'name':'p','persistentVolumeClaim':{'claimName':'q'}}],"
    "'resourceClaims':[{'name':'r'}]},"
    "'status':{'phase':'Running','nominatedNodeName':'node-1','reason':'OutOfcpu',"
    "'conditions':[{'type':'Ready','status':'True'},{'type':'PodResizePending','status':'True',"
    "'reason':'Infeasible'},"
    "{'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'0/3 "
    "\\\"nodes\\\"'}],"
    "'containerStatuses':[{'name':'c','resources':{'requests':{'cpu':'200m'}},"
    "'allocatedResources':{'cpu':'150m'}}],'initContainerStatuses':[{'name':'s'}],"
    "'resources':{'requests':{'cpu':'3'}},'allocatedResources':{'cpu':'2'}}}";

static void check(struct skr_pod_shapes *shapes, const char *text, bool must_read)
{
    bool read = false;
    const char *what = pod_readers_differ(shapes, text, strlen(text), &read);
    if (what) {
        fail_msg("%s: %s", what, text);
    }
    if (must_read && !read) {
        fail_msg("was refused: %s", text);
    }
}

static char *with_quotes(const char *text)
{
    char *copy = skr_strdup(text);
    for (char *c = copy; *c; c++) {
        *c = (char)(*c == '\'' ? '"' : *c);
    }
    return copy;
}

static void check_text(struct skr_pod_shapes *shapes, const char *text, bool must_read)
{
    SKR_AUTO_FREE char *copy = with_quotes(text);
    check(shapes, copy, must_read);
}

TEST(a_pod_is_read_as_its_tree_is_decoded)
{
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    for (int i = 0; i < 2; i++) { /* new, and remembered */
        check_text(shapes, rich, true);
        check_text(shapes, "{'metadata':{'name':'p'}}", true);
        check_text(shapes, "{ 'metadata' : { 'name' : 'p' , 'labels' : null } , 'spec' : { } }",
                   true);
        check_text(shapes,
                   "{'status':{'phase':'Odd'},'spec':{'priority':null},'metadata':{'name':'p'}}",
                   true);
        check_text(shapes, "{'metadata':{'name':'p','labels':{'b':null,'a':'\\u00e4\\n'}}}", true);
        check_text(shapes, "{'metadata':{'name':'p'},'spec':{'volumes':null,'containers':null}}",
                   true);
    }
}

TEST(odd_pods_are_read_or_refused_as_their_tree_is)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{'metadata':{}}",
        "{'metadata':{'name':''",
        "{'metadata':null}",
        "{'metadata':{'name':'p','name':'q'}}",
        "{'metadata':{'n\\u0061me':'p'}}",
        "{'metadata':{'name':'p'},'metadata':{'name':'q'}}",
        "{'metadata':{'name':1}}",
        "{'metadata':{'name':'p','labels':{'a':1}}}",
        "{'metadata':{'name':'p','labels':[]}}",
        "{'metadata':{'name':'p','labels':{'a':'1','a':'2'}}}",
        "{'metadata':{'name':'p','annotations':{'x':'\\u0000'}}}",
        "{'metadata':{'name':'p','creationTimestamp':'soon'}}",
        "{'metadata':{'name':'p','deletionTimestamp':'2024\\u002d10-25T12:00:00Z'}}",
        "{'metadata':{'name':'p'},'spec':null}",
        "{'metadata':{'name':'p'},'spec':{'priority':1.5}}",
        "{'metadata':{'name':'p'},'spec':{'priority':3000000000}}",
        "{'metadata':{'name':'p'},'spec':{'containers':{}}}",
        "{'metadata':{'name':'p'},'spec':{'containers':[{'resources':{'requests':{'cpu':'x'}}}]}}",
        "{'metadata':{'name':'p'},'spec':{'overhead':{'cpu':1e999}}}",
        "{'metadata':{'name':'p'},'spec':{'schedulingGates':[1]}}",
        "{'metadata':{'name':'p'},'spec':{'volumes':[{'ephemeral':1}]}}",
        "{'metadata':{'name':'p'},'status':{'phase':'\\u0052unning'}}",
        "{'metadata':{'name':'p'},'status':{'conditions':[{'type':'a\\u0062'}]}}",
        "{'metadata':{'name':'p','ownerReferences':[{'controller':1}]}}",
    };
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_text(shapes, texts[i], false);
    }
}

/* ---- drawn ---- */

static uint64_t draw(uint64_t *state, uint64_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % n;
}

static json_t *drawn_value(uint64_t *state)
{
    static const char *const texts[] = {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-1",
                                        "7",
                                        "1.5",
                                        "\"\"",
                                        "\"x\"",
                                        "\"a\\\"b\"",
                                        "\"1\"",
                                        "[]",
                                        "{}",
                                        "[null]",
                                        "[{}]",
                                        "[\"x\"]",
                                        "{\"name\":\"x\"}",
                                        "{\"requests\":{\"cpu\":\"3\"}}",
                                        "\"2024-10-25T12:00:00Z\"",
                                        "\"False\"",
                                        "\"PodScheduled\""};
    return json_loads(texts[draw(state, sizeof texts / sizeof *texts)], JSON_DECODE_ANY, NULL);
}

/* Changes one value of the tree, wherever it stands. */
static void mutate(json_t *json, uint64_t *state)
{
    for (;;) {
        const size_t n = json_is_object(json) ? json_object_size(json) : json_array_size(json);
        if (n == 0) {
            return;
        }
        size_t at = (size_t)draw(state, n);
        const char *key = NULL;
        json_t *value = json_array_get(json, at);
        if (json_is_object(json)) {
            void *iter = json_object_iter(json);
            while (at-- > 0) {
                iter = json_object_iter_next(json, iter);
            }
            key = json_object_iter_key(iter);
            value = json_object_iter_value(iter);
        }
        if (draw(state, 4) > 0 && (json_object_size(value) > 0 || json_array_size(value) > 0)) {
            json = value;
        } else if (key && draw(state, 3) == 0) {
            json_object_del(json, key);
            return;
        } else if (key) {
            json_object_set_new(json, key, drawn_value(state));
            return;
        } else {
            json_array_set_new(json, at, drawn_value(state));
            return;
        }
    }
}

TEST(whatever_is_changed_in_a_pod_it_is_the_same_with_shared_shapes)
{
    uint64_t state = 16;
    size_t n_read = 0;
    json_t *whole = json_text_load(rich);
    struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    for (int i = 0; i < DRAWN; i++) {
        bool read = false;
        json_auto_t *json = json_deep_copy(whole);
        for (uint64_t k = draw(&state, MUTATIONS_MAX) + 1; k > 0; k--) {
            mutate(json, &state);
        }
        SKR_AUTO_FREE char *text = json_dumps(json, JSON_COMPACT);
        size_t length = strlen(text);
        if (draw(&state, 4) == 0) { /* the text itself */
            text[draw(&state, length)] = "\"{}[]:,0e\\un x"[draw(&state, 14)];
        }
        const char *what = pod_readers_differ(shapes, text, length, &read);
        if (what) {
            fail_msg("%s: %s", what, text);
        }
        n_read += read;
    }
    json_decref(whole);
    skr_pod_shapes_destroy(shapes);
    assert_true(n_read > DRAWN / 4);
}

/* ---- what is shared ---- */

static struct skr_pod *read_text(struct skr_pod_shapes *shapes, const char *text)
{
    SKR_JSON_READER(reader);
    const struct skr_json *json;
    struct skr_pod *pod = NULL;
    assert_int_equal(skr_json_read_text(&reader, text, strlen(text), &json, NULL), 0);
    assert_int_equal(skr_pod_read(shapes, json, &pod, NULL), 0);
    return pod;
}

static struct skr_pod *read_pod(struct skr_pod_shapes *shapes, const char *name, const char *label,
                                const char *cpu)
{
    SKR_STRBUF(b);
    skr_strbuf_addf(&b,
                    "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"%s\"}},\"spec\":{"
                    "\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}]}}",
                    name, label, cpu);
    return read_text(shapes, b.s);
}

TEST(pods_of_one_template_share_shape_and_labels_and_outlive_the_tables)
{
    struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    struct skr_pod *a = read_pod(shapes, "a", "x", "1");
    struct skr_pod *b = read_pod(shapes, "b", "x", "1");
    SKR_AUTO(skr_pod_destroy) struct skr_pod *c = read_pod(shapes, "c", "y", "1");
    SKR_AUTO(skr_pod_destroy) struct skr_pod *d = read_pod(shapes, "d", "x", "2");
    assert_ptr_equal(a->of_shape, b->of_shape);
    assert_ptr_equal(a->of_labels, b->of_labels);
    assert_ptr_equal(a->of_shape, c->of_shape);
    assert_ptr_not_equal(a->of_labels, c->of_labels);
    assert_ptr_not_equal(a->of_shape, d->of_shape);
    assert_ptr_equal(a->of_labels, d->of_labels);
    skr_pod_shapes_destroy(shapes);
    struct skr_pod_overlay nothing = {0};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *copy = skr_pod_overlay(b, &nothing);
    skr_pod_destroy(a);
    skr_pod_destroy(b);
    assert_string_equal(skr_labels_get(&copy->meta.labels, "app"), "x");
    assert_string_equal(skr_labels_get(&d->meta.labels, "app"), "x");
    assert_string_equal(c->shape->key, copy->shape->key);
}

TEST(a_pod_with_a_label_of_its_own_shares_no_labels)
{
    static const char job[] =
        "{'metadata':{'name':'p','labels':{'batch.kubernetes.io/controller-uid':'%s',"
        "'batch.kubernetes.io/job-completion-index':'%d','note':'%s'},'ownerReferences':["
        "{'kind':'Job','name':'j','uid':'%s','controller':true}]}}";
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    static const char *const uid[][3] = {
        {"u-1", "", "u-1"},             /* the owner is a label's value */
        {"u-12", "", "u-1"},            /* begins as one */
        {"", "u\\\\u0031", "u\\u0031"}, /* is written as one reads */
    };
    for (int i = 0; i < (int)(sizeof uid / sizeof uid[0]); i++) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b, job, uid[i][0], i, uid[i][1], uid[i][2]);
        check_text(shapes, b.s, true);
        SKR_AUTO_FREE char *text = with_quotes(b.s);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = read_text(shapes, text);
        assert_null(pod->of_labels);
        assert_non_null(pod->of_shape);
    }
}

TEST(a_table_is_emptied_when_it_holds_too_much)
{
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    SKR_AUTO(skr_pod_destroy) struct skr_pod *first = read_pod(shapes, "first", "first", "1");
    for (int i = 0; i < SKR_POD_SHAPES_ENTRIES_MAX + 1; i++) {
        skr_pod_destroy(read_pod(shapes, "p", test_text("l%d", i), "1"));
    }
    SKR_AUTO(skr_pod_destroy) struct skr_pod *again = read_pod(shapes, "first", "first", "1");
    assert_ptr_not_equal(first->of_labels, again->of_labels);
    assert_null(pod_difference(first, again));
}

TEST(pods_that_are_all_unlike_each_other_cost_a_bounded_amount_of_memory)
{
    enum { LONG = SKR_POD_SHAPES_KEY_MAX / 2 };
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    SKR_AUTO(skr_pod_destroy) struct skr_pod *first = read_pod(shapes, "first", "first", "1");
    char label[LONG];
    memset(label, 'x', sizeof label);
    for (int i = 0; i < SKR_POD_SHAPES_BYTES_MAX / LONG; i++) {
        snprintf(label + LONG - 16, 16, "l%d", i);
        skr_pod_destroy(read_pod(shapes, "p", label, "1"));
    }
    SKR_AUTO(skr_pod_destroy) struct skr_pod *again = read_pod(shapes, "first", "first", "1");
    assert_ptr_not_equal(first->of_labels, again->of_labels);
    assert_ptr_equal(first->of_shape, again->of_shape);
    assert_null(pod_difference(first, again));
}

TEST(pods_from_trees_share_shapes_with_pods_from_texts)
{
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    SKR_AUTO_FREE char *text = with_quotes(rich);
    json_auto_t *json = json_loads(text, 0, NULL);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *a = read_text(shapes, text);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *b = NULL;
    assert_int_equal(skr_pod_decode_shared(shapes, json, &b, NULL), 0);
    assert_ptr_equal(a->of_shape, b->of_shape);
    assert_null(pod_difference(a, b));
}

/* Each row changes the shape of the pod before it, or what is refused. */
TEST(what_decides_about_a_shape_is_never_shared_by_mistake)
{
    static const char *const parts[] = {
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}],"
        "'affinity':{'nodeAffinity':{}}}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]},"
        "'status':{'containerStatuses':[{'name':'c','resources':{'requests':{'cpu':'3'}}}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]},"
        "'status':{'containerStatuses':[{'name':'c','allocatedResources':{'cpu':'3'}}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]},"
        "'status':{'containerStatuses':1}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]},"
        "'status':{'containerStatuses':[{'name':1}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]},"
        "'status':{'conditions':[{'type':'PodResizePending','reason':'Infeasible'}],"
        "'containerStatuses':[{'name':'c','allocatedResources':{'cpu':'1'},"
        "'resources':{'requests':{'cpu':'1'}}}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}]},"
        "'status':{'conditions':[{'type':1}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}],"
        "'resources':{'requests':{'cpu':'4'}}},'status':{'resources':{'requests':{'cpu':'5'}}}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}],"
        "'volumes':[{'ephemeral':{}}]}",
        "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'2'}}}],"
        "'volumes':[{'ephemeral':1}]}",
    };
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    for (int twice = 0; twice < 2; twice++) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            SKR_STRBUF(b);
            skr_strbuf_addf(&b, "{'metadata':{'name':'p'},%s}", parts[i]);
            check_text(shapes, b.s, false);
        }
    }
}
