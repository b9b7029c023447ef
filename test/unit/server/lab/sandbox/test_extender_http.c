/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler's side of the extender protocol against a scripted listener: what is sent, how
 * answers are read, what every kind of failure is called, and that nobody waits with the lock. */
#include <pthread.h>

#include "server/lab/sandbox/extender_http.h"
#include "test/test.h"
#include "test/unit/fake_api.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

enum { NODES = 3 };
static const char *const nodes[NODES] = {"n0", "n1", "n2"};

struct rig {
    struct fake_api *api;
    struct skr_store *store;
    struct skr_scheduler_config *config;
    struct skr_extender_http *http;
    struct skr_extender extender;
    struct skr_pod *pod;
    pthread_mutex_t lock;
    bool was_free; /* while the last call was on its way */
    /* of the last bind call */
    pthread_mutex_t bind_lock;
    pthread_cond_t bind_changed;
    size_t n_binds;
    char bind_error[256];
    /* of the last filter call */
    uint8_t passes[NODES];
    const char *why[NODES];
    struct skr_error error;
};

static void take_lock(void *context)
{
    struct rig *r = context;
    pthread_mutex_lock(&r->lock);
}

static void give_lock(void *context)
{
    struct rig *r = context;
    pthread_mutex_unlock(&r->lock);
}

static skr_time now_of(void *context)
{
    (void)context;
    return RIG_NOW;
}

static void bind_done(void *context, uint64_t call, const char *error)
{
    struct rig *r = context;
    assert_int_equal(call, 7);
    pthread_mutex_lock(&r->bind_lock);
    r->n_binds++;
    (void)snprintf(r->bind_error, sizeof r->bind_error, "%s", error ? error : "bound");
    pthread_cond_signal(&r->bind_changed);
    pthread_mutex_unlock(&r->bind_lock);
}

/* entries: of extenders, with %u where the port goes. */
static void open_rig(struct rig *r, const char *entries)
{
    struct skr_findings findings;
    struct skr_strbuf text;
    *r = (struct rig){.lock = PTHREAD_MUTEX_INITIALIZER,
                      .bind_lock = PTHREAD_MUTEX_INITIALIZER,
                      .bind_changed = PTHREAD_COND_INITIALIZER};
    r->api = fake_api_start(NULL, false);
    r->store = skr_store_create(1);
    for (size_t i = 0; i < NODES; i++) {
        char body[128];
        (void)snprintf(body, sizeof body, "{'metadata':{'name':'%s'}}", nodes[i]);
        sandbox_ok(r->store, 201, "POST /api/v1/nodes", body);
    }
    json_decref(sandbox_expect(
        r->store, 201, "POST " RIG_NS "/pods",
        "{'metadata':{'name':'p','managedFields':[{'manager':'kubectl','operation':'Update'}]},"
        "'spec':{'containers':[{'name':'c','image':'x:1','resources':{'limits':"
        "{'example.com/gpu':'1'}}}]}}"));
    assert_int_equal(
        skr_pod_decode(skr_store_get(r->store, "Pod", "default", "p"), &r->pod, &r->error), 0);
    skr_strbuf_init(&text);
    skr_strbuf_add(&text, "apiVersion: kubescheduler.config.k8s.io/v1\n"
                          "kind: KubeSchedulerConfiguration\nextenders:\n");
    for (const char *at = entries; *at; at++) {
        if (*at == '@') {
            skr_strbuf_addf(&text, "http://127.0.0.1:%u", (unsigned)fake_api_port(r->api));
        } else {
            skr_strbuf_addc(&text, *at);
        }
    }
    skr_findings_init(&findings);
    if (skr_scheduler_config_parse(text.s, text.len, &r->config, &findings) < 0) {
        fail_msg("%s", findings.item[0].text);
    }
    skr_strbuf_fini(&text);
    const struct skr_extender_http_options options = {.config = r->config,
                                                      .store = r->store,
                                                      .lock = take_lock,
                                                      .unlock = give_lock,
                                                      .now = now_of,
                                                      .bind_done = bind_done,
                                                      .context = r};
    assert_int_equal(skr_extender_http_create(&options, &r->http, &r->error), 0);
    r->extender = skr_extender_http_get(r->http);
}

static void close_rig(struct rig *r)
{
    skr_extender_http_destroy(r->http);
    skr_pod_destroy(r->pod);
    skr_scheduler_config_destroy(r->config);
    skr_store_destroy(r->store);
    fake_api_stop(r->api);
}

