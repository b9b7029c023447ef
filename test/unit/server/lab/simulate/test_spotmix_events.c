/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stories of the spot mix, replayed as `sakkara simulate spotmix` does. What is compared is one
 * line: every pod's class and index ("O0", "S4", "--": none), who is alive, whom the reconciler
 * wants evicted, and statuses other than 200.
 */
#include "test/test.h"

#include <jansson.h>

#include "server/exit_code.h"
#include "server/lab/simulate/spotmix.h"
#include "topology/base/strbuf.h"

#define K "cloudpilot.ai/webhook-scheduler"

static void add_pods(json_t *pods, struct skr_strbuf *line)
{
    const char *alias;
    json_t *pod;
    json_object_foreach(pods, alias, pod)
    {
        const char *class_ = json_string_value(json_object_get(pod, "class"));
        const json_t *index = json_object_get(pod, "index");
        char number[16] = "-";
        if (json_is_integer(index)) {
            snprintf(number, sizeof number, "%d", (int)json_integer_value(index));
        }
        skr_strbuf_addf(line, "%s=%s%s ", alias,
                        !class_                            ? "-"
                        : strcmp(class_, "on-demand") == 0 ? "O"
                                                           : "S",
                        number);
    }
}

static void add_lists(json_t *result, struct skr_strbuf *line)
{
    const char *number;
    json_t *value;
    json_object_foreach(json_object_get(result, "evict"), number, value)
    {
        skr_strbuf_addf(line, " evict@%s", number);
        for (size_t i = 0; i < json_array_size(value); i++) {
            skr_strbuf_addf(line, "%s%s", i > 0 ? "," : ":",
                            json_string_value(json_array_get(value, i)));
        }
    }
    json_object_foreach(json_object_get(result, "http"), number, value)
    {
        if (json_integer_value(value) != 200) {
            skr_strbuf_addf(line, " http@%s:%d", number, (int)json_integer_value(value));
        }
    }
}

/* Files are written with ' for ". free() it. */
static char *quoted(const char *file)
{
    char *text = strdup(file);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return text;
}

static void refused(const char *file, const char *message)
{
    struct skr_strbuf out, messages;
    char *text = quoted(file);
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    const int code = skr_spotmix_simulate_text("story", text, strlen(text), true, &out, &messages);
    if (!messages.s || !strstr(messages.s, message)) {
        print_error("\"%s\" is not in: %s\n", message, messages.s ? messages.s : "");
        fail();
    }
    assert_int_equal(code, SKR_EXIT_ERROR);
    assert_int_equal(out.len, 0);
    skr_strbuf_fini(&out);
    skr_strbuf_fini(&messages);
    free(text);
}

static json_t *replay(const char *file)
{
    struct skr_strbuf out, messages;
    char *text = quoted(file);
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    const int code = skr_spotmix_simulate_text("story", text, strlen(text), true, &out, &messages);
    if (code != SKR_EXIT_OK) {
        print_error("%s\n", messages.s);
    }
    assert_int_equal(code, SKR_EXIT_OK);
    json_t *result = json_loads(out.s, 0, NULL);
    assert_non_null(result);
    skr_strbuf_fini(&out);
    skr_strbuf_fini(&messages);
    free(text);
    return result;
}

static void check(const char *file, const char *expected)
{
    struct skr_strbuf line;
    json_t *result = replay(file);
    json_t *counts = json_object_get(result, "counts");
    skr_strbuf_init(&line);
    add_pods(json_object_get(result, "pods"), &line);
    skr_strbuf_addf(&line, "%d+%d", (int)json_integer_value(json_object_get(counts, "on-demand")),
                    (int)json_integer_value(json_object_get(counts, "spot")));
    add_lists(result, &line);
    assert_string_equal(line.s, expected);
    skr_strbuf_fini(&line);
    json_decref(result);
}

