/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration file: a configuration within the ranges of its options, or reasons
 * with positions; the same twice. */
#include "server/config/config.h"
#include "server/object/names.h"
#include "test/fuzz/findings.h"
#include "test/fuzz/fuzz.h"

static void check_config(const struct skr_config *c)
{
    const struct skr_settings *s = &c->settings;
    fuzz_check(s->n_scheduler_names >= 1 && s->n_scheduler_names <= SKR_SCHEDULER_NAMES_MAX);
    for (size_t i = 0; i < s->n_scheduler_names; i++) {
        fuzz_check(!skr_name_dns_subdomain(s->scheduler_name[i]));
        for (size_t k = 0; k < i; k++) {
            fuzz_check(strcmp(s->scheduler_name[i], s->scheduler_name[k]) != 0);
        }
    }
    fuzz_check(!skr_name_dns_subdomain(s->topology_namespace));
    fuzz_check(s->plan_timeout > 0 && s->plan_delay >= 0 && s->bind_timeout > 0);
    fuzz_check(s->preempt_force_after > 0 && s->release_gate_after > 0);
    fuzz_check(s->tie_break < SKR_TIE_BREAK_COUNT);
    fuzz_check(c->kubeconfig && c->extender_listen && c->bind_listen && c->admin_listen);
    fuzz_check(c->gate_listen && c->tls.cert_file && c->tls.key_file && c->tls.client_ca_file);
    fuzz_check(c->gate_tls.cert_file && c->gate_tls.key_file);
    fuzz_check((c->tls.cert_file[0] == '\0') == (c->tls.key_file[0] == '\0'));
    fuzz_check(c->client_qps > 0 && c->client_burst > 0);
}

static int parse(const uint8_t *data, size_t size, struct skr_findings *findings)
{
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    skr_findings_init(findings);
    int rc = skr_config_parse((const char *)data, size, &config, findings);
    fuzz_check(rc == 0 || rc == -SKR_INVALID || rc == -SKR_LIMIT);
    fuzz_check((rc == 0) == (!!config) && (rc < 0) == (findings->n_errors > 0));
    if (config) {
        check_config(config);
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_findings findings, again;
    int rc = parse(data, size, &findings);
    fuzz_check(parse(data, size, &again) == rc);
    fuzz_check(findings.n == again.n && findings.n_errors == again.n_errors);
    fuzz_check_findings(&findings, size);
    return 0;
}
