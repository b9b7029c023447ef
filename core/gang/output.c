/* SPDX-License-Identifier: Apache-2.0 */
/* Actions as the engine's files emit them: answers, writes (remembered until they are answered),
 * Events. */
#include "core/gang/output.h"

#include <string.h>

static struct skr_action *append(struct skr_gang *e, enum skr_action_kind kind)
{
    struct skr_actions *out = e->out;
    skr_grow(&out->item, &out->cap, out->n + 1, sizeof *out->item);
    struct skr_action *a = &out->item[out->n++];
    memset(a, 0, sizeof *a);
    a->kind = kind;
    return a;
}

static void *copy(struct skr_gang *e, const void *data, size_t n)
{
    void *p = skr_arena_alloc(e->out->arena, n ? n : 1);
    skr_bug_on(!p);
    if (n > 0) {
        memcpy(p, data, n);
    }
    return p;
}

static const char *copy_string(struct skr_gang *e, const char *s)
{
    return copy(e, s ? s : "", strlen(s ? s : "") + 1);
}

static struct skr_answer *answer(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                                 const char *text)
{
    struct skr_action *a = append(e, SKR_ACTION_ANSWER);
    a->answer.request = request;
    a->answer.kind = kind;
    a->answer.text = text ? text : "";
    return &a->answer;
}

void out_answer(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind, const char *text)
{
    answer(e, request, kind, text);
}

void out_answer_one(struct skr_gang *e, uint64_t request, size_t index)
{
    answer(e, request, SKR_ANSWER_FILTER_ONE, "")->index = index;
}

void out_answer_mask(struct skr_gang *e, uint64_t request, enum skr_answer_kind kind,
                     const char *text, const uint8_t *mask, size_t n)
{
    struct skr_answer *a = answer(e, request, kind, text);
    a->n = n;
    a->mask = copy(e, mask, (n + 7) / 8);
}

void out_answer_scores(struct skr_gang *e, uint64_t request, const int8_t *scores, size_t n)
{
    struct skr_answer *a = answer(e, request, SKR_ANSWER_SCORES, "");
    a->n = n;
    a->scores = copy(e, scores, n);
}

uint64_t out_solve(struct skr_gang *e, struct skr_solve_request *request)
{
    request->id = e->next_id++;
    e->stats.solves++;
    append(e, SKR_ACTION_SOLVE)->solve = request;
    return request->id;
}

void out_cancel_solve(struct skr_gang *e, uint64_t solve)
{
    append(e, SKR_ACTION_CANCEL_SOLVE)->cancel_solve = solve;
}

void out_timer(struct skr_gang *e, skr_time at)
{
    append(e, SKR_ACTION_TIMER)->timer = at;
}

void out_explain(struct skr_gang *e, uint64_t request, enum skr_explain_status status,
                 const struct skr_strbuf *json)
{
    struct skr_action *a = append(e, SKR_ACTION_EXPLAIN);
    a->explain.request = request;
    a->explain.status = status;
    a->explain.json = copy(e, json->s, json->len + 1);
    a->explain.json_len = json->len;
}

void out_hold(struct skr_gang *e, uint64_t request, skr_time deadline)
{
    struct skr_action *a = append(e, SKR_ACTION_HOLD);
    a->hold.request = request;
    a->hold.deadline = deadline;
}

void out_decision(struct skr_gang *e, const char *group, const char *pod, const char *what,
                  const char *reason, const char *message, bool is_error)
{
    struct skr_action *a = append(e, SKR_ACTION_DECISION);
    a->decision.group = copy_string(e, group);
    a->decision.pod = copy_string(e, pod);
    a->decision.what = what;
    a->decision.reason = copy_string(e, reason);
    a->decision.message = copy_string(e, message);
    a->decision.is_error = is_error;
}

struct pending_write *out_write(struct skr_gang *e, enum skr_write_kind kind,
                                enum skr_write_class class, const char *namespace_,
                                const char *name, const struct skr_strbuf *body,
                                enum write_purpose purpose, const char *key)
{
    struct skr_action *a = append(e, SKR_ACTION_WRITE);
    a->write.id = e->next_id++;
    a->write.kind = kind;
    a->write.class = class;
    a->write.namespace_ = copy_string(e, namespace_);
    a->write.name = copy_string(e, name);
    a->write.body = copy_string(e, body ? body->s : "");
    a->write.body_len = body ? body->len : 0;
    struct pending_write *w = skr_alloc(sizeof *w);
    w->id = a->write.id;
    w->purpose = purpose;
    w->key = skr_strdup(key ? key : "");
    HASH_ADD(hh, e->writes, id, sizeof w->id, w);
    return w;
}

