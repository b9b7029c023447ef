/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated API server writes besides objects: watches, Tables, discovery; paths; and
 * protocol buffers that come in. */
#include "server/lab/sandbox/discovery.h"
#include "server/lab/sandbox/protobuf.h"
#include "server/lab/sandbox/route.h"
#include "server/lab/sandbox/stream.h"
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"
#include "topology/duration.h"

static struct skr_store *store;
static struct skr_strbuf out;

BEFORE_EACH
{
    store = skr_store_create(1);
    skr_strbuf_init(&out);
}

AFTER_EACH
{
    skr_strbuf_fini(&out);
    skr_store_destroy(store);
}

/* ---- streams ---- */

static struct skr_stream_options usual(void)
{
    return (struct skr_stream_options){
        .resource = skr_store_resource_of_kind("v1", "ConfigMap"),
        .namespace_ = "",
        .label_selector = "",
        .field_selector = "",
        .end = RIG_NOW + 1000 * SKR_SECOND,
    };
}

static struct skr_stream *open_stream(const struct skr_stream_options *options)
{
    struct skr_stream *stream = NULL;
    struct skr_error error;

    if (skr_stream_create(store, options, RIG_NOW, &stream, &error) != 0) {
        fail_msg("%s", error.text);
    }
    return stream;
}

/* "ADDED m1 DELETED m2 " of what the stream says now. */
static const char *events(struct skr_stream *stream, skr_time now, bool *more)
{
    static char text[2000];
    size_t n = 0;

    skr_strbuf_reset(&out);
    *more = skr_stream_more(stream, now, &out);
    *text = '\0';
    for (char *line = out.len > 0 ? out.s : NULL; line && *line;) {
        char *end = strchr(line, '\n');
        *end = '\0';
        json_t *event = json_loads(line, 0, NULL);
        assert_non_null(event);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s ", sandbox_text(event, "type"),
                              sandbox_text(event, "object.metadata.name"));
        json_decref(event);
        line = end + 1;
    }
    return text;
}

static void map(const char *name, const char *label)
{
    char body[200];

    snprintf(body, sizeof body, "{'metadata':{'name':'%s','labels':{'l':'%s'}}}", name, label);
    sandbox_ok(store, 201, "POST " MAPS, body);
}

TEST(a_watch_tells_what_is_there_and_then_what_changes)
{
    struct skr_stream_options options = usual();
    bool more;

    map("a", "1");
    options.from_now = true;
    struct skr_stream *stream = open_stream(&options);
    assert_true(skr_stream_is_behind(stream));
    assert_string_equal(events(stream, RIG_NOW, &more), "ADDED a ");
    assert_string_equal(events(stream, RIG_NOW, &more), "");
    assert_true(more);
    assert_false(skr_stream_is_behind(stream));
    map("b", "1");
    sandbox_ok(store, 200, "MERGE " MAPS "/a", "{'data':{'x':'y'}}");
    sandbox_ok(store, 200, "DELETE " MAPS "/a", NULL);
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'p'}," RIG_POD "}");
    assert_true(skr_stream_is_behind(stream));
    assert_string_equal(events(stream, RIG_NOW, &more), "ADDED b MODIFIED a DELETED a ");
    skr_stream_destroy(stream);
}

TEST(an_object_that_stops_matching_is_deleted)
{
    struct skr_stream_options options = usual();
    bool more;

    map("a", "1");
    map("b", "2");
    options.revision = skr_store_revision(store);
    options.label_selector = "l=1";
    options.namespace_ = "default";
    struct skr_stream *stream = open_stream(&options);
    sandbox_ok(store, 200, "MERGE " MAPS "/a", "{'metadata':{'labels':{'l':'2'}}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/b", "{'metadata':{'labels':{'l':'1'}}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/a", "{'data':{'x':'y'}}");
    sandbox_ok(store, 200, "DELETE " MAPS "/a", NULL);
    assert_string_equal(events(stream, RIG_NOW, &more), "DELETED a ADDED b ");
    skr_stream_destroy(stream);
}

