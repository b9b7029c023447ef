/* SPDX-License-Identifier: Apache-2.0 */
#include "test/property/pod_rules_world.h"

static const char *const key_name[KEYS] = {"zone", "kubernetes.io/hostname", "slab"};

/* ---- chance ---- */

static int below(struct world *w, int n)
{
    w->state ^= w->state << 13;
    w->state ^= w->state >> 7;
    w->state ^= w->state << 17;
    return (int)((w->state >> 11) % (uint64_t)n);
}

static bool chance(struct world *w, int percent)
{
    return below(w, 100) < percent;
}

static struct term random_term(struct world *w)
{
    return (struct term){.key = (enum key)below(w, KEYS),
                         .selector = chance(w, 65) ? APP : DB,
                         .spaces = chance(w, 65) ? OWN : (enum spaces)below(w, 4)};
}

static void make_spreads(struct world *w)
{
    for (int i = chance(w, 50) ? 0 : 1 + below(w, TERMS_MAX); i > 0; i--) {
        const enum key key = (enum key)below(w, KEYS);
        if (w->spreads > 0 && w->spread[0].key == key) {
            continue; /* one a key */
        }
        w->spread[w->spreads++] =
            (struct spread){.key = key,
                            .selector = chance(w, 75) ? APP : DB,
                            .skew = 1 + below(w, 2),
                            .min_domains = chance(w, 30) ? 1 + below(w, 4) : 0,
                            .ignores_affinity = chance(w, 20),
                            .honors_taints = chance(w, 30)};
    }
}

void pod_rules_make(struct world *w, uint64_t seed)
{
    *w = (struct world){.state = seed * 0x9E3779B97F4A7C15U + 1};
    w->nodes = 3 + below(w, 4);
    const int racks = 1 + below(w, 3);
    for (int i = 0; i < w->nodes; i++) {
        w->node[i] = (struct node){.cpu = 1 + below(w, 4),
                                   .rack = i % racks,
                                   .tainted = chance(w, 20),
                                   .worker = chance(w, 60)};
        w->node[i].value[ZONE] = chance(w, 90) ? below(w, 3) : -1;
        w->node[i].value[HOST] = i;
        w->node[i].value[SLAB] = chance(w, 60) ? below(w, 3) : -1;
    }
    w->others = below(w, OTHERS_MAX + 1);
    for (int i = 0; i < w->others; i++) {
        w->other[i] = (struct other){.node = below(w, w->nodes),
                                     .anti = chance(w, 15) ? below(w, KEYS) : -1,
                                     .elsewhere = chance(w, 30),
                                     .app = chance(w, 60),
                                     .db = chance(w, 40),
                                     .port = chance(w, 20)};
    }
    w->size = 2 + below(w, SIZE_MAX_ - 1);
    w->port = chance(w, 20);
    w->hard = chance(w, 35);
    w->workers = chance(w, 30);
    for (int i = chance(w, 50) ? 0 : 1 + below(w, TERMS_MAX); i > 0; i--) {
        w->anti[w->antis++] = random_term(w);
    }
    for (int i = chance(w, 70) ? 0 : 1 + below(w, TERMS_MAX); i > 0; i--) {
        w->affinity[w->affinities++] = random_term(w);
    }
    make_spreads(w);
}

/* ---- as files ---- */

static void write_term(const struct term *t, struct skr_strbuf *b)
{
    static const char *const spaces[] = {"", ",\"namespaces\":[\"other\"]",
                                         ",\"namespaces\":[\"other\",\"default\"]",
                                         ",\"namespaceSelector\":{}"};
    skr_strbuf_addf(b,
                    "{\"topologyKey\":\"%s\",\"labelSelector\":{\"matchLabels\":{\"%s\":\"x\"}}%s}",
                    key_name[t->key], t->selector == APP ? "app" : "db", spaces[t->spaces]);
}

static void write_terms(const char *kind, const struct term *term, int n, struct skr_strbuf *b)
{
    skr_strbuf_addf(b, "\"%s\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[", kind);
    for (int i = 0; i < n; i++) {
        skr_strbuf_add(b, i > 0 ? "," : "");
        write_term(&term[i], b);
    }
    skr_strbuf_add(b, "]}");
}

static void write_node(const struct world *w, int i, struct skr_strbuf *b)
{
    const struct node *n = &w->node[i];
    skr_strbuf_addf(b,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%d\","
                    "\"labels\":{\"rank\":\"%d\"",
                    i, i);
    for (int k = 0; k < KEYS; k++) {
        if (n->value[k] >= 0) {
            skr_strbuf_addf(b, ",\"%s\":\"v%d\"", key_name[k], n->value[k]);
        }
    }
    skr_strbuf_addf(b,
                    "%s}},\"spec\":{\"taints\":[%s]},\"status\":{\"allocatable\":{\"cpu\":\"%d\",",
                    n->worker ? ",\"worker\":\"yes\"" : "",
                    n->tainted ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}" : "", n->cpu);
    skr_strbuf_add(b, "\"memory\":\"8Gi\",\"pods\":\"110\"}}}\n");
}

