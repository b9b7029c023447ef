/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration file. */
#include "server/config.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_findings findings;
    struct skr_strbuf out;
    struct skr_config *config = NULL;
    skr_findings_init(&findings);
    skr_strbuf_init(&out);
    int rc = skr_config_parse((const char *)data, size, &config, &findings);
    /* Either a configuration or a reason. */
    skr_bug_on((rc == 0) != (config != NULL) || (rc < 0) != (findings.n_errors > 0));
    skr_findings_write(&findings, "f", &out);
    skr_strbuf_fini(&out);
    skr_config_destroy(config);
    return 0;
}