static void answer(struct rig *r, const char *match, enum fake_mode mode, int status,
                   const char *body)
{
    SKR_AUTO_FREE char *json = json_text_quote(body);
    const struct fake_step step = {.match = match, .mode = mode, .status = status, .body = json};
    fake_api_expect(r->api, &step);
}

static int filter(struct rig *r)
{
    memset(r->passes, 0, sizeof r->passes);
    memset(r->why, 0, sizeof r->why);
    r->error = (struct skr_error){.code = SKR_OK};
    take_lock(r);
    const int rc = r->extender.filter(r->extender.context, r->pod, nodes, NODES, RIG_NOW, r->passes,
                                      r->why, &r->error);
    give_lock(r);
    return rc;
}

static void bind(struct rig *r, const char *expected)
{
    const size_t before = r->n_binds;
    take_lock(r);
    r->extender.bind(r->extender.context, 7, r->pod, "n1", RIG_NOW);
    give_lock(r);
    pthread_mutex_lock(&r->bind_lock);
    while (r->n_binds == before) {
        pthread_cond_wait(&r->bind_changed, &r->bind_lock);
    }
    pthread_mutex_unlock(&r->bind_lock);
    assert_string_equal(r->bind_error, expected);
}

/* The JSON that the i-th request carried. */
static json_t *body_of(struct rig *r, const char *match, size_t i)
{
    SKR_AUTO_FREE char *request = fake_api_request(r->api, match, i);
    const char *body = strstr(request, "\n\n");
    json_t *json = json_loads(body ? body + 2 : "", 0, NULL);
    assert_non_null(json);
    return json;
}

#define ONE "- {urlPrefix: \"@/v1/\", filterVerb: filter, bindVerb: bind, nodeCacheCapable: true}\n"

/* ---- filter ---- */

TEST(filter_sends_the_pod_and_names)
{
    struct rig r;
    open_rig(&r, ONE);
    answer(&r, "POST /v1/filter", FAKE_ANSWER, 200, "{'NodeNames':['n1']}");
    assert_int_equal(filter(&r), 0);
    assert_memory_equal(r.passes, "\0\1\0", NODES);
    char *request = fake_api_request(r.api, "POST /v1/filter", 0);
    assert_non_null(strstr(request, "Content-Type: application/json"));
    assert_non_null(strstr(request, "Content-Length: "));
    assert_null(strstr(request, "Expect"));
    assert_null(strstr(request, "chunked"));
    free(request);
    json_auto_t *body = body_of(&r, "POST /v1/filter", 0);
    assert_int_equal(json_object_size(body), 3);
    assert_string_equal(sandbox_text(body, "NodeNames"), "[\"n0\",\"n1\",\"n2\"]");
    assert_string_equal(sandbox_text(body, "Nodes"), "null");
    assert_string_equal(sandbox_text(body, "Pod.metadata.name"), "p");
    assert_string_equal(sandbox_text(body, "Pod.metadata.managedFields"), "");
    assert_string_equal(sandbox_text(body, "Pod.spec.containers[0].image"), "x:1");
    close_rig(&r);
}

TEST(without_a_cache_of_nodes_whole_nodes_go_both_ways)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@\", filterVerb: f}\n");
    answer(&r, "POST /f", FAKE_ANSWER, 200,
           "{'NodeNames':['n0'],'Nodes':{'items':[{'metadata':{'name':'n2'}}]}}");
    assert_int_equal(filter(&r), 0);
    assert_memory_equal(r.passes, "\0\0\1", NODES);
    json_auto_t *body = body_of(&r, "POST /f", 0);
    assert_string_equal(sandbox_text(body, "NodeNames"), "null");
    assert_string_equal(sandbox_text(body, "Nodes.metadata"), "{}");
    assert_string_equal(sandbox_text(body, "Nodes.items[2].metadata.name"), "n2");
    close_rig(&r);
}

TEST(reasons_are_those_of_the_nodes)
{
    struct rig r;
    open_rig(&r, ONE);
    /* Keys in any case; unresolvable wins; unknown nodes and what follows the value are nothing. */
    answer(&r, "", FAKE_ANSWER, 200,
           "{'nodenames':[],'FAILEDNODES':{'n0':'a','n1':'b','nx':'c'},"
           "'FailedAndUnresolvableNodes':{'n1':'never'},'other':1} trailing");
    assert_int_equal(filter(&r), 0);
    assert_memory_equal(r.passes, "\0\0\0", NODES);
    assert_string_equal(r.why[0], "a");
    assert_string_equal(r.why[1], "never");
    assert_null(r.why[2]);
    close_rig(&r);
}