void out_order(struct skr_gang *e, uint64_t order)
{
    e->out->item[e->out->n - 1].write.order = order;
}

struct pending_write *out_take_write(struct skr_gang *e, uint64_t id)
{
    struct pending_write *w;
    HASH_FIND(hh, e->writes, &id, sizeof id, w);
    skr_bug_on(!w);
    HASH_DEL(e->writes, w);
    return w;
}

void out_forget_writes(struct skr_gang *e)
{
    struct pending_write *w, *tmp;
    HASH_ITER(hh, e->writes, w, tmp)
    {
        HASH_DEL(e->writes, w);
        pending_write_destroy(w);
    }
}

void pending_write_destroy(struct pending_write *w)
{
    for (size_t i = 0; i < w->n_labels; i++) {
        free((void *)(uintptr_t)w->label[i].key);
        free((void *)(uintptr_t)w->label[i].value);
    }
    free(w->label);
    free(w->key);
    free(w->nominated_node);
    free(w->annotation);
    free(w);
}

static const char *event_api(const char *kind)
{
    return strcmp(kind, "PodGroup") == 0 ? "scheduling.x-k8s.io/v1alpha1" : "v1";
}

/* Length of the longest prefix of s of at most max bytes that does not cut a UTF-8 sequence. */
static size_t cut(const char *s, size_t max)
{
    size_t n = strlen(s);
    if (n <= max) {
        return n;
    }
    n = max;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

void out_event(struct skr_gang *e, const char *kind, const struct skr_meta *about, bool warning,
               const char *reason, const char *action, const char *note)
{
    struct skr_strbuf b;
    char when[40];
    skr_strbuf_init(&b);
    char *short_note = skr_strdup(note);
    short_note[cut(short_note, SKR_MESSAGE_MAX)] = '\0';
    /* eventTime is a MicroTime: exactly six digits of fraction, which RFC 3339 readers accept. */
    skr_time_write(e->now - e->now % 1000, 0, when, sizeof when);
    skr_strbuf_add(&b, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{"
                       "\"namespace\":");
    skr_strbuf_add_json(&b, about->namespace_);
    skr_strbuf_add(&b, ",\"name\":");
    char *name = skr_alloc(strlen(about->name) + 40);
    snprintf(name, strlen(about->name) + 40, "%.200s.%llx%04llx", about->name,
             (unsigned long long)e->now, (unsigned long long)(e->event_seq++ & 0xffff));
    skr_strbuf_add_json(&b, name);
    free(name);
    skr_strbuf_addf(&b, "},\"eventTime\":\"%.19s.%06lldZ\"", when,
                    (long long)(e->now % SKR_SECOND / 1000));
    skr_strbuf_add(&b, ",\"reportingController\":\"sakkara\",\"reportingInstance\":");
    const char *instance = e->settings.instance;
    skr_strbuf_add_json(&b, instance && *instance ? instance : "sakkara");
    skr_strbuf_addf(&b, ",\"type\":\"%s\",\"reason\":\"%s\",\"action\":\"%s\",\"note\":",
                    warning ? "Warning" : "Normal", reason, action);
    skr_strbuf_add_json(&b, short_note);
    skr_strbuf_addf(&b, ",\"regarding\":{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"namespace\":",
                    event_api(kind), kind);
    skr_strbuf_add_json(&b, about->namespace_);
    skr_strbuf_add(&b, ",\"name\":");
    skr_strbuf_add_json(&b, about->name);
    skr_strbuf_add(&b, ",\"uid\":");
    skr_strbuf_add_json(&b, about->uid);
    skr_strbuf_add(&b, "}}");
    out_write(e, SKR_WRITE_CREATE_EVENT, SKR_WRITE_CLASS_EVENT, about->namespace_, "", &b,
              WRITE_FOR_EVENT, NULL);
    skr_strbuf_fini(&b);
    free(short_note);
}
