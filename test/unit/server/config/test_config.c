/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: what is accepted, and the exact messages for what is not. */
#include "core/group/workload.h"
#include "server/config/config.h"
#include "server/config/spotmix_settings.h"
#include "test/golden.h"
#include "test/test.h"
#include "topology/base/suggest.h"
#include "topology/duration.h"

#define HEAD "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n"

static int parse(const char *text, struct skr_config **ret, struct skr_strbuf *messages)
{
    struct skr_findings findings;
    skr_findings_init(&findings);
    *ret = NULL;
    int rc = skr_config_parse(text, strlen(text), ret, &findings);
    skr_findings_write(&findings, "s.yaml", messages);
    return rc;
}

static struct skr_config *parse_warned(const char *text, const char *expected)
{
    struct skr_config *config;
    SKR_STRBUF(messages);
    int rc = parse(text, &config, &messages);
    assert_string_equal(messages.s, expected);
    assert_int_equal(rc, 0);
    return config;
}

static struct skr_config *parse_good(const char *text)
{
    return parse_warned(text, "");
}

TEST(defaults_agree_with_the_engine)
{
    struct skr_settings expected;
    skr_settings_default(&expected);
    SKR_AUTO(skr_config_destroy) struct skr_config *config = skr_config_default();
    assert_non_null(config);
    const struct skr_settings *got = &config->settings;
    assert_string_equal(got->topology_namespace, expected.topology_namespace);
    assert_int_equal(got->n_scheduler_names, expected.n_scheduler_names);
    for (size_t i = 0; i < expected.n_scheduler_names; i++) {
        assert_string_equal(got->scheduler_name[i], expected.scheduler_name[i]);
    }
    assert_int_equal(got->label_fallback, expected.label_fallback);
    assert_int_equal(got->heterogeneous_refuse, expected.heterogeneous_refuse);
    assert_int_equal(got->victims_labelled, expected.victims_labelled);
    assert_int_equal(got->preemption, expected.preemption);
    assert_int_equal(got->preempt_force_after, expected.preempt_force_after);
    assert_int_equal(got->plan_timeout, expected.plan_timeout);
    assert_int_equal(got->plan_delay, expected.plan_delay);
    assert_int_equal(got->seat_hold, expected.seat_hold);
    assert_int_equal(got->seat_hold_max, expected.seat_hold_max);
    assert_int_equal(got->rollback_partial, expected.rollback_partial);
    assert_int_equal(got->tie_break, expected.tie_break);
    assert_int_equal(expected.release_gate_after, SKR_TIME_NEVER); /* a cluster of a fixed size */
    assert_int_equal(got->release_gate_after, 60 * SKR_SECOND);
    assert_int_equal(got->bind_timeout, expected.bind_timeout);
    assert_int_equal(expected.reservations, 0); /* tests of the engine are about one instant */
    assert_int_equal(got->reservations, 1);
}

TEST(the_shipped_file_is_the_default)
{
    struct skr_findings findings;
    skr_findings_init(&findings);
    struct skr_config *shipped = NULL, *fallback = skr_config_default();
    assert_int_equal(skr_config_load("configs/sakkara.yaml", &shipped, &findings), 0);
    assert_int_equal(findings.n, 0);
    assert_string_equal(shipped->kubeconfig, fallback->kubeconfig);
    assert_string_equal(shipped->extender_listen, fallback->extender_listen);
    assert_string_equal(shipped->bind_listen, fallback->bind_listen);
    assert_string_equal(shipped->admin_listen, fallback->admin_listen);
    assert_string_equal(shipped->gate_listen, fallback->gate_listen);
    assert_string_equal(shipped->tls.cert_file, "");
    assert_string_equal(shipped->gate_tls.client_ca_file, "");
    assert_int_equal(shipped->client_qps, fallback->client_qps);
    assert_int_equal(shipped->client_burst, fallback->client_burst);
    assert_int_equal(shipped->settings.n_scheduler_names, 2);
    assert_int_equal(shipped->settings.plan_timeout, fallback->settings.plan_timeout);
    assert_int_equal(shipped->settings.preempt_force_after, SKR_TIME_NEVER);
    skr_config_destroy(shipped);
    skr_config_destroy(fallback);
}

