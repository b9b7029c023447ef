/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube-scheduler's plugins written down once more, as Kubernetes has them
 * (pkg/scheduler/framework/plugins: nodeports, interpodaffinity, podtopologyspread), and every
 * order in which they admit the members of a gang.
 */
#include <string.h>

#include "test/property/pod_rules_world.h"

/* ---- the plugins ---- */

static bool is_eligible(const struct world *w, int i)
{
    return !w->node[i].tainted && (w->node[i].worker || !w->workers);
}

static bool in_spaces(enum spaces spaces, bool elsewhere)
{
    return spaces == BOTH || spaces == ALL || (spaces == OTHER) == elsewhere;
}

static bool selects_other(const struct term *t, const struct other *o)
{
    return in_spaces(t->spaces, o->elsewhere) && (t->selector == APP ? o->app : o->db);
}

static bool selects_member(const struct term *t)
{
    return t->selector == APP && in_spaces(t->spaces, false);
}

static bool together(const struct world *w, int a, int b, enum key key)
{
    return w->node[a].value[key] >= 0 && w->node[a].value[key] == w->node[b].value[key];
}

static bool resources_and_ports_admit(const struct world *w, const int *count, int at)
{
    if (count[at] == w->node[at].cpu) {
        return false;
    }
    for (int i = 0; i < w->nodes && w->hard; i++) {
        if (count[i] > 0 && w->node[i].rack != w->node[at].rack) {
            return false;
        }
    }
    bool taken = count[at] > 0;
    for (int i = 0; i < w->others; i++) {
        taken = taken || (w->other[i].node == at && w->other[i].port);
    }
    return !w->port || !taken;
}

static bool anti_affinity_admits(const struct world *w, const int *count, int at)
{
    for (int i = 0; i < w->others; i++) {
        const struct other *o = &w->other[i];
        if (o->anti >= 0 && together(w, at, o->node, (enum key)o->anti)) {
            return false;
        }
        for (int t = 0; t < w->antis; t++) {
            if (selects_other(&w->anti[t], o) && together(w, at, o->node, w->anti[t].key)) {
                return false;
            }
        }
    }
    for (int t = 0; t < w->antis; t++) {
        for (int i = 0; i < w->nodes && selects_member(&w->anti[t]); i++) {
            if (count[i] > 0 && together(w, at, i, w->anti[t].key)) {
                return false;
            }
        }
    }
    return true;
}

/* Pods count that all terms select: whether there are any where a term's key is, and whether each
 * term has one together with the node. */
static bool affinity_admits(const struct world *w, const int *count, int at)
{
    bool has[TERMS_MAX] = {false}, any = false, self = true, all = true;
    for (int t = 0; t < w->affinities; t++) {
        if (w->node[at].value[w->affinity[t].key] < 0) {
            return false;
        }
        self = self && selects_member(&w->affinity[t]);
    }
    for (int i = 0; i < w->others + w->nodes; i++) {
        const bool member = i >= w->others;
        const int there = member ? i - w->others : w->other[i].node;
        bool counts = !member || (self && count[there] > 0);
        for (int t = 0; t < w->affinities && !member; t++) {
            counts = counts && selects_other(&w->affinity[t], &w->other[i]);
        }
        for (int t = 0; t < w->affinities && counts; t++) {
            any = any || w->node[there].value[w->affinity[t].key] >= 0;
            has[t] = has[t] || together(w, at, there, w->affinity[t].key);
        }
    }
    for (int t = 0; t < w->affinities; t++) {
        all = all && has[t];
    }
    return all || (self && !any);
}

static bool counts_for(const struct world *w, const struct spread *s, int i)
{
    for (int k = 0; k < w->spreads; k++) {
        if (w->node[i].value[w->spread[k].key] < 0) {
            return false;
        }
    }
    return (s->ignores_affinity || !w->workers || w->node[i].worker) &&
           (!s->honors_taints || !w->node[i].tainted);
}

static bool spread_admits(const struct world *w, const struct spread *s, const int *count, int at)
{
    int in[NODES_MAX], domains = 0, least = INT32_MAX;
    const int own = s->selector == APP ? 1 : 0;
    for (int v = 0; v < NODES_MAX; v++) {
        in[v] = -1;
    }
    for (int i = 0; i < w->nodes; i++) {
        const int v = w->node[i].value[s->key];
        if (!counts_for(w, s, i)) {
            continue;
        }
        domains += in[v] < 0 ? 1 : 0;
        in[v] = (in[v] < 0 ? 0 : in[v]) + own * count[i];
        for (int o = 0; o < w->others; o++) {
            const struct other *other = &w->other[o];
            in[v] += other->node == i && !other->elsewhere &&
                             (s->selector == APP ? other->app : other->db)
                         ? 1
                         : 0;
        }
    }
    for (int v = 0; v < NODES_MAX; v++) {
        least = in[v] >= 0 && in[v] < least ? in[v] : least;
    }
    least = domains == 0 || domains < s->min_domains ? 0 : least;
    const int here = w->node[at].value[s->key];
    return here >= 0 && (in[here] > 0 ? in[here] : 0) + own - least <= s->skew;
}

static bool admits(const struct world *w, const int *count, int at)
{
    bool good = is_eligible(w, at) && resources_and_ports_admit(w, count, at) &&
                anti_affinity_admits(w, count, at) && affinity_admits(w, count, at);
    for (int k = 0; k < w->spreads && good; k++) {
        good = w->node[at].value[w->spread[k].key] >= 0;
    }
    for (int k = 0; k < w->spreads && good; k++) {
        good = spread_admits(w, &w->spread[k], count, at);
    }
    return good;
}

/* ---- every order ---- */

int pod_rules_number_of(const struct world *w, const int *count)
{
    int n = 0;
    for (int i = 0; i < w->nodes; i++) {
        n = n * (SIZE_MAX_ + 1) + count[i];
    }
    return n;
}

bool pod_rules_walk(struct world *w, int *count, int placed, int *found)
{
    bool any = placed == w->size;
    uint8_t *seen = &w->seen[pod_rules_number_of(w, count)];
    if (*seen) {
        return false;
    }
    *seen = 1;
    if (any) {
        memcpy(found, count, NODES_MAX * sizeof *found);
        return true;
    }
    for (int i = 0; i < w->nodes; i++) {
        if (admits(w, count, i)) {
            count[i]++;
            any = pod_rules_walk(w, count, placed + 1, found) || any;
            count[i]--;
        }
    }
    return any;
}
