/* SPDX-License-Identifier: Apache-2.0 */
/* One round over the engine of a dump. */
#include "server/lab/simulate/timeline.h"

#include "server/clock.h"
#include "server/exit_code.h"
#include "server/lab/simulate/dump.h"

struct timeline {
    const struct skr_simulate_timeline_options *options;
    struct skr_strbuf *out, *messages;
    struct skr_simulate_dump dump;
    skr_time now;
};

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

static int run_round(struct timeline *t)
{
    const struct skr_timeline_request request = {
        .now = t->now,
        .preempt = t->options->preempt,
        .moves_most = t->options->moves ? (int32_t)t->dump.config->settings.moves_most : 0,
        .moves_after = skr_instant_up(t->dump.config->settings.move_after)};
    struct skr_timeline_answer answer;
    struct skr_error error;
    const int rc = skr_gang_timeline(skr_simulate_dump_gang(&t->dump), &request, &answer, &error);
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

static int read_dump(struct timeline *t)
{
    const struct skr_simulate_timeline_options *o = t->options;
    int code = skr_simulate_dump_init(&t->dump, o->config, t->messages);
    code = code == SKR_EXIT_OK ? read_now(t) : code;
    return code == SKR_EXIT_OK
               ? skr_simulate_dump_read(&t->dump, o->file, o->n_files, t->now, t->messages)
               : code;
}

int skr_simulate_timeline_run(const struct skr_simulate_timeline_options *options,
                              struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct timeline t = {.options = options, .out = out, .messages = messages};
    int code = read_dump(&t);
    code = code == SKR_EXIT_OK ? run_round(&t) : code;
    skr_simulate_dump_fini(&t.dump);
    return code;
}

int skr_simulate_timeline_page(const struct skr_simulate_timeline_options *options,
                               const struct skr_view_query *query, json_t **ret,
                               struct skr_strbuf *messages)
{
    struct timeline t = {.options = options, .messages = messages};
    int code = read_dump(&t);
    *ret = NULL;
    if (code == SKR_EXIT_OK) {
        *ret = skr_simulate_dump_page(&t.dump, query, t.now, "sakkara timeline", messages);
        code = *ret ? SKR_EXIT_OK : SKR_EXIT_NOT_FOUND;
    }
    skr_simulate_dump_fini(&t.dump);
    return code;
}