TEST(null_for_names_lets_nothing_pass)
{
    struct rig r;
    open_rig(&r, ONE);
    answer(&r, "", FAKE_ANSWER, 200, "{'NodeNames':null,'Error':null}");
    assert_int_equal(filter(&r), 0);
    assert_memory_equal(r.passes, "\0\0\0", NODES);
    close_rig(&r);
}

TEST(every_failure_has_its_words)
{
    static const struct {
        enum fake_mode mode;
        int status;
        const char *body;
        const char *text; /* @: the address */
    } rows[] = {
        {FAKE_ANSWER, 500, "{}", "failed filter with extender at URL @/v1/filter, code 500"},
        {FAKE_ANSWER, 204, "", "failed filter with extender at URL @/v1/filter, code 204"},
        {FAKE_ANSWER, 200, "", "EOF"},
        {FAKE_ANSWER, 200, "  ", "EOF"},
        {FAKE_ANSWER, 200, "{'NodeNames':", "unexpected EOF"},
        {FAKE_ANSWER, 200, "<html>", "invalid character '<' looking for beginning of value"},
        {FAKE_ANSWER, 200, "[]",
         "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"},
        {FAKE_ANSWER, 200, "{'NodeNames':'n0'}",
         "json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames of "
         "type []string"},
        {FAKE_ANSWER, 200, "{'NodeNames':[1]}",
         "json: cannot unmarshal number into Go struct field ExtenderFilterResult.NodeNames of "
         "type string"},
        {FAKE_ANSWER, 200, "{'Error':'sakkara: not ready','NodeNames':['n0']}",
         "sakkara: not ready"},
        {FAKE_ANSWER, 200, "{'NodeNames':['n0','n9']}",
         "extender \"@/v1\" claims a filtered node \"n9\" which is not found in the input node "
         "list"},
        {FAKE_CLOSE, 0, "", "Post \"@/v1/filter\": EOF"},
        {FAKE_SHORT, 200, "{'NodeNames':['n0','n1','n2']}", "unexpected EOF"},
    };
    struct rig r;
    open_rig(&r, ONE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SKR_STRBUF(text);
        for (const char *at = rows[i].text; *at; at++) {
            if (*at == '@') {
                skr_strbuf_addf(&text, "http://127.0.0.1:%u", (unsigned)fake_api_port(r.api));
            } else {
                skr_strbuf_addc(&text, *at);
            }
        }
        answer(&r, "", rows[i].mode, rows[i].status, rows[i].body);
        assert_true(filter(&r) < 0);
        assert_string_equal(r.error.text, text.s);
    }
    close_rig(&r);
}

TEST(a_reset_and_a_closed_port_are_told_apart)
{
    struct rig r;
    char begin[64];
    open_rig(&r, ONE);
    answer(&r, "", FAKE_RESET, 0, "");
    assert_true(filter(&r) < 0);
    assert_non_null(strstr(r.error.text, "/v1/filter\": read tcp 127.0.0.1:"));
    (void)snprintf(begin, sizeof begin, "->127.0.0.1:%u: read: connection reset by peer",
                   (unsigned)fake_api_port(r.api));
    assert_non_null(strstr(r.error.text, begin));
    fake_api_go_down(r.api);
    assert_true(filter(&r) < 0);
    (void)snprintf(begin, sizeof begin, "dial tcp 127.0.0.1:%u: connect: connection refused",
                   (unsigned)fake_api_port(r.api));
    assert_non_null(strstr(r.error.text, begin));
    close_rig(&r);
}

TEST(a_late_answer_is_an_error)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@\", filterVerb: f, httpTimeout: 20ms}\n");
    answer(&r, "", FAKE_HANG, 200, "{}");
    assert_true(filter(&r) < 0);
    assert_non_null(strstr(r.error.text, "/f\": context deadline exceeded (Client.Timeout exceeded "
                                         "while awaiting headers)"));
    fake_api_release(r.api, "");
    close_rig(&r);
}

TEST(a_huge_answer_is_given_up)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@\", filterVerb: f, httpTimeout: 60s}\n");
    const size_t n = SKR_POSTER_ANSWER_MAX + 4096;
    char *body = malloc(n + 1);
    assert_non_null(body);
    memset(body, ' ', n);
    body[n] = '\0';
    const struct fake_step step = {.status = 200, .body = body};
    fake_api_expect(r.api, &step);
    free(body);
    assert_true(filter(&r) < 0);
    assert_string_equal(r.error.text, "the answer is larger than 67108864 bytes");
    close_rig(&r);
}