TEST(parked_binds_outlive_a_plan_by_default)
{
    struct skr_settings s;
    skr_settings_default(&s);
    assert_true(s.bind_timeout >= s.plan_timeout + 30 * SKR_SECOND);
}

TEST(every_option_stands_in_the_shipped_file_and_in_the_reference)
{
    SKR_AUTO_FREE char *shipped = golden_read("configs/sakkara.yaml");
    SKR_AUTO_FREE char *reference = golden_read("docs/reference.md");
    SKR_STRBUF(help);
    skr_config_write_help(&help);
    for (const char *line = help.s; *line;) {
        char key[80], fallback[200], text[300], row[120];
        int n = 0;
        assert_int_equal(
            sscanf(line, "  %79s %199[^\n]\n      %299[^\n]\n%n", key, fallback, text, &n), 3);
        line += n;
        const char *dot = strrchr(key, '.');
        if (!strstr(shipped, dot ? dot + 1 : key)) {
            fail_msg("configs/sakkara.yaml lacks %s", key);
        }
        snprintf(row, sizeof row, "| `%s` | ", key);
        bool found = false; // other tables may have rows of the same name
        for (const char *at = strstr(reference, row); at && !found; at = strstr(at + 1, row)) {
            const char *end = strchr(at, '\n');
            const char *default_at = strstr(at, fallback);
            const char *text_at = strstr(at, text);
            found = end && default_at && default_at < end && text_at && text_at < end;
        }
        if (!found) {
            fail_msg("docs/reference.md lacks a row of %s, %s, %s", key, fallback, text);
        }
    }
}

TEST(every_option_is_read)
{
    SKR_AUTO(skr_config_destroy)
    struct skr_config *c = parse_warned(
        HEAD "kubeconfig: /k\n"
             "schedulerNames: [a, b, c]\n"
             "topologyConfigMapNameSpace: kube-system\n"
             "labelFallback: true\n"
             "heterogeneous: refuse\n"
             "nonGroupVictims: labelled\n"
             "preemption: false\n"
             "preemptForceAfter: 1h30m\n"
             "planTimeout: 60s\n"
             "planDelay: 0\n"
             "onPartialBind: rollback\n"
             "tieBreak: tight\n"
             "releaseGateAfter: 2m\n"
             "extender:\n"
             "  listen: '[::1]:1'\n"
             "  bindListen: 127.0.0.1:2\n"
             "  bindTimeout: 1.5m\n"
             "  tls: {certFile: /c, keyFile: /d, clientCAFile: /e}\n"
             "admin: {listen: ':3', tls: {certFile: /h, keyFile: /i, clientCAFile: /j}}"
             "\n"
             "gate: {listen: ':4', certFile: /f, keyFile: /g}\n"
             "leaderElection: {mode: lease, namespace: ns, name: le, schedulerLease: "
             "sl}\n"
             "client: {qps: 5, burst: 6}\n",
        "");
    assert_string_equal(c->kubeconfig, "/k");
    assert_int_equal(c->settings.n_scheduler_names, 3);
    assert_string_equal(c->settings.scheduler_name[2], "c");
    assert_string_equal(c->settings.topology_namespace, "kube-system");
    assert_true(c->settings.label_fallback);
    assert_true(c->settings.heterogeneous_refuse);
    assert_true(c->settings.victims_labelled);
    assert_false(c->settings.preemption);
    assert_int_equal(c->settings.preempt_force_after, 5400 * SKR_SECOND);
    assert_int_equal(c->settings.plan_timeout, 60 * SKR_SECOND);
    assert_int_equal(c->settings.plan_delay, 0);
    assert_true(c->settings.rollback_partial);
    assert_int_equal(c->settings.tie_break, SKR_TIE_TIGHT);
    assert_int_equal(c->settings.release_gate_after, 120 * SKR_SECOND);
    assert_int_equal(c->settings.bind_timeout, 90 * SKR_SECOND);
    assert_string_equal(c->extender_listen, "[::1]:1");
    assert_int_equal(c->leader_mode, SKR_LEADER_LEASE);
    assert_string_equal(c->leader_namespace, "ns");
    assert_string_equal(c->leader_name, "le");
    assert_string_equal(c->scheduler_lease, "sl");
    assert_string_equal(c->bind_listen, "127.0.0.1:2");
    assert_string_equal(c->admin_listen, ":3");
    assert_string_equal(c->gate_listen, ":4");
    assert_string_equal(c->tls.cert_file, "/c");
    assert_string_equal(c->tls.key_file, "/d");
    assert_string_equal(c->tls.client_ca_file, "/e");
    assert_string_equal(c->gate_tls.cert_file, "/f");
    assert_string_equal(c->gate_tls.key_file, "/g");
    assert_int_equal(c->client_qps, 5);
    assert_int_equal(c->client_burst, 6);
}

