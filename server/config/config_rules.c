/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rule looks at the values after the file and the command line, and at the place of a value only
 * to say where it is wrong.
 */
#include "server/config/config_rules.h"

#include <string.h>

#include "core/spotmix/settings.h"
#include "server/config/address.h"
#include "server/config/option.h"
#include "server/object/names.h"
#include "topology/duration.h"

struct reader {
    struct skr_config *config;
    const struct skr_yaml_mark *at; /* as skr_config_check_rules() */
    struct skr_findings *findings;
};

#define add_error(reader, code, where, ...) \
    skr_findings_add((reader)->findings, true, code, (where).line, (where).column, __VA_ARGS__)
#define add_warning(reader, code, where, ...) \
    skr_findings_add((reader)->findings, false, code, (where).line, (where).column, __VA_ARGS__)

static struct skr_yaml_mark where(const struct reader *r, const char *key)
{
    ptrdiff_t i = skr_option_find(key);
    skr_bug_on(i < 0);
    return r->at[i];
}

static void check_required(struct reader *r)
{
    for (size_t i = 0; i < skr_option_count; i++) {
        if (skr_options[i].type == SKR_OPTION_FIXED && r->at[i].line == 0) {
            struct skr_yaml_mark start = {1, 1};
            add_error(r, "MissingKey", start, "%s is missing; write \"%s: %s\"", skr_options[i].key,
                      skr_options[i].key, skr_options[i].fallback);
        }
    }
}

static void check_pair(struct reader *r, const char *cert_key, const char *cert,
                       const char *key_key, const char *key)
{
    if (cert[0] && !key[0]) {
        add_error(r, "IncompleteTLS", where(r, cert_key), "%s is set without %s", cert_key,
                  key_key);
    }
    if (key[0] && !cert[0]) {
        add_error(r, "IncompleteTLS", where(r, key_key), "%s is set without %s", key_key, cert_key);
    }
}

static void check_tls(struct reader *r)
{
    const struct skr_config *c = r->config;
    check_pair(r, "extender.tls.certFile", c->tls.cert_file, "extender.tls.keyFile",
               c->tls.key_file);
    check_pair(r, "admin.tls.certFile", c->admin_tls.cert_file, "admin.tls.keyFile",
               c->admin_tls.key_file);
    check_pair(r, "gate.certFile", c->gate_tls.cert_file, "gate.keyFile", c->gate_tls.key_file);
    check_pair(r, "spotmix.certFile", c->spotmix.tls.cert_file, "spotmix.keyFile",
               c->spotmix.tls.key_file);
    if (c->spotmix.enabled && c->spotmix.files && !c->spotmix.tls.cert_file[0]) {
        add_error(r, "IncompleteTLS", where(r, "spotmix.certificates"),
                  "spotmix.certificates is \"files\" without spotmix.certFile: API servers call "
                  "webhooks over TLS only");
    }
    if (!c->spotmix.files && c->spotmix.tls.cert_file[0]) {
        add_error(r, "IncompleteTLS", where(r, "spotmix.certFile"),
                  "spotmix.certFile is read with spotmix.certificates: files only");
    }
    if (c->spotmix.authority_lifetime / 3 < c->spotmix.certificate_lifetime) {
        struct skr_yaml_mark at = where(r, "spotmix.authorityLifetime");
        add_error(r, "InvalidValue", at.line ? at : where(r, "spotmix.certificateLifetime"),
                  "spotmix.authorityLifetime is less than three times "
                  "spotmix.certificateLifetime: certificates would outlive their authority");
    }
    if (c->tls.client_ca_file[0] && !c->tls.cert_file[0]) {
        add_error(r, "IncompleteTLS", where(r, "extender.tls.clientCAFile"),
                  "extender.tls.clientCAFile is set without extender.tls.certFile");
    }
    if (c->admin_tls.client_ca_file[0] && !c->admin_tls.cert_file[0]) {
        add_error(r, "IncompleteTLS", where(r, "admin.tls.clientCAFile"),
                  "admin.tls.clientCAFile is set without admin.tls.certFile");
    }
    if (c->gate_listen[0] && !c->gate_tls.cert_file[0]) {
        add_error(r, "IncompleteTLS", where(r, "gate.listen"),
                  "gate.listen is set without gate.certFile: API servers call webhooks over TLS "
                  "only");
    }
}

/* What the API server refuses would be refused with every pod that it is written on. "" is unset. */
static void check_label(struct reader *r, const char *key, const char *text,
                        const char *(*judge)(const char *text))
{
    const char *why = *text != '\0' ? judge(text) : NULL;
    if (why) {
        add_error(r, "InvalidValue", where(r, key), "%s: \"%.80s\": %s", key, text, why);
    }
}

static void check_spotmix(struct reader *r)
{
    const struct skr_config_spotmix *c = &r->config->spotmix;
    struct skr_spotmix_settings settings;
    struct skr_spotmix_keys keys;
    struct skr_error error;
    if (!skr_spotmix_settings_preset(&settings, c->preset)) {
        add_error(r, "InvalidValue", where(r, "spotmix.preset"),
                  "spotmix.preset: \"%.64s\" is not default, karpenter, eks, gke or aks",
                  c->preset);
    }
    if (skr_spotmix_keys_init(&keys, c->key_prefix, &error) != 0) {
        add_error(r, "InvalidValue", where(r, "spotmix.keyPrefix"), "spotmix.%s", error.text);
    }
    check_label(r, "spotmix.keyPrefix", c->key_prefix, skr_name_qualified);
    check_label(r, "spotmix.nodeKey", c->node_key, skr_name_qualified);
    check_label(r, "spotmix.onDemandValue", c->on_demand_value, skr_name_label_value);
    check_label(r, "spotmix.spotValue", c->spot_value, skr_name_label_value);
    if (*c->spot_value != '\0' && strcmp(c->on_demand_value, c->spot_value) == 0) {
        add_error(r, "InvalidValue", where(r, "spotmix.spotValue"),
                  "spotmix.spotValue: \"%.63s\" is onDemandValue, too: no node is spot",
                  c->spot_value);
    }
}