TEST(a_watch_has_bookmarks_and_an_end)
{
    struct skr_stream_options options = usual();
    bool more;

    options.from_now = true;
    options.bookmarks = true;
    options.end = RIG_NOW + 100 * SKR_SECOND;
    struct skr_stream *stream = open_stream(&options);
    assert_string_equal(events(stream, RIG_NOW, &more), "");
    assert_int_equal(skr_stream_due(stream), RIG_NOW + 60 * SKR_SECOND);
    assert_string_equal(events(stream, RIG_NOW + 60 * SKR_SECOND, &more), "BOOKMARK  ");
    assert_true(more);
    assert_int_equal(skr_stream_due(stream), RIG_NOW + 100 * SKR_SECOND);
    assert_string_equal(events(stream, RIG_NOW + 100 * SKR_SECOND, &more), "BOOKMARK  ");
    assert_false(more);
    skr_stream_destroy(stream);
}

TEST(a_watch_from_before_the_history_is_gone)
{
    struct skr_stream_options options = usual();
    bool more;

    options.revision = skr_store_revision(store);
    map("a", "1");
    map("b", "1");
    skr_store_limit_history(store, 1);
    struct skr_stream *stream = open_stream(&options);
    assert_string_equal(events(stream, RIG_NOW, &more), "ERROR  ");
    assert_false(more);
    assert_non_null(strstr(out.s, "\"code\":410"));
    assert_non_null(strstr(out.s, "too old resource version"));
    skr_stream_destroy(stream);
}

TEST(a_watch_of_events_has_the_shape_that_was_asked_for)
{
    struct skr_stream_options options = usual();
    bool more;

    options.resource = skr_store_resource_of_kind("events.k8s.io/v1", "Event");
    struct skr_stream *stream = open_stream(&options);
    sandbox_ok(store, 201, "POST " RIG_NS "/events",
               "{'metadata':{'name':'e'},'involvedObject':{'namespace':'default'},'message':'hi'}");
    assert_string_equal(events(stream, RIG_NOW, &more), "ADDED e ");
    assert_non_null(strstr(out.s, "\"note\":\"hi\""));
    skr_stream_destroy(stream);
}

TEST(a_watch_of_a_table_has_its_columns_once)
{
    struct skr_stream_options options = usual();
    bool more;

    options.shape = SKR_STREAM_TABLE;
    struct skr_stream *stream = open_stream(&options);
    map("a", "1");
    (void)events(stream, RIG_NOW, &more);
    assert_non_null(strstr(out.s, "\"columnDefinitions\":[{"));
    map("b", "1");
    (void)events(stream, RIG_NOW, &more);
    assert_non_null(strstr(out.s, "\"columnDefinitions\":null"));
    skr_stream_destroy(stream);
}

/* ---- tables ---- */