static const struct {
    const char *text, *messages;
} broken[] = {
    {"", "s.yaml:1:1: error: apiVersion is missing; write \"apiVersion: sakkara/v1\"\n"
         "s.yaml:1:1: error: kind is missing; write \"kind: SakkaraConfiguration\"\n"},
    {"- a\n", "s.yaml:1:1: error: a mapping of options is expected, not a list\n"},
    {"apiVersion: sakkara/v2\nkind: Config\n",
     "s.yaml:1:13: error: apiVersion: \"sakkara/v2\" is not sakkara/v1\n"
     "s.yaml:2:7: error: kind: \"Config\" is not SakkaraConfiguration\n"},
    {HEAD "plantimeout: 5m\n",
     "s.yaml:3:1: error: unknown key plantimeout (did you mean planTimeout?)\n"},
    {HEAD "extender: {listn: ':1'}\n",
     "s.yaml:3:12: error: unknown key extender.listn (did you mean listen?)\n"},
    {HEAD "time: {reservations: 65, forecasts: 1001, movesMost: 4}\n",
     "s.yaml:3:22: error: time.reservations: 65 is outside 0 .. 64\n"
     "s.yaml:3:37: error: time.forecasts: 1001 is outside 0 .. 1000\n"
     "s.yaml:3:54: error: time.movesMost: 4 is outside 1 .. 3\n"},
    {HEAD "karmada: {options: 'ranges=strict, shortage=Error'}\n",
     "s.yaml:3:20: error: karmada.options: option shortage: must be Unschedulable or "
     "SchedulerError, got \"Error\"\n"},
    {HEAD "karmada: {options: ranges}\n",
     "s.yaml:3:20: error: karmada.options: option \"ranges\": must be name=value\n"},
    {HEAD "karmada: {options: {ranges: strict}}\n",
     "s.yaml:3:20: error: karmada.options: a single value is expected, not a mapping\n"},
    {HEAD "extender: {filterHold: 1s}\n",
     "s.yaml:3:12: error: extender.filterHold was removed; leave it out: filter calls are answered "
     "at once\n"},
    {HEAD "extender:\n  tls: {zebra: 1}\n", "s.yaml:4:9: error: unknown key extender.tls.zebra\n"},
    {HEAD "planTimeout: 5x\n",
     "s.yaml:3:14: error: planTimeout: \"5x\" is not a duration such as 50ms, 330s or 5m\n"},
    {HEAD "planTimeout: 10ms\n", "s.yaml:3:14: error: planTimeout: 10ms is outside 1s .. 24h\n"},
    {HEAD "preemptForceAfter: 0\n",
     "s.yaml:3:20: error: preemptForceAfter: 0 is outside 1s .. 24h (or off)\n"},
    {HEAD "planTimeout: off\n",
     "s.yaml:3:14: error: planTimeout: \"off\" is not a duration such as 50ms, 330s or 5m\n"},
    {HEAD "planTimeout: 9999999999h\n",
     "s.yaml:3:14: error: planTimeout: \"9999999999h\" is longer than 292 years\n"},
    {HEAD "preemption: yes\n", "s.yaml:3:13: error: preemption: \"yes\" is not true or false\n"},
    {HEAD "heterogeneous: min\n",
     "s.yaml:3:16: error: heterogeneous: \"min\" is not max or refuse\n"},
    {HEAD "tieBreak: loose\n", "s.yaml:3:11: error: tieBreak: \"loose\" is not tree or tight\n"},
    {HEAD "extender: {listen: host:1}\n", "s.yaml:3:20: error: extender.listen: address "
                                          "\"host:1\": \"host\" is not an IP address (IPv6 in "
                                          "brackets)\n"},
    {HEAD "admin: {listen: 127.0.0.1:65536}\n",
     "s.yaml:3:17: error: admin.listen: address \"127.0.0.1:65536\": port \"65536\" is not a "
     "number "
     "from 0 to 65535\n"},
    {HEAD "admin: {listen: ''}\n",
     "s.yaml:3:17: error: admin.listen: address \"\": no port (HOST:PORT is expected)\n"},
    {HEAD "admin: {listen: '0.0.0.0:9662'}\n",
     "s.yaml:3:17: error: admin.listen: 0.0.0.0:9662 can "
     "be reached from other machines, so anybody "
     "there could read groups, trees and metrics: set "
     "admin.tls with a clientCAFile, or leave it on "
     "the loopback; probes have admin.probes, metrics have "
     "metrics.listen\n"},
    {HEAD "admin: {listen: ':9662', tls: {certFile: /c, keyFile: /k}}\n",
     "s.yaml:3:17: error: admin.listen: :9662 can be reached from other machines, so anybody there "
     "could read groups, trees and metrics: set admin.tls with a clientCAFile, or leave it on the "
     "loopback; probes have admin.probes, metrics have "
     "metrics.listen\n"},
    {HEAD "admin: {tls: {clientCAFile: /c}}\n",
     "s.yaml:3:29: error: admin.tls.clientCAFile is set without admin.tls.certFile\n"},
    {HEAD "client: {qps: 0}\n", "s.yaml:3:15: error: client.qps: 0 is outside 1 .. 100000\n"},
    {HEAD "client: {burst: -1}\n",
     "s.yaml:3:17: error: client.burst: \"-1\" is not a whole number\n"},
    {HEAD "client: {qps: 99999999999999999999}\n",
     "s.yaml:3:15: error: client.qps: 99999999999999999999 is too large\n"},
    {HEAD "schedulerNames: sakkara\n",
     "s.yaml:3:17: error: schedulerNames: a list is expected, not a single value\n"},
    {HEAD "schedulerNames: []\n", "s.yaml:3:17: error: schedulerNames: the list is empty\n"},
    {HEAD "schedulerNames: [a, a]\n",
     "s.yaml:3:21: error: schedulerNames: \"a\" stands in the list twice\n"},
    {HEAD "schedulerNames: [A b]\n",
     "s.yaml:3:18: error: schedulerNames: \"A b\" is not a name of lower-case letters, digits, '-' "
     "and '.'\n"},
    {HEAD "schedulerNames: [a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q]\n",
     "s.yaml:3:50: error: schedulerNames: at most 16 names\n"},
    {HEAD "schedulerNames: [[a]]\n",
     "s.yaml:3:18: error: schedulerNames: a single value is expected, not a list\n"},
    {HEAD "topologyConfigMapNameSpace: a_b\n",
     "s.yaml:3:29: error: topologyConfigMapNameSpace: \"a_b\" is not a name of lower-case letters, "
     "digits, '-' and '.'\n"},
    {HEAD "extender: 5\n",
     "s.yaml:3:11: error: extender: a mapping is expected, not a single value\n"},
    {HEAD "planTimeout: {a: b}\n",
     "s.yaml:3:14: error: planTimeout: a single value is expected, not a mapping\n"},
    {HEAD "planTimeout: 5m\nplanTimeout: 4m\n",
     "s.yaml:4:1: error: key planTimeout twice (see 3:1)\n"},
    {HEAD "extender: {bindListen: '0.0.0.0:9661'}\n",
     "s.yaml:3:24: error: extender.bindListen: 0.0.0.0:9661 can be reached from other machines, so "
     "anybody there could steer scheduling: set extender.tls with a clientCAFile\n"},
    {HEAD "leaderElection: {mode: x}\n",
     "s.yaml:3:24: error: leaderElection.mode: \"x\" is not none or scheduler or lease\n"},
    {HEAD "leaderElection: {namespace: A}\n",
     "s.yaml:3:29: error: leaderElection.namespace: \"A\" is not a name of lower-case letters, "
     "digits, '-' and '.'\n"},
    {HEAD "extender: {tls: {certFile: a}}\n",
     "s.yaml:3:28: error: extender.tls.certFile is set without extender.tls.keyFile\n"},
    {HEAD "extender: {tls: {keyFile: a}}\n",
     "s.yaml:3:27: error: extender.tls.keyFile is set without extender.tls.certFile\n"},
    {HEAD "extender: {tls: {clientCAFile: a}}\n",
     "s.yaml:3:32: error: extender.tls.clientCAFile is set without extender.tls.certFile\n"},
    {HEAD "gate: {listen: ':1'}\n",
     "s.yaml:3:16: error: gate.listen is set without gate.certFile: API servers call webhooks over "
     "TLS only\n"},
    {HEAD "extender: {listen: '127.0.0.1:9662'}\n",
     "s.yaml:3:20: error: extender.listen and admin.listen are both 127.0.0.1:9662\n"},
    {HEAD "planTimeout: [5m\n",
     "s.yaml:4:1: error: not YAML: did not find expected ',' or ']', while parsing a flow "
     "sequence\n"},
    {HEAD "---\n" HEAD, "s.yaml:4:1: error: a second document; the file holds one\n"},
    {HEAD "planTimeout: 5x\nclient: {qps: a}\nzebra: 1\n",
     "s.yaml:3:14: error: planTimeout: \"5x\" is not a duration such as 50ms, 330s or 5m\n"
     "s.yaml:4:15: error: client.qps: \"a\" is not a whole number\n"
     "s.yaml:5:1: error: unknown key zebra\n"},
    /* Whatever stands there goes into every mixed pod, and the API server would refuse it. */
    {HEAD "spotmix: {nodeKey: a/b/c}\n",
     "s.yaml:3:20: error: spotmix.nodeKey: \"a/b/c\": name part must consist of alphanumeric "
     "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
     "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n"},
    {HEAD "spotmix: {spotValue: x y}\n",
     "s.yaml:3:22: error: spotmix.spotValue: \"x y\": a valid label must be an empty string or "
     "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
     "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
     "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\n"},
    {HEAD "spotmix: {onDemandValue: a, spotValue: a}\n",
     "s.yaml:3:40: error: spotmix.spotValue: \"a\" is onDemandValue, too: no node is spot\n"},
    {HEAD "spotmix: {preset: oke}\n", "s.yaml:3:19: error: spotmix.preset: \"oke\" is not "
                                      "default, karpenter, eks, gke or aks\n"},
    {HEAD "kubeconfig: \"a\\0b\"\n",
     "s.yaml:3:13: error: kubeconfig: the value contains a NUL byte\n"},
};

