/* SPDX-License-Identifier: Apache-2.0 */
/* Finds pods that look like members of a group and are none: see explain_strangers.h. */
#include "core/gang/explain/explain_strangers.h"

#include "core/gang/cache/entry.h"
#include "core/gang/cache/pod_walk.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/groups.h"
#include "core/group/workload.h"

#include <string.h>

/* What pods are compared with. */
struct model {
    const struct group *g;
    const struct pod_entry *oldest; /* NULL: no member lives */
    enum skr_workload_scope scope;
    struct skr_strbuf workload;   /* name of the group that its workload makes; empty: of no use */
    struct skr_strbuf deployment; /* its name; empty: they are of none */
};

static const char *template_hash(const struct skr_meta *pod)
{
    return skr_labels_get(&pod->labels, "pod-template-hash");
}

static void model_init(const struct skr_gang *e, const struct group *g, struct model *m)
{
    struct skr_workload w;
    const char *unknown;
    *m = (struct model){.g = g, .oldest = skr_membership_oldest(g)};
    skr_strbuf_init(&m->workload);
    skr_strbuf_init(&m->deployment);
    if (m->oldest) {
        skr_workload_deployment_add(m->oldest->pod, &m->deployment);
        skr_workload_of(m->oldest->pod, &w);
        m->scope = skr_entry_scope(e, m->oldest->pod, &w, &unknown);
        if (skr_workload_has_roles(w.kind)) {
            skr_workload_name_add(m->oldest->pod, &w, m->scope, &m->workload);
        }
    }
}

static bool names(const struct skr_meta *pod, const struct group *g)
{
    const char *name = skr_labels_get(&pod->labels, SKR_LABEL_GROUP);
    if (!name || !*name) {
        name = skr_labels_get(&pod->labels, SKR_LABEL_POD_GROUP);
    }
    return name && strcmp(name, g->name) == 0;
}

/* Residents have labels alone: the pod has the controller of the oldest member, if its labels name the
 * same workload. */
static bool is_of_workload(const struct model *m, const struct pod_walk *p)
{
    struct skr_workload w;
    SKR_STRBUF(name);
    if (m->workload.len == 0 || p->meta->labels.n == 0) {
        return false;
    }
    const struct skr_pod resident = {.meta = *p->meta,
                                     .controller = m->oldest->pod->controller,
                                     .controller_uid = m->oldest->pod->controller_uid};
    const struct skr_pod *pod = p->entry ? p->entry->pod : &resident;
    skr_workload_of(pod, &w);
    if (!skr_workload_has_roles(w.kind)) {
        return false;
    }
    skr_workload_name_add(pod, &w, m->scope, &name);
    return strcmp(name.s, m->workload.s) == 0;
}

/* A pod of the Deployment that another ReplicaSet made. */
static bool is_of_rollout(const struct skr_gang *e, const struct model *m, const struct pod_walk *p)
{
    const char *hash = template_hash(p->meta);
    if (m->deployment.len == 0 || !hash ||
        strcmp(hash, template_hash(&m->oldest->pod->meta)) == 0) {
        return false;
    }
    SKR_STRBUF(name);
    SKR_STRBUF(begin);
    skr_pod_ref_add_name(e, skr_pod_walk_ref(p), &name);
    skr_strbuf_addf(&begin, "%s-%s-", m->deployment.s, hash);
    return strncmp(name.s, begin.s, begin.len) == 0;
}

/* A member that has failed, and whose controller has not made another one: a Job does. */
static bool is_in_the_way(const struct model *m, const struct pod_entry *p)
{
    return p && p->group == m->g && p->pod->phase == SKR_POD_FAILED && !p->pod->of_job &&
           *p->pod->controller_uid;
}

static bool is_stranger(const struct skr_gang *e, const struct model *m, const struct pod_walk *p)
{
    const struct pod_entry *entry = p->entry;
    if (is_in_the_way(m, entry)) {
        return true;
    }
    if (strcmp(p->meta->namespace_, m->g->namespace_) != 0 ||
        (entry && (entry->group == m->g || !skr_pod_is_live(entry->pod)))) {
        return false;
    }
    return (!(entry && entry->ours) && names(p->meta, m->g)) || is_of_workload(m, p) ||
           is_of_rollout(e, m, p);
}