TEST(rows_are_those_of_kubectl)
{
    static const struct {
        const char *kind, *api, *object, *cells;
    } table[] = {
        {"Pod", "v1",
         "{'metadata':{'name':'p','creationTimestamp':'2023-11-14T22:12:20Z'},'spec':{'nodeName':"
         "'n1','containers':[{},{}]},'status':{'phase':'Running','containerStatuses':[{'ready':"
         "true,"
         "'restartCount':2},{'ready':false}],'podIP':'10.0.0.1','nominatedNodeName':'n2'}}",
         "[\"p\",\"1/2\",\"Running\",\"2\",\"60s\",\"10.0.0.1\",\"n1\",\"n2\",\"<none>\"]"},
        {"Pod", "v1",
         "{'metadata':{'name':'p'},'spec':{'containers':[{}]},'status':{'phase':'Pending',"
         "'conditions':[{'type':'PodScheduled','status':'False','reason':'SchedulingGated'}]}}",
         "[\"p\",\"0/1\",\"SchedulingGated\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
         "\"<none>\"]"},
        {"Pod", "v1",
         "{'metadata':{'name':'p','deletionTimestamp':'2023-11-14T22:12:20Z'},'spec':{},'status':{"
         "'phase':'Running'}}",
         "[\"p\",\"0/0\",\"Terminating\",\"0\",\"<unknown>\",\"<none>\",\"<none>\",\"<none>\","
         "\"<none>\"]"},
        {"Node", "v1",
         "{'metadata':{'name':'n','labels':{'node-role.kubernetes.io/control-plane':''}},'spec':{"
         "'unschedulable':true},'status':{'conditions':[{'type':'Ready','status':'True'}],'"
         "nodeInfo'"
         ":{'kubeletVersion':'v1'}}}",
         "[\"n\",\"Ready,SchedulingDisabled\",\"control-plane\",\"<unknown>\",\"v1\",\"<none>\","
         "\"<none>\",\"<unknown>\",\"<unknown>\",\"<unknown>\"]"},
        {"Node", "v1",
         "{'metadata':{'name':'n'},'status':{'nodeInfo':{'kubeletVersion':'v1','osImage':'o',"
         "'kernelVersion':'6.1','architecture':'amd64','containerRuntimeVersion':'c://1'}}}",
         "[\"n\",\"Unknown\",\"<none>\",\"<unknown>\",\"v1\",\"<none>\",\"<none>\",\"o\","
         "\"6.1 (amd64)\",\"c://1\"]"},
        {"Job", "batch/v1",
         "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':2,'selector':{'"
         "matchLabels'"
         ":{'a':'b'}},'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}},'status':{"
         "'succeeded':1,'startTime':'2023-11-14T22:12:20Z'}}",
         "[\"j\",\"Running\",\"1/3\",\"60s\",\"<unknown>\",\"c\",\"i\",\"a=b\"]"},
        {"ConfigMap", "v1", "{'metadata':{'name':'m'},'data':{'a':'1','b':'2'}}",
         "[\"m\",2,\"<unknown>\"]"},
        {"Event", "v1",
         "{'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','name':'p'},'type':'Normal',"
         "'reason':'R','message':'hi','eventTime':'2023-11-14T22:12:20Z','reportingComponent':'x'}",
         "[\"60s\",\"Normal\",\"R\",\"pod/p\",\"\",\"x\",\"hi\",\"60s\",\"1\",\"e\"]"},
        {"ServiceAccount", "v1", "{'metadata':{'name':'s'}}", "[\"s\",\"<unknown>\"]"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_auto_t *object = json_text_load(table[i].object);
        json_auto_t *t = skr_table_of(skr_store_resource_of_kind(table[i].api, table[i].kind),
                                      object, SKR_TABLE_METADATA, RIG_NOW);
        assert_string_equal(sandbox_text(t, "rows[0].cells"), table[i].cells);
        assert_int_equal(
            json_array_size(json_object_get(t, "columnDefinitions")),
            json_array_size(skr_path_get(json_array_get(json_object_get(t, "rows"), 0), "cells")));
        assert_string_equal(sandbox_text(t, "rows[0].object.kind"), "PartialObjectMetadata");
    }
}

TEST(ages_are_written_as_kubectl_does)
{
    static const struct {
        int64_t s;
        const char *text;
    } table[] = {
        {0, "0s"},
        {119, "119s"},
        {120, "2m"},
        {125, "2m5s"},
        {600, "10m"},
        {3 * 3600 - 1, "179m"},
        {3 * 3600, "3h"},
        {3 * 3600 + 60, "3h1m"},
        {8 * 3600, "8h"},
        {48 * 3600, "2d"},
        {49 * 3600, "2d1h"},
        {8 * 86400, "8d"},
        {3 * 365 * 86400, "3y"},
        {-10, "<invalid>"},
    };
    char text[32];

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        skr_duration_write_age(table[i].s * SKR_SECOND, text);
        assert_string_equal(text, table[i].text);
    }
}

/* ---- discovery and paths ---- */

TEST(discovery_names_everything_that_is_served)
{
    char path[200];

    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        const struct skr_store_resource *r = skr_store_resource_get(i);
        snprintf(path, sizeof path, "%s%s/%s", *r->group ? "/apis/" : "/api", r->group, r->version);
        json_t *list = skr_discovery_get(path);
        const json_t *entry = skr_path_find(json_object_get(list, "resources"), "name", r->plural);
        assert_string_equal(skr_path_text(entry, "kind"), r->kind);
        for (size_t s = 0; r->subresources[s]; s++) {
            snprintf(path, sizeof path, "%s/%s", r->plural, r->subresources[s]);
            assert_non_null(skr_path_find(json_object_get(list, "resources"), "name", path));
        }
        json_decref(list);
        if (*r->group) {
            json_t *groups = skr_discovery_get("/apis");
            assert_non_null(skr_path_find(json_object_get(groups, "groups"), "name", r->group));
            json_decref(groups);
            snprintf(path, sizeof path, "/apis/%s", r->group);
            json_auto_t *group = skr_discovery_get(path);
            assert_non_null(
                skr_path_find(json_object_get(group, "versions"), "version", r->version));
        }
    }
    static const char *const others[] = {"/version", "/api", "/openapi/v3", "/openapi/v3/api/v1",
                                         "/openapi/v3/apis/batch/v1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        json_auto_t *document = skr_discovery_get(others[i]);
        assert_non_null(document);
    }
    static const char *const none[] = {"/",       "/apis/x",       "/apis/apps/v2",
                                       "/api/v2", "/openapi/v3/x", "/openapi/v3/api/v1/x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(skr_discovery_get(none[i]));
    }
}