TEST(broken_files_are_refused_with_positions_all_errors_at_once)
{
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct skr_config *config;
        SKR_STRBUF(messages);
        int rc = parse(broken[i].text, &config, &messages);
        if (rc != -SKR_INVALID || strcmp(messages.s ? messages.s : "", broken[i].messages) != 0) {
            print_error("case %zu: %d\n%s%s", i, rc, broken[i].text, messages.s);
        }
        assert_string_equal(messages.s, broken[i].messages);
        assert_int_equal(rc, -SKR_INVALID);
        assert_null(config);
    }
}

static const struct {
    const char *text, *messages;
} warned[] = {
    {HEAD "planTimeout: 5m\nextender: {bindTimeout: 5m}\n",
     "s.yaml:4:25: warning: extender.bindTimeout (5m) should be at least planTimeout (5m) + 30s, "
     "or held calls end before their plan\n"},
    {HEAD "planTimeout: 10m\n",
     "s.yaml:3:14: warning: extender.bindTimeout (5m30s) should be at least planTimeout (10m) + "
     "30s, or held calls end before their plan\n"},
};

TEST(doubtful_files_are_accepted_with_a_warning)
{
    for (size_t i = 0; i < sizeof warned / sizeof warned[0]; i++) {
        SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
        SKR_STRBUF(messages);
        assert_int_equal(parse(warned[i].text, &config, &messages), 0);
        assert_string_equal(messages.s, warned[i].messages);
    }
}