static void write_other(const struct world *w, int i, struct skr_strbuf *b)
{
    const struct other *o = &w->other[i];
    skr_strbuf_addf(
        b,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"o%d\","
        "\"namespace\":\"%s\",\"labels\":{\"is\":\"other\"%s%s}},\"spec\":{\"nodeName\":"
        "\"n%d\",",
        i, o->elsewhere ? "other" : "default", o->app ? ",\"app\":\"x\"" : "",
        o->db ? ",\"db\":\"x\"" : "", o->node);
    if (o->anti >= 0) {
        const struct term against = {.key = (enum key)o->anti, .selector = APP, .spaces = BOTH};
        skr_strbuf_add(b, "\"affinity\":{");
        write_terms("podAntiAffinity", &against, 1, b);
        skr_strbuf_add(b, "},");
    }
    skr_strbuf_addf(b,
                    "\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"ports\":[%s]}]},"
                    "\"status\":{\"phase\":\"Running\"}}\n",
                    o->port ? "{\"containerPort\":80,\"hostPort\":80}" : "");
}

static void write_spreads(const struct world *w, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "\"topologySpreadConstraints\":[");
    for (int i = 0; i < w->spreads; i++) {
        const struct spread *s = &w->spread[i];
        skr_strbuf_addf(b,
                        "%s{\"topologyKey\":\"%s\",\"maxSkew\":%d,\"whenUnsatisfiable\":"
                        "\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"%s\":\"x\"}},"
                        "\"nodeAffinityPolicy\":\"%s\",\"nodeTaintsPolicy\":\"%s\"",
                        i > 0 ? "," : "", key_name[s->key], s->skew,
                        s->selector == APP ? "app" : "db", s->ignores_affinity ? "Ignore" : "Honor",
                        s->honors_taints ? "Honor" : "Ignore");
        if (s->min_domains > 0) {
            skr_strbuf_addf(b, ",\"minDomains\":%d", s->min_domains);
        }
        skr_strbuf_add(b, "}");
    }
    skr_strbuf_add(b, "]");
}

static void write_member(const struct world *w, int i, struct skr_strbuf *b)
{
    skr_strbuf_addf(
        b,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"g-%d\","
        "\"namespace\":\"default\",\"labels\":{\"app\":\"x\",\"sakkara.group.name\":"
        "\"g\"}},\"spec\":{\"schedulerName\":\"sakkara\",\"schedulingGates\":[{\"name\":"
        "\"sakkara.gang\"}],\"nodeSelector\":{%s},\"affinity\":{",
        i, w->workers ? "\"worker\":\"yes\"" : "");
    write_terms("podAntiAffinity", w->anti, w->antis, b);
    skr_strbuf_add(b, ",");
    write_terms("podAffinity", w->affinity, w->affinities, b);
    skr_strbuf_add(b, "},");
    write_spreads(w, b);
    skr_strbuf_addf(b,
                    ",\"containers\":[{\"name\":\"c\",\"image\":\"x\",\"resources\":{\"requests\":{"
                    "\"cpu\":\"1\"}},\"ports\":[%s]}]}}\n",
                    w->port ? "{\"containerPort\":80,\"hostPort\":80}" : "");
}

static void write_maps(const struct world *w, struct skr_strbuf *b)
{
    skr_strbuf_add(b, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":"
                      "\"other\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                      "\"name\":\"t\",\"namespace\":\"default\",\"labels\":{\"sakkara.topology\":"
                      "\"\"}},\"data\":{\"level-names\":\"[\\\"rack\\\",\\\"node\\\"]\",\"tree\":"
                      "\"{");
    for (int rack = 0, racks = 0; rack < 3; rack++) {
        int n = 0;
        for (int i = 0; i < w->nodes; i++) {
            if (w->node[i].rack == rack && n++ == 0) {
                skr_strbuf_addf(b, "%s\\\"r%d\\\":{", racks++ > 0 ? "," : "", rack);
            }
            if (w->node[i].rack == rack) {
                skr_strbuf_addf(b, "%s\\\"n%d\\\":{}", n > 1 ? "," : "", i);
            }
        }
        skr_strbuf_add(b, n > 0 ? "}" : "");
    }
    skr_strbuf_addf(
        b,
        "}\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"g\","
        "\"namespace\":\"default\",\"labels\":{\"sakkara.group\":\"\"}},\"data\":{\"name\":"
        "\"g\",\"size\":\"%d\",\"constraints\":\"{%s}\"}}\n",
        w->size, w->hard ? "\\\"rack\\\":{\\\"hard\\\":true}" : "");
}

void pod_rules_write(const struct world *w, struct skr_strbuf *b)
{
    write_maps(w, b);
    for (int i = 0; i < w->nodes; i++) {
        write_node(w, i, b);
    }
    for (int i = 0; i < w->others; i++) {
        write_other(w, i, b);
    }
    for (int i = 0; i < w->size; i++) {
        write_member(w, i, b);
    }
}
