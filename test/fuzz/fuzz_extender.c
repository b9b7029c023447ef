/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sandbox's kube-scheduler is told by others. Two parts: a KubeSchedulerConfiguration, of
 * which nothing or reasons with positions are left; and the answer of an extender, read as one to
 * filter, to prioritize and to bind.
 */
#include "server/lab/sandbox/extender_json.h"
#include "server/manifest/scheduler_config.h"
#include "test/fuzz/findings.h"
#include "test/fuzz/fuzz.h"

enum { NODES = 3 };
static const char *const node[NODES] = {"n0", "n1", "n2"};

static void check_config(const struct skr_scheduler_config *c)
{
    size_t binders = 0;
    bool ignorable = false;
    fuzz_check(c->n_names >= 1 && c->n_names <= SKR_SCHEDULER_PROFILES_MAX);
    fuzz_check(c->percentage >= 0 && c->percentage <= 100);
    fuzz_check(c->initial_backoff > 0 && c->max_backoff >= c->initial_backoff);
    fuzz_check(c->n_extenders <= SKR_SCHEDULER_EXTENDERS_MAX);
    for (size_t i = 0; i < c->n_extenders; i++) {
        const struct skr_scheduler_extender *e = &c->extender[i];
        fuzz_check(strncmp(e->url, "http://", 7) == 0 && e->timeout > 0);
        fuzz_check(e->weight >= 0 && e->weight <= SKR_SCHEDULER_WEIGHT_MAX);
        fuzz_check(e->prioritize_verb[0] == '\0' || e->weight > 0);
        fuzz_check(e->n_managed <= SKR_SCHEDULER_MANAGED_MAX);
        fuzz_check(!ignorable || e->ignorable);
        ignorable = e->ignorable;
        binders += e->bind_verb[0] != '\0';
    }
    fuzz_check(binders <= 1);
}

static void read_config(const char *text, size_t n)
{
    struct skr_findings findings;
    struct skr_scheduler_config *config = NULL;
    skr_findings_init(&findings);
    int rc = skr_scheduler_config_parse(text, n, &config, &findings);
    fuzz_check(rc == 0 || rc == -SKR_INVALID || rc == -SKR_LIMIT);
    fuzz_check((rc == 0) == (!!config) && (rc < 0) == (findings.n_errors > 0));
    if (config) {
        check_config(config);
    }
    skr_scheduler_config_destroy(config);
    fuzz_check_findings(&findings, n);
}

/* A reason is a text, and a node that passes was asked about. */
static void read_filter(const json_t *answer, bool names)
{
    uint8_t passes[NODES] = {0};
    const char *why[NODES] = {NULL};
    struct skr_error error = {.code = SKR_OK};
    int rc = skr_extender_read_filter(answer, "http://x", names, node, NODES, passes, why, &error);
    fuzz_check((rc < 0) == (error.text[0] != '\0'));
    for (size_t i = 0; rc == 0 && i < NODES; i++) {
        fuzz_check(passes[i] <= 1);
        fuzz_check(!why[i] || fuzz_is_utf8(why[i], strlen(why[i])));
    }
}

static void read_answer(const char *text, size_t n)
{
    struct skr_error error = {.code = SKR_OK};
    int32_t score[NODES] = {0};
    json_t *answer = NULL;
    if (skr_extender_decode(text, n, &answer, &error) < 0) {
        fuzz_check(!answer && error.text[0] != '\0');
        return;
    }
    read_filter(answer, true);
    read_filter(answer, false);
    (void)skr_extender_read_binding(answer, &error);
    (void)skr_extender_read_scores(answer, SKR_SCHEDULER_WEIGHT_MAX, node, NODES, score, &error);
    for (size_t i = 0; i < NODES; i++) {
        fuzz_check(score[i] >= -100000000 && score[i] <= 100000000);
    }
    json_decref(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *part[2] = {NULL, NULL};
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    size_t n = fuzz_split(text, part, 2);
    read_config(part[0], strlen(part[0]));
    if (n == 2) {
        read_answer(part[1], size - (size_t)(part[1] - text));
    }
    return 0;
}