TEST(the_section_of_the_spot_mix_becomes_its_settings)
{
    struct skr_spotmix_settings got, defaults;
    struct skr_config *config =
        parse_good(HEAD "spotmix: {preset: aks, nodeKey: example.com/class, onDemandValue: safe, "
                        "excludedNamespaces: 'a, b,,c', reservationTTLSeconds: 7, rebuild: none, "
                        "rolloutCost: false, keyPrefix: example.com/mix}\n");
    skr_config_spotmix_settings(config, &got);
    assert_string_equal(got.key_prefix, "example.com/mix");
    assert_string_equal(got.node_key, "example.com/class");
    assert_string_equal(got.expression[SKR_SPOTMIX_ON_DEMAND].op, "In");
    assert_string_equal(got.expression[SKR_SPOTMIX_ON_DEMAND].value[0], "safe");
    assert_string_equal(got.expression[SKR_SPOTMIX_SPOT].value[0], "spot");
    assert_true(got.tolerate_spot);
    assert_int_equal(got.n_excluded, 3);
    assert_string_equal(got.excluded[0], "a");
    assert_string_equal(got.excluded[1], "b");
    assert_string_equal(got.excluded[2], "c");
    assert_int_equal(got.reservation_ttl, 7 * SKR_SECOND);
    assert_int_equal(got.rebuild, SKR_SPOTMIX_REBUILD_NONE);
    assert_false(got.rollout_cost);
    skr_config_destroy(config);
    config = skr_config_default();
    skr_config_spotmix_settings(config, &got);
    skr_spotmix_settings_default(&defaults);
    assert_string_equal(got.key_prefix, defaults.key_prefix);
    assert_string_equal(got.node_key, defaults.node_key);
    assert_int_equal(got.n_excluded, defaults.n_excluded);
    assert_int_equal(got.reservation_ttl, defaults.reservation_ttl);
    assert_int_equal(got.rebuild, defaults.rebuild);
    assert_int_equal(got.rollout_cost, defaults.rollout_cost);
    skr_config_destroy(config);
}

