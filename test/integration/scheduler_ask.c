/* SPDX-License-Identifier: Apache-2.0 */
/* What kube-scheduler asks about nodes, filter and prioritize, and what answers have to be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "test/integration/scheduler_parts.h"

#define FILTER_TIMEOUT_MS 30000L

/* Sends pod and names to a verb; the answer, or NULL (no answer, or not as it must be). Lock not
 * held. */
static json_t *ask(struct scheduler *s, const char *verb, const json_t *pod, const json_t *names,
                   uint16_t port)
{
    char path[64];
    json_auto_t *request = json_pack("{s:O,s:n,s:O}", "Pod", pod, "Nodes", "NodeNames", names);
    SKR_AUTO_FREE char *body = json_dumps(request, JSON_COMPACT);
    snprintf(path, sizeof path, "/v1/%s", verb);
    struct web_answer answer =
        web_ask("POST", port, path, body, s->has_tls ? &s->tls : NULL, FILTER_TIMEOUT_MS);
    json_t *json = answer.status ? json_loads(answer.body, 0, NULL) : NULL;
    cluster_lock(s->cluster);
    if (answer.status != 0 && (answer.status != 200 || !json)) {
        cluster_violate(s->cluster, "%s was answered %d: %.100s", verb, answer.status, answer.body);
    }
    if (answer.status == 200 && strcmp(verb, "filter") == 0) {
        s->counts.filters++;
        if (answer.took_ns > s->counts.filter_max_ns) {
            s->counts.filter_max_ns = answer.took_ns;
        }
        fake_api_changed(s->cluster->api);
    }
    cluster_unlock(s->cluster);
    free(answer.body);
    return json;
}

bool scheduler_is_among(const json_t *names, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(names, i, one)
    {
        if (strcmp(json_string_value(one), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Lists are there, every name that was asked about has its place, one constant text. */
static void check_filter(struct scheduler *s, const json_t *answer, const json_t *asked)
{
    size_t i;
    json_t *name, *text;
    const char *key;
    json_t *passed = json_object_get(answer, "NodeNames");
    json_t *failed = json_object_get(answer, "FailedAndUnresolvableNodes");
    if (skr_path_text(answer, "Error")[0]) {
        return;
    }
    if (!json_is_array(passed) || !json_is_object(failed) ||
        !json_is_object(json_object_get(answer, "FailedNodes"))) {
        cluster_violate(s->cluster, "filter left lists out");
    }
    json_array_foreach(passed, i, name)
    {
        if (!scheduler_is_among(asked, json_string_value(name))) {
            cluster_violate(s->cluster, "filter returned %s, which was not asked about",
                            json_string_value(name));
        }
    }
    if (json_array_size(passed) == 0 && json_object_size(failed) != json_array_size(asked)) {
        cluster_violate(s->cluster, "filter refused %zu of %zu nodes", json_object_size(failed),
                        json_array_size(asked));
    }
    json_object_foreach(failed, key, text)
    {
        scheduler_note_text(s, json_string_value(text));
        if (strncmp(json_string_value(text), "sakkara: ", 9) != 0) {
            cluster_violate(s->cluster, "%s was refused with '%s'", key, json_string_value(text));
        }
    }
}

static const char *first_text(const json_t *answer)
{
    void *iter = json_object_iter(json_object_get(answer, "FailedAndUnresolvableNodes"));
    const char *text = iter ? json_string_value(json_object_iter_value(iter)) : NULL;
    return text ? text : "";
}

static size_t best(const json_t *scores, const json_t *names)
{
    size_t i, found = 0;
    json_int_t highest = -1;
    json_t *one;
    json_array_foreach(scores, i, one)
    {
        json_int_t score = json_integer_value(json_object_get(one, "Score"));
        if (score > highest && i < json_array_size(names)) {
            highest = score;
            found = i;
        }
    }
    return found;
}

void scheduler_choose(struct scheduler *s, const json_t *pod, const json_t *names, uint16_t port,
                      struct verdict *v)
{
    json_auto_t *answer = ask(s, "filter", pod, names, port);
    const char *error = skr_path_text(answer, "Error");
    v->silence = !answer;
    v->error = !answer || error[0];
    v->node[0] = '\0';
    snprintf(v->text, sizeof v->text, "%s", error[0] ? error : first_text(answer));
    cluster_lock(s->cluster);
    if (answer) {
        check_filter(s, answer, names);
    }
    if (error[0]) {
        scheduler_note_text(s, error);
    }
    cluster_unlock(s->cluster);
    const json_t *passed = json_object_get(answer, "NodeNames");
    size_t at = 0, n = json_array_size(passed);
    if (!v->error && n > 1) {
        json_auto_t *scores = ask(s, "prioritize", pod, passed, port);
        at = best(scores, passed);
    }
    if (!v->error && n > 0) {
        snprintf(v->node, sizeof v->node, "%s", json_string_value(json_array_get(passed, at)));
    }
}
