/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as CSV: jobs that are read are within their limits and in order, or some defect is told. */
#include "core/group/group.h"
#include "server/lab/replay/cluster.h"
#include "server/lab/replay/jobs.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_replay_cluster cluster;
    struct skr_replay_jobs jobs;
    struct skr_findings findings;
    struct skr_error error;
    fuzz_check(skr_replay_cluster_parse("racks=2,nodes=2,slots=8", &cluster, &error) == 0);
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    skr_findings_init(&findings);
    const bool good = skr_replay_jobs_parse(text, size, cluster.tree, &findings, &jobs);
    fuzz_check(good == (findings.n_errors == 0));
    for (size_t i = 0; i < findings.n; i++) {
        fuzz_check(findings.item[i].line > 0 && findings.item[i].column > 0);
    }
    for (size_t i = 0; i < jobs.n; i++) {
        const struct skr_replay_job *job = &jobs.job[i];
        fuzz_check(job->arrival >= 0 && job->run >= 0 && job->limit > 0 && job->rule);
        fuzz_check(job->size >= 1 && job->size <= SKR_GROUP_SIZE_MAX && *job->name);
        fuzz_check(job->demand >= 1 && job->demand <= SKR_REPLAY_SLOTS_MAX);
        fuzz_check(i == 0 || jobs.job[i - 1].arrival <= job->arrival);
    }
    skr_replay_jobs_fini(&jobs);
    SKR_STRBUF(words); /* the same bytes as a cluster */
    skr_strbuf_add(&words, text);
    skr_replay_cluster_fini(&cluster);
    const int rc = skr_replay_cluster_parse(words.s, &cluster, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        fuzz_check(cluster.tree->n_leaves <= SKR_REPLAY_NODES_MAX);
        skr_replay_cluster_fini(&cluster);
    }
    return 0;
}