TEST(trusted_namespaces_are_a_list_or_a_star)
{
    static const struct {
        const char *text, *value;
    } good[] = {{"[]", ""}, {"[a, b-c]", "a, b-c"}, {"[\"*\"]", "*"}, {"\"a, b\"", "a, b"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "priority: {trustedNamespaces: %s}\n", good[i].text);
        struct skr_config *config = parse_good(text);
        assert_string_equal(config->settings.priority_trusted, good[i].value);
        skr_config_destroy(config);
    }
    SKR_STRBUF(messages);
    struct skr_config *config = NULL;
    parse(HEAD "priority: {trustedNamespaces: [a, Team]}\n", &config, &messages);
    assert_string_equal(messages.s,
                        "s.yaml:3:35: error: priority.trustedNamespaces: \"Team\" is not a "
                        "namespace or *\n");
    skr_config_destroy(config);
}

TEST(kinds_of_namespaces_that_are_gangs_are_a_list)
{
    struct skr_config *config = parse_good(HEAD "derive: {kinds: [Job, TrainJob]}\n");
    assert_int_equal(config->settings.derive_kinds,
                     1u << SKR_WORKLOAD_JOB | 1u << SKR_WORKLOAD_JOBSET);
    skr_config_destroy(config);
    config = parse_good(HEAD "derive: {kinds: []}\n");
    assert_int_equal(config->settings.derive_kinds, 0);
    skr_config_destroy(config);
    static const char *const bad[][2] = {
        {"JobSets", "\"JobSets\" is not a kind of workload (did you mean JobSet?)"},
        {"other", "\"other\" is not a kind of workload"},
        {"'Job, JobSet'", "\"Job, JobSet\" is not a kind of workload"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200], want[200];
        SKR_STRBUF(messages);
        config = NULL;
        snprintf(text, sizeof text, HEAD "derive: {kinds: [Job, %s]}\n", bad[i][0]);
        snprintf(want, sizeof want, "s.yaml:3:23: error: derive.kinds: %s\n", bad[i][1]);
        parse(text, &config, &messages);
        assert_string_equal(messages.s, want);
        skr_config_destroy(config);
    }
}

