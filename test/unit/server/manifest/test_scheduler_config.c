/* SPDX-License-Identifier: Apache-2.0 */
/* KubeSchedulerConfiguration as the model of kube-scheduler reads it. */
#include "server/manifest/scheduler_config.h"
#include "test/test.h"
#include "topology/base/strbuf.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define EXT  HEAD "extenders:\n- "

/* Everything that is told, "" for nothing. *ret: NULL when it is refused. */
static char *parse(const char *text, struct skr_scheduler_config **ret)
{
    struct skr_findings findings;
    struct skr_strbuf told;
    *ret = NULL;
    skr_findings_init(&findings);
    skr_strbuf_init(&told);
    const int rc = skr_scheduler_config_parse(text, strlen(text), ret, &findings);
    assert_int_equal(rc == 0, findings.n_errors == 0);
    skr_findings_write(&findings, "s", &told);
    skr_strbuf_add(&told, "");
    return skr_strbuf_take(&told, NULL);
}

TEST(an_empty_one_is_the_default)
{
    SKR_AUTO(skr_scheduler_config_destroy) struct skr_scheduler_config *config = NULL;
    free(parse(HEAD, &config));
    assert_non_null(config);
    assert_int_equal(config->n_names, 1);
    assert_string_equal(config->name[0], "default-scheduler");
    assert_int_equal(config->percentage, 0);
    assert_true(config->initial_backoff == SKR_SECOND);
    assert_true(config->max_backoff == 10 * SKR_SECOND);
    assert_int_equal(config->n_extenders, 0);
}

TEST(the_shipped_one_is_understood_as_a_whole)
{
    SKR_AUTO(skr_scheduler_config_destroy) struct skr_scheduler_config *config = NULL;
    struct skr_findings findings;
    skr_findings_init(&findings);
    assert_int_equal(skr_scheduler_config_load("configs/scheduler.yaml", &config, &findings), 0);
    assert_int_equal(findings.n, 0);
    assert_int_equal(config->n_names, 2);
    assert_string_equal(config->name[1], "sakkara-scheduler");
    assert_int_equal(config->n_extenders, 2);
    const struct skr_scheduler_extender *filter = &config->extender[0], *bind = filter + 1;
    assert_string_equal(filter->url, "http://127.0.0.1:9660/v1");
    assert_string_equal(filter->filter_verb, "filter");
    assert_string_equal(filter->prioritize_verb, "prioritize");
    assert_string_equal(filter->bind_verb, "");
    assert_int_equal(filter->weight, 20);
    assert_true(filter->timeout == 3 * SKR_SECOND);
    assert_true(filter->node_cache_capable);
    assert_false(filter->ignorable);
    assert_string_equal(bind->bind_verb, "bind");
    assert_true(bind->timeout == 330 * SKR_SECOND);
}

TEST(every_field_is_read)
{
    SKR_AUTO(skr_scheduler_config_destroy) struct skr_scheduler_config *config = NULL;
    SKR_AUTO_FREE char *told =
        parse(HEAD "percentageOfNodesToScore: 42\n"
                   "podInitialBackoffSeconds: 2\n"
                   "podMaxBackoffSeconds: 20\n"
                   "parallelism: 8\n"
                   "profiles:\n"
                   "- {schedulerName: a, plugins: {multiPoint: {disabled: [{name: "
                   "DefaultPreemption}, {name: GangScheduling}, {name: "
                   "TopologyPlacementGenerator}, {name: PodGroupPodsCount}]}}}\n"
                   "- schedulerName: b\n"
                   "extenders:\n"
                   "- {urlPrefix: 'http://h:1/x//', filterVerb: f, ignorable: true}\n"
                   "- {urlPrefix: 'http://h:2', bindVerb: b, httpTimeout: 0s,\n"
                   "   managedResources: [{name: a.com/x}, {name: b.com/y}]}\n",
              &config);
    assert_string_equal(told, "");
    assert_int_equal(config->percentage, 42);
    assert_true(config->initial_backoff == 2 * SKR_SECOND);
    assert_true(config->max_backoff == 20 * SKR_SECOND);
    assert_string_equal(config->name[0], "a");
    assert_string_equal(config->name[1], "b");
    /* The ignorable one is asked last. */
    assert_string_equal(config->extender[0].url, "http://h:2");
    assert_true(config->extender[0].timeout == 5 * SKR_SECOND);
    assert_int_equal(config->extender[0].n_managed, 2);
    assert_string_equal(config->extender[0].managed[1], "b.com/y");
    assert_string_equal(config->extender[1].url, "http://h:1/x");
}