#define LABELS(max) "{'" K "':'true','" K "-max-on-demand-count':'" max "'}"
#define OWNERS                                               \
    "'owners':[{'id':'r','kind':'ReplicaSet','hash':'abc'}," \
    "{'id':'q','kind':'ReplicaSet','hash':'def'}]"
#define DEPLOYMENT(labels) \
    "'workload':{'kind':'Deployment','namespace':'shop','name':'web','labels':" labels "}," OWNERS
#define NODES                 "'nodes':{'on_demand':3,'spot':3}"
#define NEW(pod)              "{'op':'create','pod':'" pod "','owner':'r'}"
#define NEW_Q(pod)            "{'op':'create','pod':'" pod "','owner':'q'}"
#define SIX                   NEW("a") "," NEW("b") "," NEW("c") "," NEW("d") "," NEW("e") "," NEW("f")
#define OP(op, pod)           "{'op':'" op "','pod':'" pod "'}"
#define MAX(max)              "{'op':'config','labels':{'" K "-max-on-demand-count':'" max "'}}"
#define STORY(labels, events) "{'config':{" DEPLOYMENT(labels) "," NODES "},'events':[" events "]}"
#define FIVE                  NEW("a") "," NEW("b") "," NEW("c") "," NEW("d") "," NEW("e")