TEST(extenders_are_asked_in_turn_about_the_survivors)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@/a\", filterVerb: f, nodeCacheCapable: true}\n"
                 "- {urlPrefix: \"@/b\", filterVerb: f, nodeCacheCapable: true}\n"
                 "- {urlPrefix: \"@/c\", filterVerb: f, nodeCacheCapable: true}\n");
    answer(&r, "POST /a/f", FAKE_ANSWER, 200,
           "{'NodeNames':['n0','n2'],'FailedNodes':{'n1':'first'}}");
    answer(&r, "POST /b/f", FAKE_ANSWER, 200,
           "{'NodeNames':[],'FailedNodes':{'n0':'second','n1':'not asked'}}");
    assert_int_equal(filter(&r), 0);
    json_t *body = body_of(&r, "POST /b/f", 0);
    assert_string_equal(sandbox_text(body, "NodeNames"), "[\"n0\",\"n2\"]");
    json_decref(body);
    assert_string_equal(r.why[0], "second");
    assert_string_equal(r.why[1], "first");
    assert_null(r.why[2]);
    assert_int_equal(fake_api_count(r.api, "POST /c/f"), 0);
    close_rig(&r);
}

TEST(an_ignorable_one_that_fails_is_skipped_and_asked_last)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@/a\", filterVerb: f, nodeCacheCapable: true, ignorable: true}\n"
                 "- {urlPrefix: \"@/b\", filterVerb: f, nodeCacheCapable: true}\n");
    answer(&r, "POST /a/f", FAKE_ANSWER, 500, "");
    answer(&r, "POST /b/f", FAKE_ANSWER, 200, "{'NodeNames':['n1']}");
    assert_int_equal(filter(&r), 0);
    assert_memory_equal(r.passes, "\0\1\0", NODES);
    json_auto_t *body = body_of(&r, "POST /a/f", 0);
    assert_string_equal(sandbox_text(body, "NodeNames"), "[\"n1\"]");
    close_rig(&r);
}

TEST(managed_resources_choose_the_pods)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@/a\", filterVerb: f, managedResources: [{name: a.com/b}]}\n"
                 "- {urlPrefix: \"@/b\", filterVerb: f, nodeCacheCapable: true, "
                 "managedResources: [{name: example.com/gpu}]}\n");
    answer(&r, "POST /b/f", FAKE_ANSWER, 200, "{'NodeNames':['n1']}");
    assert_int_equal(filter(&r), 0);
    assert_memory_equal(r.passes, "\0\1\0", NODES);
    assert_int_equal(fake_api_count(r.api, "POST /a/f"), 0);
    close_rig(&r);
}

/* On the listener's thread, while filter waits: whoever answers may itself need the API. */
static struct fake_reply look_at_lock(void *context, const char *request)
{
    struct rig *r = context;
    (void)request;
    r->was_free = pthread_mutex_trylock(&r->lock) == 0;
    if (r->was_free) {
        pthread_mutex_unlock(&r->lock);
    }
    return (struct fake_reply){.status = 200, .body = skr_strdup("{\"NodeNames\":[\"n0\"]}")};
}

TEST(nobody_waits_with_the_lock)
{
    struct rig r;
    open_rig(&r, ONE);
    fake_api_respond(r.api, look_at_lock, &r);
    answer(&r, "", FAKE_PASS, 200, "");
    assert_int_equal(filter(&r), 0);
    assert_true(r.was_free);
    close_rig(&r);
}

TEST(the_second_call_of_a_cycle_tells_of_the_same_pod)
{
    struct rig r;
    open_rig(&r, ONE);
    answer(&r, "", FAKE_ANSWER, 200, "{}");
    answer(&r, "", FAKE_ANSWER, 200, "{}");
    assert_int_equal(filter(&r), 0);
    sandbox_ok(r.store, 200, "MERGE " RIG_NS "/pods/p", "{'metadata':{'labels':{'new':'1'}}}");
    assert_int_equal(filter(&r), 0);
    json_auto_t *body = body_of(&r, "POST", 1);
    assert_string_equal(sandbox_text(body, "Pod.metadata.labels"), "");
    close_rig(&r);
}

/* ---- prioritize ---- */

