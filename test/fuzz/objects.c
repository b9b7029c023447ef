/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as JSON text, decoded by the decoders of the program. */
#include "test/fuzz/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/strbuf.h"

uint32_t fuzz_choose(struct fuzz_objects *o, uint32_t n)
{
    return fuzz_pick(&o->bytes, n);
}

const char *fuzz_node_name(uint32_t i)
{
    static const char *const name[FUZZ_NODES + 1] = {"n0", "n1", "n2", "n3", "n4"};
    return name[i];
}

const char *fuzz_group_name(uint32_t i)
{
    return i == 0 ? "ga" : "gb";
}

const char *fuzz_pod_name(uint32_t i, char *buffer)
{
    snprintf(buffer, 16, "p%u", i % FUZZ_PODS);
    return buffer;
}

const char *fuzz_pod_uid(uint32_t i, uint32_t life, char *buffer)
{
    snprintf(buffer, 16, "p%u-%u", i % FUZZ_PODS, life % 4);
    return buffer;
}

void fuzz_objects_note_plan(struct fuzz_objects *o, const char *text)
{
    char **place = &o->plan[o->next_plan++ % FUZZ_PLANS];
    free(*place);
    *place = skr_strdup(text);
}

void fuzz_objects_fini(struct fuzz_objects *o)
{
    for (size_t i = 0; i < FUZZ_PLANS; i++) {
        free(o->plan[i]);
    }
}

/* ---- parts ---- */

/* "resourceVersion": mostly the newest, sometimes old, unknown or no number. */
static void add_version(struct fuzz_objects *o, struct skr_strbuf *b)
{
    uint32_t how = fuzz_choose(o, 16);
    if (how == 0) {
        return;
    }
    uint64_t version = how < 13 ? ++o->version : o->version - (o->version > how ? how : 0);
    skr_strbuf_addf(b, ",\"resourceVersion\":\"%" PRIu64 "%s\"", version, how == 15 ? "x" : "");
}

static const char *some_plan(struct fuzz_objects *o)
{
    static const char *const made[] = {
        "{",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Planned\",\"nodes\":{\"n0\":2},"
        "\"members\":{\"p0-0\":\"n0\",\"p1-0\":\"n0\"}}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Binding\",\"nodes\":{\"n0\":1,\"n1\":1},"
        "\"members\":{\"p0-0\":\"n0\",\"p1-0\":\"n1\"}}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Binding\",\"nodes\":{\"n0\":2}}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Planned\"}",
        "{\"id\":\"0123456789abcdef\",\"node\":\"n0\"}",
        "{\"id\":\"0123456789abcdef\",\"node\":\"n4\"}",
        "{\"v\":1,\"id\":\"fedcba9876543210\",\"state\":\"Binding\",\"members\":{\"p2-0\":\"n4\"},"
        "\"node\":\"n1\"}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Binding\",\"nodes\":{\"n0\":1,\"n1\":1},"
        "\"roles\":{\"n0\":{\"leader\":1},\"n1\":{\"worker\":1}},"
        "\"members\":{\"p0-0\":\"n0\",\"p1-0\":\"n1\"}}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"state\":\"Binding\",\"nodes\":{\"n0\":2},"
        "\"roles\":{\"n0\":{\"pod-1\":1,\"pod-2\":2147483647,\"pod-2\":7}}}",
    };
    uint32_t i = fuzz_choose(o, 32);
    if (i < 8) {
        return made[i];
    }
    if (i >= 30) {
        return made[i - 22];
    }
    return i < 8 + 2 * FUZZ_PLANS && o->plan[i % FUZZ_PLANS] ? o->plan[i % FUZZ_PLANS] : NULL;
}

static void add_annotations(struct skr_strbuf *b, const char *plan, const char *more)
{
    if (!plan && !*more) {
        return;
    }
    skr_strbuf_add(b, ",\"annotations\":{");
    if (plan) {
        skr_strbuf_add(b, "\"sakkara.plan\":");
        skr_strbuf_add_json(b, plan);
    }
    skr_strbuf_addf(b, "%s%s}", plan && *more ? "," : "", more);
}

