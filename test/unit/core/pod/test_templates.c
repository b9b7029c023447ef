/* SPDX-License-Identifier: Apache-2.0 */
/* Pods from trees that share their parts. */
#include "core/pod/templates.h"
#include "test/test.h"

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

/* A pod of the template in which more was said in spec and status; the parts are those of spec. */
static json_t *pod_of(json_t *spec, const char *name, const char *more, const char *status)
{
    json_t *own = json_copy(spec);
    json_t *added = parse(more);
    json_object_update(own, added);
    json_decref(added);
    return json_pack("{s:{s:s,s:s,s:s,s:{s:s}},s:o,s:o}", "metadata", "namespace", "ns", "name",
                     name, "uid", "u", "labels", "app", name, "spec", own, "status", parse(status));
}

static json_t *a_spec(void)
{
    return parse("{\"containers\": [{\"name\": \"main\", \"resources\": {\"requests\":"
                 "{\"cpu\": \"2\"}}}], \"tolerations\": [{\"key\": \"t\"}],"
                 "\"nodeSelector\": {\"zone\": \"a\"}}");
}

static struct skr_pod *read_pod(struct skr_pod_templates *templates, json_t *json)
{
    struct skr_pod *pod = NULL, *plain = NULL;
    assert_int_equal(skr_pod_templates_decode(templates, json, &pod, NULL), 0);
    assert_int_equal(skr_pod_decode(json, &plain, NULL), 0);
    assert_string_equal(pod->shape->key, plain->shape->key);
    assert_string_equal(pod->meta.name, plain->meta.name);
    assert_string_equal(pod->node_name, plain->node_name);
    assert_true(pod->phase == plain->phase);
    skr_pod_destroy(plain);
    json_decref(json);
    return pod;
}

TEST(pods_with_the_same_parts_share_their_shape)
{
    struct skr_pod_templates templates = {.list = NULL};
    json_t *spec = a_spec(), *other = a_spec();
    struct skr_pod *a = read_pod(&templates, pod_of(spec, "a", "{}", "{\"phase\": \"Pending\"}"));
    struct skr_pod *b = read_pod(
        &templates, pod_of(spec, "b", "{\"nodeName\": \"n\", \"hostname\": \"h\"}",
                           "{\"phase\": \"Running\", \"containerStatuses\": [{\"name\": \"main\"}],"
                           "\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}"));
    struct skr_pod *c = read_pod(&templates, pod_of(other, "c", "{}", "{}"));
    assert_non_null(a->of_shape);
    assert_ptr_equal(a->of_shape, b->of_shape);
    assert_ptr_not_equal(a->of_shape, c->of_shape);
    json_decref(spec);
    json_decref(other);
    skr_pod_templates_fini(&templates);
    assert_string_equal(a->shape->requests.item[0].name, "cpu");
    skr_pod_destroy(a);
    struct skr_pod *copy = skr_pod_overlay(b, &(struct skr_pod_overlay){.node_name = "m"});
    assert_ptr_equal(copy->of_shape, b->of_shape);
    skr_pod_destroy(b);
    assert_string_equal(copy->shape->requests.item[0].name, "cpu");
    skr_pod_destroy(copy);
    skr_pod_destroy(c);
}

TEST(a_pod_about_whose_shape_more_decides_has_its_own)
{
    static const struct {
        const char *more, *status;
    } row[] = {
        {"{\"affinity\": {\"nodeAffinity\": {}}}", "{}"},
        {"{\"topologySpreadConstraints\": []}", "{}"},
        {"{}", "{\"containerStatuses\": [{\"name\": \"main\", \"resources\":"
               "{\"requests\": {\"cpu\": \"3\"}}}]}"},
        {"{}", "{\"containerStatuses\": [{\"name\": \"main\", \"allocatedResources\":"
               "{\"cpu\": \"3\"}}]}"},
        {"{}", "{\"conditions\": [{\"type\": \"PodResizePending\", \"status\": \"True\"}]}"},
        {"{\"resources\": {\"requests\": {\"cpu\": \"4\"}}}",
         "{\"resources\": {\"requests\": {\"cpu\": \"5\"}}}"},
    };
    struct skr_pod_templates templates = {.list = NULL};
    json_auto_t *spec = a_spec();
    skr_pod_destroy(read_pod(&templates, pod_of(spec, "a", "{}", "{}")));
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_pod *pod = read_pod(&templates, pod_of(spec, "b", row[i].more, row[i].status));
        assert_null(pod->of_shape);
        skr_pod_destroy(pod);
    }
    skr_pod_templates_fini(&templates);
}

TEST(what_is_refused_is_refused_with_known_parts_too)
{
    static const char *const row[] = {
        "{\"containerStatuses\": 1}",
        "{\"containerStatuses\": [1]}",
        "{\"containerStatuses\": [{\"name\": 1}]}",
        "{\"conditions\": [{\"type\": 1}]}",
        "{\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\", \"reason\": 1}]}",
    };
    struct skr_pod_templates templates = {.list = NULL};
    json_auto_t *spec = a_spec();
    skr_pod_destroy(read_pod(&templates, pod_of(spec, "a", "{}", "{}")));
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_error wrong, expected;
        struct skr_pod *pod = NULL;
        json_auto_t *json = pod_of(spec, "b", "{}", row[i]);
        assert_true(skr_pod_decode(json, &pod, &expected) < 0);
        assert_true(skr_pod_templates_decode(&templates, json, &pod, &wrong) < 0);
        assert_string_equal(wrong.text, expected.text);
    }
    json_auto_t *text = json_string("pod");
    struct skr_pod *pod = NULL;
    assert_true(skr_pod_templates_decode(&templates, text, &pod, NULL) < 0);
    skr_pod_templates_fini(&templates);
}

TEST(templates_are_bounded)
{
    struct skr_pod_templates templates = {.list = NULL};
    json_t *last = NULL;
    for (int i = 0; i <= SKR_POD_TEMPLATES_MAX + 1; i++) {
        json_t *spec = a_spec();
        skr_pod_destroy(read_pod(&templates, pod_of(spec, "a", "{}", "{}")));
        json_decref(last);
        last = spec;
    }
    /* Those before the last ones are let go of: only their own spec holds the parts of the first. */
    struct skr_pod *a = read_pod(&templates, pod_of(last, "a", "{}", "{}"));
    struct skr_pod *b = read_pod(&templates, pod_of(last, "b", "{}", "{}"));
    assert_ptr_equal(a->of_shape, b->of_shape);
    skr_pod_destroy(a);
    skr_pod_destroy(b);
    json_decref(last);
    skr_pod_templates_fini(&templates);
    assert_null(templates.list);
}

TEST(of_two_readers_the_second_gets_the_pod_that_the_first_has_read)
{
    struct skr_pod_templates templates = {.two_readers = true};
    json_auto_t *spec = a_spec();
    json_t *tree = pod_of(spec, "a", "{}", "{}"), *later = pod_of(spec, "a", "{}", "{}");
    struct skr_pod *first = read_pod(&templates, json_incref(tree));
    SKR_AUTO(skr_pod_destroy) struct skr_pod *other = read_pod(&templates, later);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *second = read_pod(&templates, json_incref(tree));
    assert_ptr_equal(first, second);
    assert_ptr_not_equal(first, other);
    skr_pod_destroy(first); /* the second has it still */
    assert_string_equal(second->meta.name, "a");
    struct skr_pod *third = read_pod(&templates, tree); /* as if it were the first */
    assert_ptr_not_equal(second, third);
    skr_pod_templates_fini(&templates);
    assert_string_equal(third->meta.name, "a");
    skr_pod_destroy(third);
}
