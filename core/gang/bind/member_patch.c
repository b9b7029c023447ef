/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/bind/member_patch.h"

#include "core/gang/cache/pods.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/wakes.h"

#include <inttypes.h>
#include <string.h>

void skr_member_change_label(struct member_change *c, const char *key, const char *value)
{
    c->label[c->n_labels++] = (struct skr_label){key, value};
}

static void json_or_null(struct skr_strbuf *b, const char *key, const char *value)
{
    skr_strbuf_add_json(b, key);
    skr_strbuf_addc(b, ':');
    if (*value) {
        skr_strbuf_add_json(b, value);
    } else {
        skr_strbuf_add(b, "null");
    }
}

static void sent_release(void *more)
{
    struct member_sent *sent = more;
    for (size_t i = 0; i < sent->n_labels; i++) {
        free((void *)(uintptr_t)sent->label[i].key);
        free((void *)(uintptr_t)sent->label[i].value);
    }
    free(sent->label);
    free(sent->nominated_node);
    free(sent->annotation);
    free(sent->member);
    free(sent);
}

static struct member_sent *remember(struct skr_pending_write *w)
{
    w->more = skr_alloc(sizeof(struct member_sent));
    w->release = sent_release;
    return w->more;
}

/* kube-scheduler writes nothing if it refuses the pod again in the words that the pod has: reason.h. */
static bool replaces_words(const struct pod_entry *p, const struct member_change *c)
{
    const char *says = skr_pods_scheduler_says(p->pod);
    return c->nominated && *c->nominated && *says && !strstr(says, "sakkara:");
}

static void write_change(struct skr_strbuf *b, const struct pod_entry *p,
                         const struct member_change *c, bool status)
{
    skr_strbuf_add(b, "{\"metadata\":{\"uid\":");
    skr_strbuf_add_json(b, p->uid);
    if (c->exact || replaces_words(p, c)) {
        skr_strbuf_addf(b, ",\"resourceVersion\":\"%" PRIu64 "\"", p->pod->meta.resource_version);
    }
    for (size_t i = 0; i < c->n_labels; i++) {
        skr_strbuf_add(b, i > 0 ? "," : ",\"labels\":{");
        json_or_null(b, c->label[i].key, c->label[i].value);
    }
    skr_strbuf_add(b, c->n_labels > 0 ? "}" : "");
    const struct skr_label annotation[] = {{SKR_ANNOTATION_PLAN, c->annotation},
                                           {SKR_ANNOTATION_MEMBER, c->member}};
    bool any = false;
    for (size_t i = 0; i < sizeof annotation / sizeof *annotation; i++) {
        if (annotation[i].value) {
            skr_strbuf_add(b, any ? "," : ",\"annotations\":{");
            json_or_null(b, annotation[i].key, annotation[i].value);
            any = true;
        }
    }
    skr_strbuf_add(b, any ? "}" : "");
    skr_strbuf_addc(b, '}');
    if (status) {
        skr_strbuf_add(b, ",\"status\":{");
        json_or_null(b, "nominatedNodeName", c->nominated);
        if (replaces_words(p, c)) {
            skr_strbuf_add(
                b, ",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
                   "\"Unschedulable\",\"message\":\"" SKR_TEXT_ASKED_AGAIN "\"}]");
        }
        skr_strbuf_addc(b, '}');
    }
    if (c->deadline_s) {
        skr_strbuf_addf(b, ",\"spec\":{\"activeDeadlineSeconds\":%" PRId32, c->deadline_s);
    }
    if (c->drop_gate) {
        skr_strbuf_add(b, c->deadline_s ? "," : ",\"spec\":{");
        skr_strbuf_add(b,
                       "\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":\"" SKR_GATE "\"}]");
    }
    skr_strbuf_add(b, c->deadline_s || c->drop_gate ? "}" : "");
    skr_strbuf_addc(b, '}');
}

void skr_member_patch_send(struct skr_gang *e, struct pod_entry *p, const struct member_change *c,
                           enum skr_write_class class)
{
    SKR_STRBUF(b);
    bool status = c->nominated && !skr_nomination_is_forbidden(e);
    enum skr_write_kind kind = c->drop_gate                     ? SKR_WRITE_UNGATE_POD
                               : status && replaces_words(p, c) ? SKR_WRITE_MARK_POD
                               : status                         ? SKR_WRITE_PATCH_POD_STATUS
                                                                : SKR_WRITE_PATCH_POD;
    write_change(&b, p, c, status);
    struct skr_pending_write *w = skr_out_write(e, kind, class, p->plan ? p->plan->order : 0,
                                                &p->pod->meta, &b, WRITE_FOR_MEMBER, p->uid);
    struct member_sent *sent = remember(w);
    sent->label = skr_alloc_array(c->n_labels + 1, sizeof *sent->label);
    for (; sent->n_labels < c->n_labels; sent->n_labels++) {
        sent->label[sent->n_labels].key = skr_strdup(c->label[sent->n_labels].key);
        sent->label[sent->n_labels].value = skr_strdup(c->label[sent->n_labels].value);
    }
    sent->annotation = skr_strdup(c->annotation);
    sent->member = skr_strdup(c->member);
    skr_pods_work(p)->patch.clears = p->work->patch.clears || (c->annotation && !*c->annotation);
    sent->nominated_node = status ? skr_strdup(c->nominated) : NULL;
    sent->drop_gate = c->drop_gate;
    sent->deadline_s = c->deadline_s;
    sent->is_activation = c->is_activation;
    skr_pods_work(p)->patch.write = w->id;
    if (c->nominated) {
        skr_pods_work(p)->patch.owes = !status;
    }
    if (p->work->patch.owes) {
        skr_wakes_add(e, e->status_forbidden_until, WAKE_POD, p->uid);
    }
}