static void begin(struct fuzz_objects *o, struct skr_strbuf *b, const char *name)
{
    skr_strbuf_init(b);
    skr_strbuf_addf(b,
                    "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\","
                    "\"creationTimestamp\":\"2026-01-01T00:00:0%uZ\"",
                    name, fuzz_choose(o, 3));
    add_version(o, b);
}

static json_t *finish(struct skr_strbuf *b)
{
    json_t *json = fuzz_json(b->s, b->len);
    skr_strbuf_fini(b);
    return json;
}

static void done(json_t *json, int rc)
{
    fuzz_check(rc == 0);
    json_decref(json);
}

/* ---- pods ---- */

static void add_labels(struct fuzz_objects *o, struct skr_strbuf *b)
{
    uint32_t group = fuzz_choose(o, 8), traces = fuzz_choose(o, 32);
    skr_strbuf_add(b, ",\"labels\":{\"sakkara.x\":\"\"");
    if (group < 6) {
        skr_strbuf_addf(b, ",\"%s\":\"%s\"",
                        group < 4 ? "sakkara.group.name" : "scheduling.x-k8s.io/pod-group",
                        fuzz_group_name(group % 2));
    }
    if (traces & 1) {
        skr_strbuf_addf(b, ",\"sakkara.member.rank\":\"%u\"", traces >> 1);
    }
    if (traces & 2) {
        skr_strbuf_addf(b, ",\"sakkara.member.status\":\"%s\"", traces & 4 ? "Bound" : "junk");
    }
    if (traces & 8) {
        skr_strbuf_addf(b, ",\"sakkara.member.plan\":\"%s\"",
                        traces & 4 ? "0123456789abcdef-1" : "-");
    }
    if (traces & 16) {
        skr_strbuf_addf(b, ",\"sakkara.group.size\":\"%u\",\"sakkara.member.retries\":\"%s\"",
                        traces & 3, traces & 4 ? "99999999999" : "1");
    }
    skr_strbuf_addc(b, '}');
}

static void add_spec(struct fuzz_objects *o, struct skr_strbuf *b)
{
    static const char *const gates[] = {"", "{\"name\":\"sakkara.gang\"}", "{\"name\":\"x\"}",
                                        "{\"name\":\"sakkara.gang\"},{\"name\":\"x\"}"};
    uint32_t node = fuzz_choose(o, 16), gate = fuzz_choose(o, 16), what = fuzz_choose(o, 64);
    skr_strbuf_addf(b, "},\"spec\":{\"schedulerName\":\"%s\",\"priority\":%u",
                    what % 16 == 1 ? "default-scheduler" : "sakkara", what & 3);
    if (node <= FUZZ_NODES) {
        skr_strbuf_addf(b, ",\"nodeName\":\"%s\"", fuzz_node_name(node));
    }
    skr_strbuf_addf(b, ",\"schedulingGates\":[%s]", gate < 4 ? gates[gate] : "");
    if (what % 16 == 2) {
        skr_strbuf_add(b, ",\"volumes\":[{\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]");
    }
    if (what % 16 == 3) {
        skr_strbuf_add(b, ",\"workloadRef\":{\"name\":\"w\"}");
    }
    if (what % 16 == 4) {
        skr_strbuf_add(b, ",\"nodeSelector\":{\"sakkara.topology.rack\":\"r0\"}");
    }
    skr_strbuf_addf(b, ",\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"%u\"}}}]}",
                    what % 16 == 5 ? 2 : 1);
}

static void add_status(struct fuzz_objects *o, struct skr_strbuf *b)
{
    static const char *const phase[] = {"Pending", "Running", "Succeeded", "Failed"};
    uint32_t what = fuzz_choose(o, 16), nominated = fuzz_choose(o, 16);
    skr_strbuf_addf(b, ",\"status\":{\"phase\":\"%s\"", phase[what < 4 ? what : 0]);
    if (nominated <= FUZZ_NODES) {
        skr_strbuf_addf(b, ",\"nominatedNodeName\":\"%s\"", fuzz_node_name(nominated));
    }
    if (what > 12) {
        skr_strbuf_add(b, ",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
                          "\"reason\":\"Unschedulable\",\"message\":\"0/4 nodes\"}]");
    }
    skr_strbuf_add(b, "}}");
}