TEST(listeners_on_port_zero_may_be_equal)
{
    skr_config_destroy(parse_good(HEAD "extender: {listen: '127.0.0.1:0', bindListen: "
                                       "'127.0.0.1:0'}\nadmin: {listen: '127.0.0.1:0'}\n"));
}

TEST(a_flood_of_findings_is_cut)
{
    SKR_STRBUF(text);
    SKR_STRBUF(messages);
    skr_strbuf_add(&text, HEAD);
    for (int i = 0; i < 100000; i++) {
        skr_strbuf_addf(&text, "k%d:\n", i);
    }
    struct skr_config *config;
    assert_int_equal(parse(text.s, &config, &messages), -SKR_INVALID);
    assert_non_null(strstr(messages.s, "s.yaml:66:1: error: unknown key k63\n"));
    assert_null(strstr(messages.s, "unknown key k64\n"));
    assert_non_null(strstr(messages.s, "more findings left out\n"));
}

TEST(aliases_that_contain_themselves_end)
{
    struct skr_config *config;
    SKR_STRBUF(messages);
    int rc = parse(HEAD "extender: &a {tls: *a, listen: *a}\n", &config, &messages);
    assert_int_equal(rc, -SKR_INVALID);
}

TEST(a_file_beyond_the_limit_or_absent_is_refused)
{
    struct skr_findings findings;
    struct skr_config *config = NULL;
    skr_findings_init(&findings);
    char *text = calloc(1, SKR_CONFIG_BYTES_MAX + 1);
    assert_non_null(text);
    memset(text, '#', SKR_CONFIG_BYTES_MAX + 1);
    assert_int_equal(skr_config_parse(text, SKR_CONFIG_BYTES_MAX + 1, &config, &findings),
                     -SKR_LIMIT);
    assert_string_equal(findings.item[0].text, "longer than 1048576 bytes");
    free(text);
    skr_findings_init(&findings);
    assert_int_equal(skr_config_load("/nonexistent", &config, &findings), -SKR_NOT_FOUND);
    assert_string_equal(findings.item[0].text, "cannot be read: No such file or directory");
}

/* ---- options of the command line ---- */

static int load_set(const char *const *set, size_t n, struct skr_config **ret,
                    struct skr_strbuf *messages)
{
    struct skr_findings findings;
    skr_findings_init(&findings);
    *ret = NULL;
    const int rc = skr_config_load_set("configs/sakkara.yaml", set, n, ret, &findings);
    skr_findings_write(&findings, "s.yaml", messages);
    return rc;
}

TEST(options_of_the_command_line_are_over_those_of_the_file_the_last_one_wins)
{
    static const char *const sets[] = {"spotmix.enabled=true", "planTimeout=60s",
                                       "topologyConfigMapNameSpace=a",
                                       "gate.listen=", "planTimeout=90s"};
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    SKR_STRBUF(messages);
    assert_int_equal(load_set(sets, 5, &config, &messages), 0);
    assert_int_equal(messages.len, 0);
    assert_true(config->spotmix.enabled);
    assert_int_equal(config->settings.plan_timeout, 90 * SKR_SECOND);
    assert_string_equal(config->settings.topology_namespace, "a");
}

TEST(rules_over_several_options_hold_for_those_of_the_command_line)
{
    static const char *const sets[] = {"gate.listen=0.0.0.0:9443", "admin.listen=0.0.0.0:9662"};
    struct skr_config *config;
    SKR_STRBUF(messages);
    assert_int_equal(load_set(sets, 2, &config, &messages), -SKR_INVALID);
    assert_non_null(strstr(messages.s, "gate.listen is set without gate.certFile"));
    assert_non_null(strstr(messages.s, "admin.listen: 0.0.0.0:9662 can be reached from other"));
}

