/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig files. */
#include "server/kube/kubeconfig.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_findings findings;
    struct skr_kube_access access;
    skr_findings_init(&findings);
    skr_kube_access_init(&access);
    int rc =
        skr_kubeconfig_parse((const char *)data, size, "/nonexistent/config", &access, &findings);
    skr_bug_on((rc < 0) != (findings.n_errors > 0));
    skr_kube_access_fini(&access);
    return 0;
}