static const struct story {
    const char *title, *file, *expected;
} stories[] = {
    {"5 replicas, max 5", STORY(LABELS("5"), FIVE), "a=O0 b=O1 c=O2 d=O3 e=O4 5+0"},
    {"5 replicas, max 3", STORY(LABELS("3"), FIVE), "a=O0 b=O1 c=O2 d=S3 e=S4 3+2"},
    {"5 replicas, max 0", STORY(LABELS("0"), FIVE), "a=S0 b=S1 c=S2 d=S3 e=S4 0+5"},
    {"5 replicas, max 7", STORY(LABELS("7"), FIVE), "a=O0 b=O1 c=O2 d=O3 e=O4 5+0"},
    {"a drained pod and a lost one are replaced by their kind",
     STORY(LABELS("2"),
           SIX "," OP("gone", "e") "," OP("terminating", "b") "," NEW("g") "," NEW("h")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 g=O1 h=S4 2+4"},
    {"the other order of death",
     STORY(LABELS("2"),
           SIX "," OP("terminating", "b") "," OP("gone", "e") "," NEW("g") "," NEW("h")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 g=O1 h=S4 2+4"},
    {"scaled 6 to 3 and back",
     STORY(LABELS("2"), SIX ",{'op':'scale','replicas':3},{'op':'scale','replicas':6}," NEW(
                            "g") "," NEW("h") "," NEW("i")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 g=S3 h=S4 i=S5 2+4"},
    {"a scale-down whose victims are named",
     STORY(LABELS("2"), SIX ",{'op':'scale','replicas':3}," OP("delete", "c") "," OP(
                            "delete", "d") "," OP("delete", "e")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 2+1"},
    {"scaled to 1 and back",
     STORY(LABELS("2"), SIX ",{'op':'scale','replicas':1},{'op':'scale','replicas':6}," NEW(
                            "g") "," NEW("h") "," NEW("i") "," NEW("j") "," NEW("k")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 g=O1 h=S2 i=S3 j=S4 k=S5 2+4"},
    {"max raised: evict those whose class changes, in order",
     STORY(LABELS("2"),
           SIX "," MAX("4") "," OP("delete", "c") "," NEW("g") "," OP("delete", "d") "," NEW("h")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 g=O2 h=O3 4+2 evict@6:c,d"},
    {"max lowered", STORY(LABELS("2"), SIX "," MAX("1")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 2+4 evict@6:b"},
    {"max raised above the replicas alters nothing",
     STORY(LABELS("4"), NEW("a") "," NEW("b") "," NEW("c") "," NEW("d") "," MAX("9")),
     "a=O0 b=O1 c=O2 d=O3 4+0"},
    {"a StatefulSet from ordinal 10",
     "{'config':{'workload':{'kind':'StatefulSet','namespace':'shop','name':'db','labels':" LABELS(
         "1") ",'ordinals_start':10},'owners':[{'id':'s','kind':'StatefulSet','name':'db'}]},"
              "'events':[{'op':'create','pod':'x','owner':'s','name':'db-10'},"
              "{'op':'create','pod':'y','owner':'s','name':'db-11'},"
              "{'op':'create','pod':'z','owner':'s','name':'db-12'},"
              "{'op':'delete','pod':'x'},{'op':'delete','pod':'z'},"
              "{'op':'create','pod':'z','owner':'s','name':'db-12'},"
              "{'op':'create','pod':'w','owner':'s','name':'db-9'}]}",
     "x=O0 y=S1 z=S2 w=O- 1+2"},
    {"creates that a quota refuses",
     STORY(LABELS("2"), "{'op':'create','pod':'a','owner':'r','persist':false},"
                        "{'op':'create','pod':'b','owner':'r','persist':false},"
                        "{'op':'advance','seconds':10}," NEW(
                            "c") ",{'op':'advance','seconds':20}," NEW("d") "," NEW("e")),
     "a=O0 b=O1 c=O0 d=O1 e=S2 2+1"},
    {"a rollout counts anew",
     STORY(LABELS("2"),
           NEW("a") "," NEW("b") "," NEW("c") "," NEW("d") ",{'op':'rollout','owner':'q'}," NEW_Q(
               "e") "," NEW_Q("f") "," NEW_Q("g") "," NEW_Q("h")),
     "a=O0 b=O1 c=S2 d=S3 e=O0 f=O1 g=S2 h=S3 4+4"},
    {"after a restart with 0, 2 and 5",
     STORY(LABELS("2"),
           SIX "," OP("delete", "b") "," OP("delete", "d") "," OP(
               "delete",
               "e") ",{'op':'webhook-restart'}," NEW("g") "," NEW("h") "," NEW("i") "," NEW("j")),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 g=O1 h=S3 i=S4 j=S6 2+5"},
    {"a burst before anything is seen", STORY(LABELS("2"), "{'op':'concurrent','pods':[" SIX "]}"),
     "a=O0 b=O1 c=S2 d=S3 e=S4 f=S5 2+4"},
    {"while the webhook is down",
     STORY(LABELS("1"),
           NEW("a") ",{'op':'webhook-down'}," NEW("b") ",{'op':'webhook-restart'}," NEW("c")),
     "a=O0 b=-- c=S1 1+1 http@2:503"},
    {"six pods end on spot while the webhook is down: two are evicted, from the highest index down",
     STORY(LABELS("2"),
           "{'op':'scale','replicas':6},{'op':'nodes','on_demand':0},{'op':'webhook-down'}," SIX
           ",{'op':'webhook-restart'},{'op':'nodes','on_demand':3}," OP("delete", "f") "," NEW(
               "g") "," OP("delete", "e") "," NEW("h")),
     "a=S2 b=S3 c=S4 d=S5 e=S6 f=S7 g=O0 h=O1 2+4 evict@9:f,e http@3:503 http@4:503 http@5:503 "
     "http@6:503 http@7:503 http@8:503"},
    {"a late pod keeps its index, the one that got it meanwhile moves",
     STORY(LABELS("2"),
           "{'op':'create','pod':'a','owner':'r','observe':false},"
           "{'op':'advance','seconds':31}," NEW("b") ",{'op':'observe','pod':'a'}," NEW("c")),
     "a=O0 b=O1 c=S2 2+1"},
    {"a late pod of a class that is full goes behind the highest and is drift",
     STORY(LABELS("1"),
           "{'op':'create','pod':'a','owner':'r','observe':false},"
           "{'op':'advance','seconds':31}," NEW("b") "," NEW("c") ",{'op':'observe','pod':'a'}"),
     "a=O0 b=O2 c=S1 2+1 evict@4:b"},
    {"the same pod is reviewed again",
     STORY(LABELS("1"), "{'op':'create','pod':'a','owner':'r','persist':false},"
                        "{'op':'create','pod':'b','owner':'r','resubmit_of':'a'}," NEW("c")),
     "a=O0 b=O0 c=S1 1+1"},
    {"reviewed again by a webhook that has lost the token",
     STORY(LABELS("1"), NEW("z") ",{'op':'create','pod':'a','owner':'r','persist':false},"
                                 "{'op':'delete','pod':'z'},{'op':'webhook-restart'},"
                                 "{'op':'create','pod':'b','owner':'r','resubmit_of':'a'}"),
     "z=O0 a=S1 b=S1 0+1 evict@4:b"},
    {"creates that a quota refuses, one after another",
     STORY(LABELS("1"), "{'op':'create','pod':'a','owner':'r','persist':false},"
                        "{'op':'advance','seconds':0.01},"
                        "{'op':'create','pod':'b','owner':'r','persist':false},"
                        "{'op':'advance','seconds':0.02}," NEW("c")),
     "a=O0 b=O0 c=O0 1+0"},
    {"a pod that is reviewed twice is stored once",
     STORY(LABELS("1"), "{'op':'create','pod':'a','owner':'r','observe':false},"
                        "{'op':'create','pod':'a','owner':'r','resubmit_of':'a'}," NEW(
                            "c") ",{'op':'webhook-restart'}," NEW("d")),
     "a=O0 c=S1 d=S2 1+2"},
    {"reviewed again while its template names a node",
     "{'config':{" DEPLOYMENT(LABELS("1")) ",'template':{'spec':{'nodeName':'n'}}},'events':["
                                           "{'op':'create','pod':'a','owner':'r','persist':false},"
                                           "{'op':'create','pod':'b','owner':'r',"
                                           "'resubmit_of':'a'}]}",
     "a=-- b=-- 0+0"},
    {"what is no list is not replaced by one",
     "{'config':{" DEPLOYMENT(
         LABELS("0")) ",'webhook':{'preset':'aks'},"
                      "'template':{'spec':{'tolerations':'x'}}},'events':[" NEW("a") "]}",
     "a=-- 0+0"},
    {"a pinned pod holds no index, whatever labels it came with",
     "{'config':{" DEPLOYMENT(
         LABELS("1")) "," NODES ",'template':{'spec':{'nodeSelector':"
                      "{'node.kubernetes.io/capacity':'spot'}}}},'events':["
                      "{'op':'create','pod':'a','owner':'r','object_labels':{'" K
                      "-class':'spot','" K "-index':'0'}}," NEW("b") "]}",
     "a=S0 b=-- 0+1"},
    {"a dry run leaves nothing behind",
     STORY(LABELS("1"), "{'op':'create','pod':'a','owner':'r','dry_run':true}," NEW("b")),
     "a=O0 b=O0 1+0"},
    {"forged labels",
     STORY(LABELS("1"), NEW("a") ",{'op':'create','pod':'b','owner':'r','object_labels':{'" K
                                 "-class':'on-demand','" K "-index':'0'}}"),
     "a=O0 b=S1 1+1"},
    {"off", STORY("{'" K "':'false'}", NEW("a")), "a=-- 0+0"},
    {"without a maximum", STORY("{'" K "':'true'}", NEW("a") "," NEW("b")), "a=O0 b=O1 2+0"},
    {"a maximum that is none", STORY(LABELS("three"), NEW("a")), "a=O0 1+0"},
    {"switched off later",
     STORY(LABELS("1"), NEW("a") "," NEW("b") ",{'op':'config','labels':{'" K "':null}}," NEW("c")),
     "a=O0 b=S1 c=-- 1+1"},
    {"broken bodies",
     STORY(LABELS("1"), "{'op':'raw','body':'{'},{'op':'raw','body':{}},"
                        "{'op':'raw','body':{'kind':'AdmissionReview','apiVersion':"
                        "'admission.k8s.io/v1','request':{'uid':'u'}}}"),
     "0+0 http@0:400 http@1:400"},
    {"without a node of a class the rule is the same",
     STORY(LABELS("1"),
           NEW("a") ",{'op':'nodes','spot':0}," NEW("b") ",{'op':'nodes','on_demand':0,"
                                                         "'spot':2}," NEW("c")),
     "a=O0 b=S1 c=S2 1+2"},
    {"owners that have no indices",
     "{'config':{'workload':{'kind':'Deployment','labels':" LABELS(
         "1") "},'owners':[{'id':'j','kind':'Job'},{'id':'d','kind':'DaemonSet'}]},'events':["
              "{'op':'create','pod':'a','owner':'j'},{'op':'create','pod':'b','owner':'d'},"
              "{'op':'create','pod':'c','owner':null}]}",
     "a=-- b=-- c=-- 0+0"},
};

/* The message for an event that is none, behind the number of the event. */
static const struct flaw {
    const char *title, *event, *message;
} flaws[] = {
    {"no op", "{}", "op: \"\" is none"},
    {"an op that is none", "{'op':'creat','pod':'a'}", "op: \"creat\" is none"},
    {"no object", "'create'", "must be an object"},
    {"no pod", "{'op':'create'}", "pod: must be a name for the pod"},
    {"a number for a name", "{'op':'create','pod':7}", "pod: must be a string"},
    {"a text for a flag", "{'op':'create','pod':'a','persist':'no'}",
     "persist: must be true or false"},
    {"labels in a list", "{'op':'create','pod':'a','object_labels':[]}",
     "object_labels: must be an object"},
    {"a pod that was never reviewed", "{'op':'create','pod':'a','resubmit_of':'b'}",
     "resubmit_of: no pod \"b\" so far"},
    {"nothing to create", "{'op':'concurrent'}", "pods: must be an array"},
    {"one to create", "{'op':'concurrent','pods':{'pod':'a'}}", "pods: must be an array"},
    {"one of several", "{'op':'concurrent','pods':[{'pod':'a'},7]}", "pods[1]: must be an object"},
    {"observed before it is there", "{'op':'observe','pod':'z'}", "pod: no pod \"z\" so far"},
    {"terminating", "{'op':'terminating','pod':'z'}", "pod: no pod \"z\" so far"},
    {"gone", "{'op':'gone','pod':'z'}", "pod: no pod \"z\" so far"},
    {"less than none", "{'op':'scale','replicas':-1}", "replicas: must be a number, 0 or more"},
    {"no number", "{'op':'scale'}", "replicas: must be a number, 0 or more"},
    {"labels that are none", "{'op':'config','labels':7}", "labels: must be an object"},
    {"a ReplicaSet that is none", "{'op':'rollout','owner':'z'}",
     "owner: no such owner in config.owners"},
    {"nodes of one class", "{'op':'nodes','spot':-1}", "spot: must be a number, 0 or more"},
    {"nodes of the other", "{'op':'nodes','on_demand':'3'}",
     "on_demand: must be a number, 0 or more"},
    {"backwards", "{'op':'advance','seconds':-1}", "seconds: must be a number, 0 to 1e9"},
    {"for ever", "{'op':'advance','seconds':1e300}", "seconds: must be a number, 0 to 1e9"},
};

#define BEFORE "{'config':{" DEPLOYMENT(LABELS("1")) "," NODES "},'events':[" NEW("x")

TEST_EACH(flaw, flaws, an_event_that_is_none_is_refused_with_its_number)
{
    struct skr_strbuf text, want;
    skr_strbuf_init(&text);
    skr_strbuf_init(&want);
    skr_strbuf_add(&text, BEFORE);
    skr_strbuf_addf(&text, ",%s]}", flaw->event);
    skr_strbuf_addf(&want, "events[1]: %s", flaw->message);
    refused(text.s, want.s);
    skr_strbuf_fini(&text);
    skr_strbuf_fini(&want);
}

TEST_EACH(story, stories, a_story_ends_as_the_rule_says)
{
    check(story->file, story->expected);
}
