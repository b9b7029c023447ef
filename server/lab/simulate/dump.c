/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lab/simulate/dump.h"

#include <stdlib.h>
#include <string.h>

#include "core/gang/scheduler.h"
#include "server/exit_code.h"
#include "server/lab/simulate/topology.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

int skr_simulate_dump_init(struct skr_simulate_dump *dump, const char *config,
                           struct skr_strbuf *messages)
{
    *dump = (struct skr_simulate_dump){0};
    skr_simulate_input_init(&dump->input);
    dump->config = skr_simulate_config(config, messages);
    if (!dump->config) {
        return SKR_EXIT_ERROR;
    }
    dump->settings = dump->config->settings;
    dump->settings.instance = "simulate";
    dump->settings.explain_waiting = false;
    dump->settings.on_paper = true;
    dump->input.label_levels = dump->settings.label_levels;
    if (!config) {
        dump->settings.topology_namespace = NULL; /* that of the objects */
    }
    return SKR_EXIT_OK;
}

static void keep_going(void *context)
{
    (void)context;
}

int skr_simulate_dump_read(struct skr_simulate_dump *dump, const char *const *file, size_t n,
                           skr_time now, struct skr_strbuf *messages)
{
    const char *usual = dump->config->settings.topology_namespace;
    const int code = skr_simulate_input_read_all(&dump->input, file, n, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    skr_simulate_input_finish(&dump->input, messages);
    skr_simulate_input_kinds(&dump->input, &dump->settings, messages);
    if (dump->input.n_steps > 0) {
        skr_strbuf_add(messages,
                       "warning: Scenario documents are left out: nothing is played here\n");
    }
    if (dump->settings.topology_namespace) {
        skr_simulate_topology_warn(&dump->input, usual, messages);
    } else {
        dump->topology_namespace =
            skr_strdup(skr_simulate_topology_namespace(&dump->input, usual, messages));
        dump->settings.topology_namespace = dump->topology_namespace;
    }
    dump->store = skr_store_create(0);
    if (skr_simulate_input_load(&dump->input, dump->store, now, keep_going, NULL, messages) < 0) {
        return SKR_EXIT_ERROR;
    }
    const struct skr_driver_options options = {.scheduler = &skr_gang_scheduler,
                                               .settings = &dump->settings,
                                               .instance = dump->settings.instance};
    dump->driver = skr_driver_create(&options, dump->store);
    skr_driver_start(dump->driver, now); /* the first plan would come after planDelay */
    return SKR_EXIT_OK;
}

json_t *skr_simulate_dump_page(const struct skr_simulate_dump *dump,
                               const struct skr_view_query *query, skr_time now, const char *about,
                               struct skr_strbuf *messages)
{
    SKR_STRBUF(page);
    const int code = skr_gang_view(skr_simulate_dump_gang(dump), query, now, &page);
    json_t *json = json_loadb(page.s, page.len, 0, NULL);
    if (code != 200) {
        const char *text = skr_object_text(json, "message");
        text += strncmp(text, "sakkara: ", 9) == 0 ? 9 : 0;
        skr_strbuf_addf(messages, "%s: %s\n", about, text);
        json_decref(json);
        json = NULL;
    }
    return json;
}

struct skr_gang *skr_simulate_dump_gang(const struct skr_simulate_dump *dump)
{
    return skr_engine_self(skr_driver_engine(dump->driver));
}

void skr_simulate_dump_fini(struct skr_simulate_dump *dump)
{
    if (dump->driver) {
        skr_driver_destroy(dump->driver);
    }
    skr_store_destroy(dump->store);
    skr_simulate_input_fini(&dump->input);
    free(dump->topology_namespace);
    skr_config_destroy(dump->config);
}
