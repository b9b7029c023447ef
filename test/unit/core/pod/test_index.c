/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of pods under the keys of their controllers, and the natural order of names. */
#include "core/pod/pod.h"
#include "test/test.h"
#include "test/unit/json_text.h"

static void assert_indices(const char *metadata, int32_t job, int32_t set, int32_t lws,
                           int32_t training)
{
    const int32_t want[] = {job, lws, set, training};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = NULL;
    struct skr_error error = {.code = SKR_OK};
    char text[600];
    snprintf(text, sizeof text, "{'metadata':{'namespace':'n','name':'p','uid':'u',%s},'spec':{}}",
             metadata);
    json_t *json = json_text_load(text);
    assert_int_equal(skr_pod_decode(json, &pod, &error), 0);
    json_decref(json);
    struct skr_pod *copy = skr_pod_overlay(pod, &(struct skr_pod_overlay){.node_name = "node"});
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_int_equal(pod->index[SKR_POD_INDEX_JOB + i], want[i]);
        assert_int_equal(copy->index[SKR_POD_INDEX_JOB + i], want[i]);
    }
    skr_pod_destroy(copy);
}

TEST(an_index_is_a_label_or_an_annotation_of_digits)
{
    assert_indices("'labels':{}", -1, -1, -1, -1);
    assert_indices("'labels':{'batch.kubernetes.io/job-completion-index':'12'}", 12, -1, -1, -1);
    assert_indices("'annotations':{'batch.kubernetes.io/job-completion-index':'0'}", 0, -1, -1, -1);
    assert_indices("'labels':{'apps.kubernetes.io/pod-index':'3',"
                   "'leaderworkerset.sigs.k8s.io/worker-index':'4',"
                   "'training.kubeflow.org/replica-index':'2147483647'}",
                   -1, 3, 4, INT32_MAX);
    /* the label counts; one that is no number leaves the annotation */
    assert_indices("'labels':{'apps.kubernetes.io/pod-index':'3',"
                   "'training.kubeflow.org/replica-index':'x'},"
                   "'annotations':{'apps.kubernetes.io/pod-index':'9',"
                   "'training.kubeflow.org/replica-index':'7'}",
                   -1, 3, -1, 7);
}

TEST(a_label_of_the_users_choice_is_the_index)
{
    static const struct {
        const char *metadata;
        int32_t index;
    } row[] = {
        {"'labels':{'rank':'7'},'annotations':{'sakkara.group.index':'rank'}", 7},
        {"'labels':{'rank':'x'},'annotations':{'sakkara.group.index':'rank'}", -1},
        {"'labels':{},'annotations':{'sakkara.group.index':'rank'}", -1},
        {"'labels':{'kueue.x-k8s.io/pod-group-pod-index':'5'}", 5},
        {"'labels':{'rank':'7'}", -1},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = NULL;
        char text[400];
        snprintf(text, sizeof text, "{'metadata':{'name':'p','uid':'u',%s},'spec':{}}",
                 row[i].metadata);
        json_auto_t *json = json_text_load(text);
        assert_int_equal(skr_pod_decode(json, &pod, NULL), 0);
        assert_int_equal(pod->index[SKR_POD_INDEX_USER], row[i].index);
    }
}

TEST(what_is_no_index_is_none)
{
    static const char *const bad[] = {
        "", "-1", "+1", "1.0", "1 ", " 1", "0x1", "2147483648", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "'annotations':{'apps.kubernetes.io/pod-index':'%s'}", bad[i]);
        assert_indices(text, -1, -1, -1, -1);
    }
    assert_indices("'annotations':{'apps.kubernetes.io/pod-index':3}", -1, -1, -1, -1);
}

TEST(names_are_in_natural_order)
{
    static const char *const order[] = {
        "",
        "a",
        "a-0",
        "a-1-b-10",
        "a-1-c-2",
        "a-02",
        "a-2",
        "a-10",
        "a-10-x",
        "a-99999999999999999999",
        "a-100000000000000000000",
        "aa",
        "b10c2",
        "b10c10",
        "ba",
    };
    size_t n = sizeof order / sizeof order[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            int got = skr_pod_compare_names(order[i], order[k]);
            int want = i < k ? -1 : i > k;
            if ((got > 0) - (got < 0) != want) {
                fail_msg("%s and %s: %d", order[i], order[k], got);
            }
        }
    }
}