TEST(paths_lead_to_resources)
{
    static const struct {
        const char *path, *plural, *namespace_, *name, *subresource; /* plural NULL: nowhere */
    } table[] = {
        {"/api/v1/pods", "pods", "", "", ""},
        {"/api/v1/namespaces/a/pods", "pods", "a", "", ""},
        {"/api/v1/namespaces/a/pods/p", "pods", "a", "p", ""},
        {"/api/v1/namespaces/a/pods/p/binding", "pods", "a", "p", "binding"},
        {"/api/v1/namespaces/a", "namespaces", "", "a", ""},
        {"/api/v1/namespaces/a/status", "namespaces", "", "a", "status"},
        {"/api/v1/nodes/n/status", "nodes", "", "n", "status"},
        {"/apis/batch/v1/namespaces/a/jobs/j/", "jobs", "a", "j", ""},
        {"/api/v1/namespaces/a/nonsense", NULL, "", "", ""},
        {"/api/v1/namespaces/a/nodes/n", NULL, "", "", ""},
        {"/api/v1/pods/p", NULL, "", "", ""},
        {"/apis/batch/v2/jobs", NULL, "", "", ""},
        {"/api", NULL, "", "", ""},
        {"//", NULL, "", "", ""},
        {"/x/v1/pods", NULL, "", "", ""},
        {"/api/v1/namespaces/a/pods/p/x/y/z/w", NULL, "", "", ""},
    };
    struct skr_route route;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const bool found = skr_route_parse(table[i].path, &route);
        if (found != (!!table[i].plural)) {
            fail_msg("%s", table[i].path);
        }
        if (!found) {
            continue;
        }
        assert_string_equal(route.resource->plural, table[i].plural);
        assert_string_equal(route.namespace_, table[i].namespace_);
        assert_string_equal(route.name, table[i].name);
        assert_string_equal(route.subresource, table[i].subresource);
    }
}

/* ---- protocol buffers ---- */

/* kubectl create configmap m --from-literal=a=b, as kubectl 1.36 sends it. */
static const char config_map[] = "k8s\0"
                                 "\x0a\x0f\x0a\x02v1\x12\x09"
                                 "ConfigMap"
                                 "\x12\x1b\x0a\x11\x0a\x01m\x12\x00\x1a\x00\"\x00*\x00\x32\x00"
                                 "\x38\x00"
                                 "B\x00\x12\x06\x0a\x01"
                                 "a\x12\x01"
                                 "b\x1a\x00\"\x00";

TEST(a_configmap_is_read_from_a_protocol_buffer)
{
    struct skr_error error;
    json_auto_t *object = NULL;

    if (skr_protobuf_parse(config_map, sizeof config_map - 1, &object, &error) != 0) {
        fail_msg("%s", error.text);
    }
    json_auto_t *expected = json_text_load(
        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'m'},'data':{'a':'b'}}");
    SKR_AUTO_FREE char *text = json_dumps(object, 0);
    if (!json_equal(object, expected)) {
        fail_msg("%s", text);
    }
}

TEST(every_cut_of_a_protocol_buffer_is_refused_or_read)
{
    struct skr_error error;

    for (size_t n = 0; n < sizeof config_map; n++) {
        json_t *object = NULL;
        char *copy = malloc(n > 0 ? n : 1); /* so that a sanitizer sees the end */
        memcpy(copy, config_map, n);
        if (skr_protobuf_parse(copy, n, &object, &error) == 0) {
            json_decref(object);
        }
        free(copy);
    }
    for (size_t i = 4; i < sizeof config_map - 1; i++) {
        for (int bit = 0; bit < 8; bit++) {
            char damaged[sizeof config_map];
            json_t *object = NULL;
            memcpy(damaged, config_map, sizeof damaged);
            damaged[i] = (char)(damaged[i] ^ 1 << bit);
            if (skr_protobuf_parse(damaged, sizeof damaged - 1, &object, &error) == 0) {
                json_decref(object);
            }
        }
    }
}