TEST(what_is_wrong_with_options_of_the_command_line_is_named_all_at_once)
{
    static const char *const sets[] = {"planTimeuot=1s", "planTimeout=5x", "schedulerNames=a",
                                       "preemption", "=1"};
    struct skr_config *config;
    SKR_STRBUF(messages);
    assert_int_equal(load_set(sets, 5, &config, &messages), -SKR_INVALID);
    assert_string_equal(
        messages.s,
        "s.yaml: error: --set planTimeuot=1s: unknown key (did you mean planTimeout?)\n"
        "s.yaml: error: --set planTimeout=5x: \"5x\" is not a duration such as 50ms, 330s or 5m\n"
        "s.yaml: error: --set schedulerNames=a: a list is set in the file\n"
        "s.yaml: error: --set preemption: KEY=VALUE is expected\n"
        "s.yaml: error: --set =1: KEY=VALUE is expected\n");
}

TEST(without_a_file_options_of_the_command_line_are_over_the_defaults)
{
    static const char *const sets[] = {"client.qps=7"};
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    struct skr_findings findings;
    skr_findings_init(&findings);
    assert_int_equal(skr_config_load_set(NULL, sets, 1, &config, &findings), 0);
    assert_int_equal(config->client_qps, 7);
}

static const struct {
    const char *text;
    int rc;
    skr_time value;
    const char *written;
} durations[] = {
    {"0", 0, 0, "0"},
    {"50ms", 0, 50 * SKR_MILLISECOND, "50ms"},
    {"330s", 0, 330 * SKR_SECOND, "5m30s"},
    {"1h30m", 0, 5400 * SKR_SECOND, "1h30m"},
    {"1.5s", 0, 1500 * SKR_MILLISECOND, "1s500ms"},
    {".5s", 0, 500 * SKR_MILLISECOND, "500ms"},
    {"1.000000001s", 0, SKR_SECOND + 1, "1s1ns"},
    {"1.0000000009s", 0, SKR_SECOND, "1s"},
    {"7us9ns", 0, 7009, "7us9ns"},
    {"2562047h", 0, 3600 * SKR_SECOND * 2562047, "2562047h"},
    {"2562048h", -SKR_LIMIT, 0, NULL},
    {"99999999999999999999s", -SKR_LIMIT, 0, NULL},
    {"", -SKR_INVALID, 0, NULL},
    {"5", -SKR_INVALID, 0, NULL},
    {"s", -SKR_INVALID, 0, NULL},
    {".s", -SKR_INVALID, 0, NULL},
    {"-5s", -SKR_INVALID, 0, NULL},
    {"5s ", -SKR_INVALID, 0, NULL},
    {"5 s", -SKR_INVALID, 0, NULL},
    {"5m3", -SKR_INVALID, 0, NULL},
};

TEST(durations_are_those_of_go)
{
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        skr_time value = -1;
        char text[SKR_DURATION_TEXT_MAX];
        int rc = skr_duration_parse(durations[i].text, &value, NULL);
        if (rc != durations[i].rc || (rc == 0 && value != durations[i].value)) {
            fail_msg("%s: %d %lld", durations[i].text, rc, (long long)value);
        }
        if (rc == 0) {
            skr_duration_write(value, text, sizeof text);
            assert_string_equal(text, durations[i].written);
        }
    }
}

TEST(suggestions_are_near)
{
    static const char *const words[] = {"serve", "demo", "version", "help"};
    assert_string_equal(skr_suggest("serv", words, 4), "serve");
    assert_string_equal(skr_suggest("sevre", words, 4), "serve");
    assert_string_equal(skr_suggest("Version", words, 4), "version");
    assert_null(skr_suggest("banana", words, 4));
    assert_null(skr_suggest("", words, 4));
    assert_null(skr_suggest("x", words, 4));
}