struct skr_pod *fuzz_make_pod(struct fuzz_objects *o, uint32_t i)
{
    struct skr_strbuf b;
    struct skr_pod *pod = NULL;
    struct skr_error error;
    static const char *const role[] = {"", "leader", "worker", "other"};
    char name[16], uid[16], said[96] = "";
    uint32_t what = fuzz_choose(o, 64);
    if (what % 16 >= 4 && what / 16 > 0) {
        snprintf(said, sizeof said, "\"sakkara.group.role\":\"%s\",\"sakkara.group.set\":\"%u\"",
                 role[what / 16], what % 3);
    }
    begin(o, &b, fuzz_pod_name(i, name));
    skr_strbuf_addf(&b, ",\"uid\":\"%s\"", fuzz_pod_uid(i, what < 60 ? 0 : what - 60, uid));
    if (what % 16 == 1) {
        skr_strbuf_add(&b, ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"");
    }
    if (what % 16 != 2) {
        skr_strbuf_addf(&b, ",\"ownerReferences\":[{\"uid\":\"job-%u\",\"controller\":true}]",
                        what % 16 == 3);
    }
    add_labels(o, &b);
    add_annotations(&b, some_plan(o), said);
    add_spec(o, &b);
    add_status(o, &b);
    json_t *json = finish(&b);
    done(json, skr_pod_decode(json, &pod, &error));
    return pod;
}

/* ---- the others ---- */

struct skr_node *fuzz_make_node(struct fuzz_objects *o)
{
    struct skr_strbuf b;
    struct skr_node *node = NULL;
    struct skr_error error;
    const char *name = fuzz_node_name(fuzz_choose(o, FUZZ_NODES));
    uint32_t what = fuzz_choose(o, 32);
    begin(o, &b, name);
    if (what & 16) {
        skr_strbuf_addf(&b, ",\"labels\":{\"sakkara.topology.rack\":\"r%u\"}", what & 1);
    }
    skr_strbuf_add(&b, "},\"spec\":{");
    if (what % 8 == 6) {
        skr_strbuf_add(&b, "\"unschedulable\":true");
    }
    if (what % 8 == 7) {
        skr_strbuf_add(&b, "\"taints\":[{\"key\":\"k\",\"effect\":\"NoExecute\"}]");
    }
    skr_strbuf_addf(&b, "},\"status\":{\"allocatable\":{\"cpu\":\"%u\",\"pods\":\"9\"}}}",
                    what % 4 == 3 ? 0 : what % 4 + 1);
    json_t *json = finish(&b);
    done(json, skr_node_decode(json, &node, &error));
    return node;
}

struct skr_podgroup *fuzz_make_podgroup(struct fuzz_objects *o, uint32_t group)
{
    struct skr_strbuf b;
    struct skr_podgroup *pg = NULL;
    struct skr_error error;
    begin(o, &b, fuzz_group_name(group));
    add_annotations(&b, some_plan(o), "");
    skr_strbuf_addf(&b, "},\"spec\":{\"minMember\":%d}}", (int)fuzz_choose(o, 5) - 1);
    json_t *json = finish(&b);
    done(json, skr_podgroup_decode(json, &pg, &error));
    return pg;
}