TEST(scores_are_weighted_and_added_and_failures_are_nothing)
{
    struct rig r;
    int32_t score[NODES] = {0, 0, 0};
    open_rig(&r, "- {urlPrefix: \"@/a\", prioritizeVerb: p, weight: 2, nodeCacheCapable: true}\n"
                 "- {urlPrefix: \"@/b\", prioritizeVerb: p, weight: 3, nodeCacheCapable: true}\n"
                 "- {urlPrefix: \"@/c\", prioritizeVerb: p, weight: 5, nodeCacheCapable: true}\n");
    answer(&r, "POST /a/p", FAKE_ANSWER, 200,
           "[{'Host':'n0','Score':10},{'host':'n1','score':1},{'Host':'nx','Score':9}]");
    answer(&r, "POST /b/p", FAKE_ANSWER, 500, "");
    answer(&r, "POST /c/p", FAKE_ANSWER, 200,
           "[{'Host':'n1','Score':4},{'Host':'n2','Score':9223372036854775807}]");
    take_lock(&r);
    r.extender.prioritize(r.extender.context, r.pod, nodes, NODES, RIG_NOW, score);
    give_lock(&r);
    assert_int_equal(r.extender.weight, 1);
    assert_int_equal(score[0], 20);
    assert_int_equal(score[1], 22);
    assert_int_equal(score[2], 100000000);
    close_rig(&r);
}

/* ---- bind ---- */

TEST(bind_is_answered_by_its_result)
{
    struct rig r;
    open_rig(&r, ONE);
    answer(&r, "POST /v1/bind", FAKE_ANSWER, 200, "{}");
    answer(&r, "POST /v1/bind", FAKE_ANSWER, 200, "{'error':'sakkara: plan aborted'}");
    answer(&r, "POST /v1/bind", FAKE_ANSWER, 200, "null");
    bind(&r, "bound");
    bind(&r, "sakkara: plan aborted");
    bind(&r, "bound");
    json_auto_t *body = body_of(&r, "POST /v1/bind", 0);
    assert_int_equal(json_object_size(body), 4);
    assert_string_equal(sandbox_text(body, "PodName"), "p");
    assert_string_equal(sandbox_text(body, "PodNamespace"), "default");
    assert_string_equal(sandbox_text(body, "PodUID"), r.pod->meta.uid);
    assert_string_equal(sandbox_text(body, "Node"), "n1");
    close_rig(&r);
}

TEST(without_a_binder_the_api_server_binds)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@\", filterVerb: f}\n");
    bind(&r, "bound");
    assert_string_equal(sandbox_field(r.store, RIG_NS "/pods/p", "spec.nodeName"), "n1");
    bind(&r, "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to "
             "node \"n1\"");
    close_rig(&r);
}

TEST(a_failing_binder_that_is_ignorable_is_passed_over)
{
    struct rig r;
    open_rig(&r, "- {urlPrefix: \"@\", bindVerb: b, ignorable: true}\n");
    answer(&r, "POST /b", FAKE_ANSWER, 500, "");
    bind(&r, "bound");
    assert_string_equal(sandbox_field(r.store, RIG_NS "/pods/p", "spec.nodeName"), "n1");
    close_rig(&r);
}

TEST(binds_wait_side_by_side)
{
    enum { CALLS = 40 };
    struct rig r;
    open_rig(&r, ONE);
    const struct fake_step step = {.mode = FAKE_HANG, .body = "{}", .forever = true};
    fake_api_expect(r.api, &step);
    take_lock(&r);
    for (int i = 0; i < CALLS; i++) {
        r.extender.bind(r.extender.context, 7, r.pod, "n1", RIG_NOW);
    }
    give_lock(&r);
    fake_api_wait_count(r.api, "POST /v1/bind", CALLS);
    fake_api_release(r.api, "");
    pthread_mutex_lock(&r.bind_lock);
    while (r.n_binds < CALLS) {
        pthread_cond_wait(&r.bind_changed, &r.bind_lock);
    }
    pthread_mutex_unlock(&r.bind_lock);
    close_rig(&r);
}

/* ---- the end ---- */

static void *filter_on_thread(void *context)
{
    struct rig *r = context;
    return filter(r) == -SKR_GONE ? r : NULL;
}

TEST(stopping_cuts_every_call_off)
{
    struct rig r;
    pthread_t thread;
    void *gone = NULL;
    open_rig(&r, ONE);
    const struct fake_step step = {.mode = FAKE_HANG, .body = "{}", .forever = true};
    fake_api_expect(r.api, &step);
    take_lock(&r);
    r.extender.bind(r.extender.context, 7, r.pod, "n1", RIG_NOW);
    give_lock(&r);
    assert_int_equal(pthread_create(&thread, NULL, filter_on_thread, &r), 0);
    fake_api_wait_count(r.api, "POST", 2);
    skr_extender_http_stop(r.http);
    assert_int_equal(pthread_join(thread, &gone), 0);
    assert_ptr_equal(gone, &r);
    assert_int_equal(r.n_binds, 0); /* nothing is reported */
    assert_int_equal(filter(&r), -SKR_GONE);
    fake_api_release(r.api, "");
    close_rig(&r);
}

AFTER_ALL
{
    fake_pki_free();
}