TEST(json_is_read_too)
{
    SKR_AUTO(skr_scheduler_config_destroy) struct skr_scheduler_config *config = NULL;
    free(parse("{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\",\"kind\":"
               "\"KubeSchedulerConfiguration\",\"profiles\":[{\"schedulerName\":\"j\"}]}",
               &config));
    assert_non_null(config);
    assert_string_equal(config->name[0], "j");
}

TEST(what_is_wrong_is_told_with_its_place)
{
    static const struct {
        const char *text, *told;
    } rows[] = {
        {"", "s: error: is empty\n"},
        {"- x\n", "s:1:1: error: must be a mapping\n"},
        {"a: [\n", "s:2:1: error: "},
        {HEAD "---\na: b\n", "s:4:1: error: a second document, there must be one\n"},
        {"kind: KubeSchedulerConfiguration\n",
         "s:1:1: error: apiVersion is missing, must be kubescheduler.config.k8s.io/v1\n"},
        {"apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n",
         "s:1:13: error: apiVersion: \"kubescheduler.config.k8s.io/v1beta3\", must be "
         "kubescheduler.config.k8s.io/v1\n"},
        {HEAD "extender: []\n",
         "s:3:11: error: extender: unknown field, did you mean extenders?\n"},
        {HEAD "percentageOfNodesToScore: 101\n",
         "s:3:27: error: percentageOfNodesToScore: 101 is not between 0 and 100\n"},
        {HEAD "percentageOfNodesToScore: ten\n",
         "s:3:27: error: percentageOfNodesToScore: must be a whole number\n"},
        {HEAD "podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 4\n",
         "s:4:23: error: podMaxBackoffSeconds: 4 is less than podInitialBackoffSeconds, 5\n"},
        {HEAD "profiles: {}\n", "s:3:11: error: profiles: must be a list\n"},
        {HEAD "profiles: [{schedulerName: a}, {}]\n",
         "s:3:32: error: profiles[1]: schedulerName is missing\n"},
        {HEAD "profiles: [{schedulerName: a}, {schedulerName: a}]\n",
         "s:3:48: error: profiles[1].schedulerName: \"a\" twice\n"},
        {HEAD "profiles: [{schedulerName: 7}]\n",
         "s:3:28: error: profiles[0].schedulerName: must be a string\n"},
        {EXT "{filterVerb: f}\n",
         "s:4:3: error: extenders[0]: urlPrefix \"\" is not of the form http://HOST:PORT/PATH\n"},
        {EXT "{urlPrefix: 'https://h/v1', filterVerb: f}\n",
         "s:4:15: error: extenders[0].urlPrefix: TLS to an extender is not modelled: give it a "
         "plain address on loopback\n"},
        {EXT "{urlPrefix: 'http://h', prioritizeVerb: p}\n",
         "s:4:43: error: extenders[0].prioritizeVerb: a positive weight is needed beside "
         "prioritizeVerb\n"},
        {EXT "{urlPrefix: 'http://h', weight: -1}\n",
         "s:4:35: error: extenders[0].weight: -1 is not between 0 and 100000\n"},
        {EXT "{urlPrefix: 'http://h', httpTimeout: 5}\n",
         "s:4:40: error: extenders[0].httpTimeout: must be a string\n"},
        {EXT "{urlPrefix: 'http://h', httpTimeout: 5x}\n",
         "s:4:40: error: extenders[0].httpTimeout: "},
        {EXT "{urlPrefix: 'http://h', ignorable: maybe}\n",
         "s:4:38: error: extenders[0].ignorable: must be true or false\n"},
        {EXT "{urlPrefix: 'http://h', managedResources: [{name: cpu}]}\n",
         "s:4:46: error: extenders[0].managedResources[0]: \"cpu\" is not the name of an extended "
         "resource\n"},
        {EXT "{urlPrefix: 'http://h', bindVerb: b}\n- {urlPrefix: 'http://i', bindVerb: b}\n",
         "s:5:37: error: extenders[1].bindVerb: only one extender can implement bind\n"},
        {EXT "{urlPrefix: 'http://h', filterverb: f}\n",
         "s:4:39: error: extenders[0].filterverb: unknown field, did you mean filterVerb?\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_scheduler_config *config;
        SKR_AUTO_FREE char *told = parse(rows[i].text, &config);
        const size_t n = strlen(rows[i].told);
        const bool is_begin = n > 0 && rows[i].told[n - 1] != '\n';
        assert_null(config);
        if (is_begin ? strncmp(told, rows[i].told, n) != 0 : strcmp(told, rows[i].told) != 0) {
            fail_msg("told: %sexpected: %s", told, rows[i].told);
        }
    }
}

TEST(what_is_not_modelled_gives_a_warning)
{
    static const struct {
        const char *text, *told;
    } rows[] = {
        {HEAD "profiles: [{plugins: {score: {disabled: [{name: '*'}]}}}]\n",
         "s:3:22: warning: profiles[0].plugins: not modelled: the default plugins without "
         "preemption and PodGroups\n"},
        {HEAD "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {}}]}]\n",
         "s:3:27: warning: profiles[0].pluginConfig: not modelled: the default arguments of "
         "plugins\n"},
        {EXT "{urlPrefix: 'http://h', preemptVerb: p}\n",
         "s:4:40: warning: extenders[0].preemptVerb: not modelled: nothing is preempted\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SKR_AUTO(skr_scheduler_config_destroy) struct skr_scheduler_config *config = NULL;
        SKR_AUTO_FREE char *told = parse(rows[i].text, &config);
        assert_non_null(config);
        assert_string_equal(told, rows[i].told);
    }
}

TEST(one_that_is_too_long_or_not_there_is_refused)
{
    struct skr_scheduler_config *config = NULL;
    struct skr_findings findings;
    const size_t n = SKR_SCHEDULER_CONFIG_BYTES_MAX + 1;
    SKR_AUTO_FREE char *text = malloc(n);
    assert_non_null(text);
    memset(text, ' ', n);
    skr_findings_init(&findings);
    assert_int_equal(skr_scheduler_config_parse(text, n, &config, &findings), -SKR_LIMIT);
    assert_int_equal(skr_scheduler_config_load("no/such/file", &config, &findings), -SKR_NOT_FOUND);
    assert_string_equal(findings.item[0].text, "longer than 1048576 bytes");
    assert_non_null(strstr(findings.item[1].text, "cannot be read: No such"));
    assert_null(config);
}

TEST(extenders_can_be_added)
{
    SKR_AUTO(skr_scheduler_config_destroy) struct skr_scheduler_config *config = NULL;
    struct skr_error error;
    char url[] = "http://x";
    const struct skr_scheduler_extender entry = {
        .url = url, .filter_verb = "f", .prioritize_verb = "", .bind_verb = ""};
    free(parse(HEAD, &config));
    for (int i = 0; i < SKR_SCHEDULER_EXTENDERS_MAX; i++) {
        assert_int_equal(skr_scheduler_config_add(config, &entry, &error), 0);
    }
    url[0] = 'z';
    assert_string_equal(config->extender[SKR_SCHEDULER_EXTENDERS_MAX - 1].url, "http://x");
    assert_int_equal(skr_scheduler_config_add(config, &entry, &error), -SKR_LIMIT);
}