static void add_group_data(struct fuzz_objects *o, struct skr_strbuf *b, const char *name)
{
    static const char *const constraints[] = {
        "{\"rack\":{\"type\":\"spread\"}}",
        "{\"node\":{\"max\":1}}",
        "{\"rack\":{\"hard\":true}}",
        "{\"nowhere\":{\"min\":2}}",
        "{",
        "{\"roles\":{\"worker\":{\"node\":{\"max\":1}}}}",
        "{\"sets\":[{\"level\":\"rack\",\"roles\":{\"leader\":1,\"worker\":1}}]}",
        "{\"sets\":[{\"level\":\"rack\",\"roles\":{\"worker\":2},\"exclusive\":true}]}",
        "{\"rack\":{},\"roles\":{\"other\":{\"rack\":{\"hard\":true}}},\"sets\":[]}"};
    static const char *const roles[] = {
        "{\"leader\":{\"size\":1},\"worker\":{\"size\":1}}",
        "{\"leader\":{\"size\":2},\"worker\":{\"size\":2}}",
        "{\"worker\":{\"size\":4,\"minimum\":1},\"leader\":{\"size\":1}}",
        "{\"other\":{\"size\":1},\"worker\":{\"size\":2}}"};
    static const char *const keys[] = {
        "\"status\":\"Bound\",\"reason\":\"PlanTimeout\"",
        ("\"conditions\":\"[{\\\"type\\\":\\\"Bound\\\",\\\"status\\\":\\\"True\\\","
         "\\\"lastTransitionTime\\\":\\\"2026-01-01T00:00:00Z\\\"}]\""),
        "\"schedBeginTime\":\"2026-01-01T00:00:00Z\",\"schedSolverTimeMilli\":\"x\"",
        "\"placement\":\"{\",\"rank\":\"[]\",\"conditions\":\"[1,{}]\"",
        ("\"status\":\"Bound\",\"sets\":\"{\\\"0\\\":\\\"r0\\\"}\",\"rank\":\"[(p0,0) (p1,1)]\","
         "\"placement\":\"{\\\"root\\\":{\\\"n0\\\":{\\\"p0\\\":{\\\"role\\\":\\\"leader\\\"},"
         "\\\"p1\\\":{\\\"role\\\":\\\"pod-2\\\"}}}}\"")};
    const uint32_t what = fuzz_choose(o, 32), size = fuzz_choose(o, 8), more = fuzz_choose(o, 16);
    const bool keyed = more >= 8 && more < 8 + sizeof roles / sizeof *roles;
    skr_strbuf_addf(b, "\"name\":\"%s\",\"priority\":\"%u\"", strcmp(name, "gc") == 0 ? "ga" : name,
                    what & 1);
    if (size < 7 && !(keyed && size < 5)) {
        skr_strbuf_addf(b, ",\"size\":\"%u\"", size);
    }
    if (what % 16 < sizeof constraints / sizeof *constraints) {
        skr_strbuf_add(b, ",\"constraints\":");
        skr_strbuf_add_json(b, constraints[what % 16]);
    }
    if (keyed) {
        skr_strbuf_add(b, ",\"roles\":");
        skr_strbuf_add_json(b, roles[more - 8]);
    }
    if (more < sizeof keys / sizeof *keys) {
        skr_strbuf_addf(b, ",%s", keys[more]);
    }
}

static void add_topology_data(struct fuzz_objects *o, struct skr_strbuf *b)
{
    static const char *const tree[] = {
        "{\"r0\":{\"n0\":{},\"n1\":{}},\"r1\":{\"n2\":{},\"n3\":{}}}",
        "{\"r0\":{\"n0\":{}},\"r1\":{\"n1\":{},\"n4\":{}}}", "{\"n0\":{},\"n1\":{},\"n2\":{}}",
        "{\"z\":{\"r\":{\"n0\":{},\"n1\":{}}}}", "{"};
    uint32_t what = fuzz_choose(o, 5);
    skr_strbuf_add(b, "\"tree\":");
    skr_strbuf_add_json(b, tree[what]);
    if (what == 3) {
        skr_strbuf_add(b, ",\"level-names\":\"[\\\"zone\\\",\\\"rack\\\",\\\"node\\\"]\"");
    }
}

struct skr_configmap *fuzz_make_map(struct fuzz_objects *o, const char *name)
{
    struct skr_strbuf b;
    struct skr_configmap *map = NULL;
    struct skr_error error;
    bool topology = strcmp(name, "topology") == 0;
    uint32_t what = fuzz_choose(o, 16);
    begin(o, &b, name);
    skr_strbuf_addf(&b, ",\"uid\":\"%s\"", name);
    if (what > 0) {
        skr_strbuf_addf(&b, ",\"labels\":{\"%s\":\"\"%s}",
                        topology ? "sakkara.topology" : "sakkara.group",
                        what == 1 && !topology ? ",\"sakkara.topology\":\"\"" : "");
    }
    add_annotations(&b, some_plan(o), "");
    skr_strbuf_add(&b, "},\"data\":{");
    if (topology) {
        add_topology_data(o, &b);
    } else {
        add_group_data(o, &b, name);
    }
    skr_strbuf_add(&b, "}}");
    json_t *json = finish(&b);
    done(json, skr_configmap_decode(json, &map, &error));
    return map;
}