static void check_topology(struct reader *r)
{
    struct skr_config_topology *t = &r->config->topology;
    struct skr_error error;
    if (t->preset[0] && t->levels.n > 0) {
        add_error(r, "InvalidValue", where(r, "topology.levels"),
                  "topology.levels is set beside topology.preset: one of them makes the tree");
        return;
    }
    if (t->preset[0] && skr_label_levels_choose(t->preset, "", &t->levels, &error) < 0) {
        add_error(r, "InvalidValue", where(r, "topology.preset"), "topology.preset: %s",
                  error.text);
        return;
    }
    if (!skr_label_levels_set_missing(&t->levels, t->missing)) {
        add_error(r, "InvalidValue", where(r, "topology.missing"),
                  "topology.missing: \"%.64s\" is neither exclude nor pad", t->missing);
    }
    if (t->missing[0] && t->levels.n == 0) {
        add_error(r, "InvalidValue", where(r, "topology.missing"),
                  "topology.missing is set without topology.preset or topology.levels");
    }
    r->config->settings.label_levels = t->levels.n > 0 ? &t->levels : NULL;
}

static const char *const listen_keys[] = {
    "extender.listen", "extender.bindListen", "admin.listen",  "gate.listen",
    "admin.probes",    "spotmix.listen",      "metrics.listen"};
enum { N_LISTEN = sizeof listen_keys / sizeof listen_keys[0] };

static bool has_port_zero(const char *text)
{
    const char *colon = strrchr(text, ':');
    return !colon || strcmp(colon, ":0") == 0;
}

static bool is_open(const char *listen)
{
    struct sockaddr_storage address;
    socklen_t length;
    return skr_address_parse(listen, &address, &length, NULL) == 0 &&
           !skr_address_is_loopback(&address);
}

static void check_listeners(struct reader *r)
{
    const struct skr_config *c = r->config;
    const char *text[N_LISTEN] = {c->extender_listen, c->bind_listen,
                                  c->admin_listen,    c->gate_listen,
                                  c->probes_listen,   c->spotmix.enabled ? c->spotmix.listen : "",
                                  c->metrics_listen};
    for (size_t i = 0; i < N_LISTEN; i++) {
        for (size_t j = 0; j < i; j++) {
            if (text[i][0] && strcmp(text[i], text[j]) == 0 && !has_port_zero(text[i])) {
                struct skr_yaml_mark at = where(r, listen_keys[i]);
                at = at.line ? at : where(r, listen_keys[j]);
                add_error(r, "ListenConflict", at, "%s and %s are both %s", listen_keys[j],
                          listen_keys[i], text[i]);
            }
        }
    }
    if (is_open(c->admin_listen) && !c->admin_tls.client_ca_file[0]) {
        add_error(
            r, "OpenListener", where(r, "admin.listen"),
            "admin.listen: %s can be reached from other machines, so anybody there could read "
            "groups, trees and metrics: set admin.tls with a clientCAFile, or leave it on the "
            "loopback; probes have admin.probes, metrics have metrics.listen",
            c->admin_listen);
    }
    for (size_t i = 0; i < 2; i++) {
        if (is_open(text[i]) && !c->tls.client_ca_file[0]) {
            add_error(r, "OpenListener", where(r, listen_keys[i]),
                      "%s: %s can be reached from other machines, so anybody there could steer "
                      "scheduling: set extender.tls with a clientCAFile",
                      listen_keys[i], text[i]);
        }
    }
}

static void check_estimators(struct reader *r)
{
    const struct skr_config_estimators *c = &r->config->estimators;
    check_pair(r, "karmada.estimators.certFile", c->cert_file, "karmada.estimators.keyFile",
               c->key_file);
    if (c->cert_file[0] && !c->ca_file[0] && !c->insecure) {
        add_error(
            r, "IncompleteTLS", where(r, "karmada.estimators.certFile"),
            "karmada.estimators.certFile is set without karmada.estimators.caFile: estimators "
            "would be asked without TLS");
    }
}

static void check_timeouts(struct reader *r)
{
    const struct skr_settings *s = &r->config->settings;
    if (s->bind_timeout < s->plan_timeout + 30 * SKR_SECOND) {
        char bind[SKR_DURATION_TEXT_MAX], plan[SKR_DURATION_TEXT_MAX];
        skr_duration_write(s->bind_timeout, bind, sizeof bind);
        skr_duration_write(s->plan_timeout, plan, sizeof plan);
        struct skr_yaml_mark at = where(r, "extender.bindTimeout");
        add_warning(r, "BindTimeout", at.line ? at : where(r, "planTimeout"),
                    "extender.bindTimeout (%s) should be at least planTimeout (%s) + 30s, or held "
                    "calls end before their plan",
                    bind, plan);
    }
}

void skr_config_check_rules(struct skr_config *config, const struct skr_yaml_mark at[],
                            struct skr_findings *findings)
{
    struct reader r = {config, at, findings};
    check_required(&r);
    check_tls(&r);
    check_spotmix(&r);
    check_topology(&r);
    check_listeners(&r);
    check_timeouts(&r);
    check_estimators(&r);
}
