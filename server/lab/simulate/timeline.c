/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the files into a store, which sets the defaults of an API server, and an engine from it. */
#include "server/lab/simulate/timeline.h"

#include <string.h>

#include "core/gang/scheduler.h"
#include "server/clock.h"
#include "server/config/config.h"
#include "server/exit_code.h"
#include "server/lab/driver/driver.h"
#include "server/lab/simulate/input.h"
#include "server/lab/simulate/topology.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

struct timeline {
    const struct skr_simulate_timeline_options *options;
    struct skr_strbuf *out, *messages;
    struct skr_config *config;
    struct skr_settings settings;
    char *topology_namespace; /* named by the objects; NULL: the configuration's */
    struct skr_simulate_input input;
    skr_time now;
    struct skr_store *store;
    struct skr_driver *driver;
    struct skr_pod_times times; /* of the pod that was asked for last */
};

/* ---- input ---- */

static int read_config(struct timeline *t)
{
    struct skr_findings findings;
    if (t->options->config) {
        skr_findings_init(&findings);
        skr_config_load(t->options->config, &t->config, &findings);
        skr_findings_write(&findings, t->options->config, t->messages);
    } else {
        t->config = skr_config_default();
    }
    if (!t->config) {
        return SKR_EXIT_ERROR;
    }
    t->settings = t->config->settings;
    t->settings.instance = "simulate";
    t->settings.explain_waiting = false;
    return SKR_EXIT_OK;
}

static int read_now(struct timeline *t)
{
    struct skr_clock clock;
    struct skr_error error;
    skr_clock_init(&clock);
    t->now = skr_clock_now(&clock);
    if (t->options->now && skr_time_parse(t->options->now, &t->now, &error) < 0) {
        skr_strbuf_addf(t->messages, "--now: %s\n", error.text);
        return SKR_EXIT_USAGE;
    }
    t->now -= t->now % SKR_SECOND;
    return SKR_EXIT_OK;
}

static void keep_going(void *context)
{
    (void)context;
}

/* The objects as the engine sees them. The first plan would come after planDelay, which is not
 * waited for. */
static int load(struct timeline *t)
{
    skr_simulate_input_finish(&t->input, t->messages);
    if (t->input.n_steps > 0) {
        skr_strbuf_add(t->messages,
                       "warning: Scenario documents are left out: nothing is played here\n");
    }
    if (t->options->config) {
        skr_simulate_topology_warn(&t->input, t->settings.topology_namespace, t->messages);
    } else {
        t->topology_namespace = skr_strdup(skr_simulate_topology_namespace(
            &t->input, t->settings.topology_namespace, t->messages));
        t->settings.topology_namespace = t->topology_namespace;
    }
    t->store = skr_store_create(0);
    if (skr_simulate_input_load(&t->input, t->store, t->now, keep_going, NULL, t->messages) < 0) {
        return SKR_EXIT_ERROR;
    }
    const struct skr_driver_options options = {.scheduler = &skr_gang_scheduler,
                                               .settings = &t->settings,
                                               .instance = t->settings.instance};
    t->driver = skr_driver_create(&options, t->store);
    skr_driver_start(t->driver, t->now);
    return SKR_EXIT_OK;
}

/* ---- the round ---- */

/* The Job that controls the pod; NULL: none. */
static const json_t *job_of(const struct timeline *t, const json_t *pod)
{
    const json_t *owner;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(pod, "metadata"), "ownerReferences"), i,
                       owner)
    {
        if (json_is_true(json_object_get(owner, "controller")) &&
            strcmp(skr_path_text(owner, "kind"), "Job") == 0) {
            return skr_store_get(t->store, "Job", skr_path_text(pod, "metadata.namespace"),
                                 skr_path_text(owner, "name"));
        }
    }
    return NULL;
}

static const struct skr_pod_times *times_of(void *context, const char *namespace_, const char *name)
{
    struct timeline *t = context;
    const json_t *pod = skr_store_get(t->store, "Pod", namespace_, name);
    if (!pod) {
        return NULL;
    }
    skr_pod_times_read(pod, job_of(t, pod), &t->times);
    return &t->times;
}

static int run_round(struct timeline *t)
{
    const skr_time patience = t->config->time.patience;
    const struct skr_timeline_request request = {
        .now = t->now,
        .reservations = (int32_t)t->config->time.reservations,
        .forecasts = (int32_t)t->config->time.forecasts,
        .patience = patience == SKR_TIME_NEVER ? SKR_INSTANT_NEVER : skr_instant_up(patience),
        .times = times_of,
        .context = t};
    struct skr_timeline_answer answer;
    struct skr_error error;
    struct skr_gang *gang = skr_engine_self(skr_driver_engine(t->driver));
    const int rc = skr_gang_timeline(gang, &request, &answer, &error);
    if (rc < 0) {
        skr_strbuf_addf(t->messages, "sakkara simulate timeline: %s\n", error.text);
    } else if (t->options->json) {
        skr_timeline_write_json(&answer, t->out);
    } else {
        skr_timeline_write_text(&answer, t->out);
    }
    skr_timeline_answer_fini(&answer);
    return rc < 0 ? SKR_EXIT_ERROR : SKR_EXIT_OK;
}

int skr_simulate_timeline_run(const struct skr_simulate_timeline_options *options,
                              struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct timeline t = {.options = options, .out = out, .messages = messages};
    skr_simulate_input_init(&t.input);
    int code = read_config(&t);
    code = code == SKR_EXIT_OK ? read_now(&t) : code;
    t.input.label_levels = t.settings.label_levels;
    if (code == SKR_EXIT_OK) {
        code = skr_simulate_input_read_all(&t.input, options->file, options->n_files, messages);
    }
    code = code == SKR_EXIT_OK ? load(&t) : code;
    code = code == SKR_EXIT_OK ? run_round(&t) : code;
    if (t.driver) {
        skr_driver_destroy(t.driver);
    }
    skr_store_destroy(t.store);
    skr_simulate_input_fini(&t.input);
    free(t.topology_namespace);
    skr_config_destroy(t.config);
    return code;
}