/* The template that the operator made the pod from, where there are several. */
static void add_template(const struct pod_walk *p, struct skr_strbuf *b)
{
    const struct skr_pod of_labels = {.meta = *p->meta, .controller = "", .controller_uid = ""};
    const char *role = skr_workload_role(p->entry ? p->entry->pod : &of_labels);
    if (role) {
        skr_strbuf_addf(b, " on template %.100s", role);
    }
}

/* What keeps the pod out of the group. */
static void say_why(const struct skr_gang *e, const struct model *m, const struct pod_walk *walk,
                    struct skr_strbuf *b)
{
    const struct pod_entry *p = walk->entry;
    const char *gang = p ? skr_labels_get(&p->pod->meta.annotations, SKR_ANNOTATION_GANG) : NULL;
    if (is_in_the_way(m, p)) {
        skr_strbuf_add(b, "it has Failed and its controller makes no other: delete it");
    } else if (is_of_rollout(e, m, walk)) {
        skr_strbuf_addf(b,
                        "of another ReplicaSet: a RollingUpdate replaces pods one by one; set "
                        "strategy Recreate in Deployment %s",
                        m->deployment.s);
    } else if (!p) { /* which of the two is not cached */
        skr_strbuf_add(
            b, "bound by itself: another schedulerName, or no annotation " SKR_ANNOTATION_GANG);
        add_template(walk, b);
    } else if (!p->ours) {
        skr_strbuf_addf(b, "schedulerName %.100s",
                        *p->pod->scheduler_name ? p->pod->scheduler_name : "default-scheduler");
    } else if (p->group) {
        skr_strbuf_addf(b, "in group %.253s", p->group->name);
    } else if (gang && strcmp(gang, "off") == 0) {
        skr_strbuf_add(b, "annotation " SKR_ANNOTATION_GANG ": off");
    } else if (skr_entry_is_derived(m->g->name)) {
        skr_strbuf_add(b, "no annotation " SKR_ANNOTATION_GANG);
        add_template(walk, b);
    } else {
        skr_strbuf_add(b, "no label " SKR_LABEL_GROUP);
    }
}

enum { CAUSES_MAX = 4 }; /* that are said; further ones are counted */

struct cause {
    struct skr_strbuf why;
    struct pod_ref first;
    size_t n;
};

static void count_cause(const struct skr_gang *e, const struct model *m, const struct pod_walk *p,
                        struct cause *cause, size_t *n)
{
    SKR_STRBUF(why);
    size_t i = 0;
    say_why(e, m, p, &why);
    while (i < *n && strcmp(cause[i].why.s, why.s) != 0) {
        i++;
    }
    if (i == *n && i < CAUSES_MAX) {
        skr_strbuf_init(&cause[i].why);
        skr_strbuf_add(&cause[i].why, why.s);
        cause[i].first = skr_pod_walk_ref(p);
        cause[i].n = 0;
        (*n)++;
    }
    if (i < *n) {
        cause[i].n++;
    }
}

bool skr_strangers_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b)
{
    struct cause cause[CAUSES_MAX];
    size_t n = 0, n_causes = 0;
    struct pod_walk p = {0};
    struct model m;
    model_init(e, g, &m);
    while (skr_pod_walk_next(e, &p)) {
        if (is_stranger(e, &m, &p)) {
            count_cause(e, &m, &p, cause, &n_causes);
            n++;
        }
    }
    if (n > 0) {
        skr_strbuf_addf(b, "%zu pod%s no member%s: ", n, n == 1 ? " is" : "s are",
                        n == 1 ? "" : "s");
    }
    for (size_t i = 0; i < n_causes; i++) {
        skr_strbuf_add(b, i > 0 ? ", " : "");
        skr_pod_ref_add_name(e, cause[i].first, b);
        if (cause[i].n > 1) {
            skr_strbuf_addf(b, " and %zu other%s", cause[i].n - 1, cause[i].n == 2 ? "" : "s");
        }
        skr_strbuf_addf(b, " (%s)", cause[i].why.s);
        skr_strbuf_fini(&cause[i].why);
    }
    skr_strbuf_fini(&m.workload);
    skr_strbuf_fini(&m.deployment);
    return n > 0;
}
