/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cursor over the text (topology/base/json_scan.h). Every object that is looked into has a table
 * of the members that count; a member is a number in it. A member that comes twice ends the scan:
 * which of the two counts is for the tree to say.
 */
#include "core/pod/text_parts.h"

#include <string.h>

#include "core/pod/pod.h"
#include "topology/base/decimal.h"

/* Names of members with their quotes. */
struct table {
    const char *const *name;
    int n;
};

/* Of the key: what follows. */
enum tag {
    TAG_CONTAINER = 'c',
    TAG_INIT_CONTAINER = 'i',
    TAG_STATUS = 's',
    TAG_INIT_STATUS = 't',
    TAG_MEMBER = 'm',
    TAG_VALUE = 'v',
    TAG_END = 'e',
    TAG_LATE = 'l',
    TAG_RESIZE = 'r',
    TAG_SPEC = 'p',
    TAG_HOLDER = 'h',
};

struct scan {
    struct skr_json_scan *json;
    struct skr_pod_parts *parts;
    struct skr_strbuf *key;
    bool odd; /* not understood */
};

static bool odd(struct scan *s)
{
    s->odd = true;
    return false;
}

bool skr_pod_parts_is(const struct skr_json_span *span, const char *text)
{
    return span->s && *text == span->s[1] && strncmp(text, span->s + 1, span->len - 2) == 0 &&
           !text[span->len - 2];
}

/* ---- members ---- */

/* Over the members of an object, those of a table by their number in it. */
struct members {
    const struct table *table;
    int i; /* -1: one that does not count */
    bool first;
    uint32_t seen; /* bits of those that came */
};

/* Goes into the object that comes next. */
static struct members members_of(struct scan *s, const struct table *table)
{
    s->odd = s->odd || !skr_json_scan_enter(s->json, '{');
    return (struct members){.table = table, .first = true};
}

/* The cursor is before the value of the next member. False at the end, and when something is odd. */
static bool next_member(struct scan *s, struct members *m)
{
    struct skr_json_span key;
    if (s->odd || !skr_json_scan_raw_member(s->json, &m->first, &key)) {
        s->odd = s->odd || s->json->what;
        return false;
    }
    for (m->i = 0; m->i < m->table->n; m->i++) {
        const char *name = m->table->name[m->i];
        if (name[1] == key.s[1] && strncmp(name, key.s, key.len) == 0 && !name[key.len]) {
            uint32_t bit = UINT32_C(1) << m->i;
            bool twice = (m->seen & bit) != 0;
            m->seen |= bit;
            return !twice || odd(s);
        }
    }
    m->i = -1;
    return !memchr(key.s, '\\', key.len) || odd(s);
}

/* Any value. */
static bool take(struct scan *s, struct skr_json_span *ret)
{
    return skr_json_scan_value(s->json, ret) || odd(s);
}

/* A value that begins with this byte, or null: then ret->s is NULL. */
static bool take_typed(struct scan *s, char type, struct skr_json_span *ret)
{
    *ret = (struct skr_json_span){0};
    if (skr_json_scan_peek(s->json) == 'n') {
        return take(s, NULL);
    }
    return skr_json_scan_peek(s->json) == type ? take(s, ret) : odd(s);
}

static bool take_string(struct scan *s, struct skr_json_span *ret)
{
    return take_typed(s, '"', ret);
}

/* Goes into the array that comes next. */
static bool enter(struct scan *s)
{
    return skr_json_scan_enter(s->json, '[') || odd(s);
}

static bool skip(struct scan *s)
{
    return take(s, NULL);
}

/* Tag, number of the member and the value as it stands. */
static bool take_into_key(struct scan *s, enum tag tag, int number)
{
    struct skr_json_span value;
    if (!take(s, &value)) {
        return false;
    }
    skr_strbuf_addc(s->key, (char)tag);
    skr_strbuf_addc(s->key, (char)('0' + number));
    skr_strbuf_addn(s->key, value.s, value.len);
    return true;
}

/* Objects in an array, of which some members are part of the key. */
static bool take_list_into_key(struct scan *s, enum tag tag, const struct table *table)
{
    bool first = true;
    skr_strbuf_addc(s->key, (char)tag);
    if (skr_json_scan_peek(s->json) != '[') {
        return take_into_key(s, TAG_VALUE, 0);
    }
    (void)enter(s);
    while (!s->odd && skr_json_scan_element(s->json, &first)) {
        if (skr_json_scan_peek(s->json) != '{') {
            (void)take_into_key(s, TAG_VALUE, 0);
            continue;
        }
        struct members m = members_of(s, table);
        skr_strbuf_addc(s->key, (char)tag);
        while (next_member(s, &m)) {
            (void)(m.i < 0 ? skip(s) : take_into_key(s, TAG_MEMBER, m.i));
        }
    }
    skr_strbuf_addc(s->key, TAG_END);
    return !s->odd && !s->json->what;
}

/* ---- metadata ---- */

static bool scan_owner(struct scan *s, bool *found)
{
    static const char *const names[] = {"\"controller\"", "\"kind\"", "\"uid\""};
    static const struct table table = {names, 3};
    struct skr_json_span controller = {0};
    struct skr_json_span kind = {0};
    struct skr_json_span uid = {0};
    struct members m = members_of(s, &table);
    while (next_member(s, &m)) {
        (void)(m.i == 0   ? take(s, &controller)
               : m.i == 1 ? take_string(s, &kind)
               : m.i == 2 ? take_string(s, &uid)
                          : skip(s));
    }
    if (s->odd || (controller.s && !strchr("tfn", controller.s[0]))) {
        return odd(s);
    }
    if (!*found && controller.s && controller.s[0] == 't') {
        *found = true;
        s->parts->controller_uid = uid;
        s->parts->of_job = skr_pod_parts_is(&kind, "Job");
        return !kind.s || !memchr(kind.s, '\\', kind.len) || odd(s);
    }
    return true;
}

/* The elements of an array, or null. */
static bool scan_list(struct scan *s, size_t limit, bool (*element)(struct scan *s, bool *found))
{
    bool first = true;
    bool found = false;
    size_t n = 0;
    if (skr_json_scan_peek(s->json) == 'n') {
        return skip(s);
    }
    if (!enter(s)) {
        return false;
    }
    while (!s->odd && skr_json_scan_element(s->json, &first)) {
        (void)(n++ < limit ? element(s, &found) : odd(s));
    }
    return !s->odd && (!s->json->what || odd(s));
}

static bool scan_metadata(struct scan *s)
{
    static const char *const names[] = {"\"namespace\"",
                                        "\"name\"",
                                        "\"uid\"",
                                        "\"resourceVersion\"",
                                        "\"creationTimestamp\"",
                                        "\"deletionTimestamp\"",
                                        "\"labels\"",
                                        "\"annotations\"",
                                        "\"ownerReferences\""};
    enum { STRINGS = 6, LABELS = 6, ANNOTATIONS, OWNERS, N };
    static const struct table table = {names, N};
    struct skr_pod_parts *p = s->parts;
    struct skr_json_span *const string[STRINGS] = {&p->namespace_, &p->name,    &p->uid,
                                                   &p->version,    &p->created, &p->deleted};
    struct members m = members_of(s, &table);
    while (next_member(s, &m)) {
        if (m.i < 0) {
            (void)skip(s);
        } else if (m.i < STRINGS) {
            (void)take_string(s, string[m.i]);
        } else if (m.i == OWNERS) {
            (void)scan_list(s, SKR_POD_LISTS_MAX, scan_owner);
        } else {
            (void)take_typed(s, '{', m.i == LABELS ? &p->labels : &p->annotations);
        }
    }
    return !s->odd && p->name.s;
}

/* ---- spec ---- */

static bool scan_gate(struct scan *s, bool *found)
{
    static const char *const names[] = {"\"name\""};
    static const struct table table = {names, 1};
    struct skr_json_span name = {0};
    struct members m = members_of(s, &table);
    (void)found;
    while (next_member(s, &m)) {
        (void)(m.i == 0 ? take_string(s, &name) : skip(s));
    }
    if (s->odd || (name.s && memchr(name.s, '\\', name.len))) {
        return odd(s);
    }
    *(skr_pod_parts_is(&name, SKR_GATE) ? &s->parts->gate : &s->parts->foreign_gate) = true;
    return !s->odd;
}

static bool scan_volume(struct scan *s, bool *found)
{
    static const char *const names[] = {"\"persistentVolumeClaim\"", "\"ephemeral\""};
    static const struct table table = {names, 2};
    struct members m = members_of(s, &table);
    (void)found;
    while (next_member(s, &m)) {
        struct skr_json_span claim = {0};
        (void)(m.i < 0 ? skip(s) : take_typed(s, '{', &claim));
        s->parts->late_capacity = s->parts->late_capacity || claim.s;
    }
    return !s->odd;
}

static bool scan_priority(struct scan *s)
{
    struct skr_json_span text;
    int64_t value;
    if (!take(s, &text)) {
        return false;
    }
    if (text.s[0] == 'n') {
        return true;
    }
    if (!skr_decimal_parse(text.s, text.len, &value) || value < INT32_MIN || value > INT32_MAX) {
        return odd(s);
    }
    s->parts->has_priority = true;
    s->parts->priority = (int32_t)value;
    return true;
}

static bool scan_grace(struct scan *s)
{
    struct skr_json_span text;
    int64_t value;
    if (!take(s, &text)) {
        return false;
    }
    if (text.s[0] == 'n') {
        return true;
    }
    if (!skr_decimal_parse(text.s, text.len, &value)) {
        return odd(s);
    }
    s->parts->has_grace = true;
    s->parts->grace_s = skr_pod_grace(value);
    return true;
}

enum spec_member {
    SPEC_CONTAINERS,
    SPEC_INIT_CONTAINERS,
    SPEC_NODE,
    SPEC_SCHEDULER,
    SPEC_PREEMPTION,
    SPEC_PRIORITY,
    SPEC_GATES,
    SPEC_VOLUMES,
    SPEC_AFFINITY,
    SPEC_CONSTRAINTS,
    SPEC_GRACE,
    SPEC_OVERHEAD,
    SPEC_RESOURCES,
    SPEC_NODE_SELECTOR,
    SPEC_TOLERATIONS,
    SPEC_CLAIMS,
    SPEC_N
};

static bool scan_spec_member(struct scan *s, int i)
{
    static const char *const container[] = {"\"name\"", "\"resources\"", "\"ports\"",
                                            "\"restartPolicy\""};
    static const struct table containers = {container, 4};
    struct skr_pod_parts *p = s->parts;
    struct skr_json_span policy = {0};
    switch (i) {
    case SPEC_CONTAINERS:
        return take_list_into_key(s, TAG_CONTAINER, &containers);
    case SPEC_INIT_CONTAINERS:
        return take_list_into_key(s, TAG_INIT_CONTAINER, &containers);
    case SPEC_NODE:
        return take_string(s, &p->node);
    case SPEC_SCHEDULER:
        return take_string(s, &p->scheduler);
    case SPEC_PREEMPTION:
        if (!take_string(s, &policy) || (policy.s && memchr(policy.s, '\\', policy.len))) {
            return odd(s);
        }
        p->preempts_never = skr_pod_parts_is(&policy, "Never");
        return true;
    case SPEC_PRIORITY:
        return scan_priority(s);
    case SPEC_GATES:
        return scan_list(s, SKR_POD_LISTS_MAX, scan_gate);
    case SPEC_VOLUMES:
        return scan_list(s, SKR_POD_VOLUMES_MAX, scan_volume);
    case SPEC_AFFINITY:
        return take(s, &p->affinity);
    case SPEC_CONSTRAINTS:
        return take(s, &p->constraints);
    case SPEC_GRACE:
        return scan_grace(s);
    default:
        return i < 0 ? skip(s) : take_into_key(s, TAG_SPEC, i);
    }
}

static bool contains(const struct skr_json_span *span, const char *text)
{
    const size_t n = strlen(text);
    const char *at = span->s;
    size_t left = span->len;
    for (const char *hit; left >= n && (hit = memchr(at, text[0], left - n + 1));) {
        if (memcmp(hit, text, n) == 0) {
            return true;
        }
        left -= (size_t)(hit + 1 - at);
        at = hit + 1;
    }
    return false;
}

/* Rules about other pods; their text may name keys of the pod's own labels. */
static void add_rules(struct scan *s, const struct skr_json_span *rules, int number)
{
    if (!rules->s) {
        return;
    }
    s->parts->depends_on_labels = s->parts->depends_on_labels || contains(rules, "abelKeys") ||
                                  memchr(rules->s, '\\', rules->len);
    skr_strbuf_addc(s->key, TAG_SPEC);
    skr_strbuf_addc(s->key, (char)('0' + number));
    skr_strbuf_addn(s->key, rules->s, rules->len);
}

static bool scan_spec(struct scan *s)
{
    static const char *const names[SPEC_N] = {
        [SPEC_CONTAINERS] = "\"containers\"",
        [SPEC_INIT_CONTAINERS] = "\"initContainers\"",
        [SPEC_NODE] = "\"nodeName\"",
        [SPEC_SCHEDULER] = "\"schedulerName\"",
        [SPEC_PREEMPTION] = "\"preemptionPolicy\"",
        [SPEC_PRIORITY] = "\"priority\"",
        [SPEC_GATES] = "\"schedulingGates\"",
        [SPEC_VOLUMES] = "\"volumes\"",
        [SPEC_AFFINITY] = "\"affinity\"",
        [SPEC_CONSTRAINTS] = "\"topologySpreadConstraints\"",
        [SPEC_GRACE] = "\"terminationGracePeriodSeconds\"",
        [SPEC_OVERHEAD] = "\"overhead\"",
        [SPEC_RESOURCES] = "\"resources\"",
        [SPEC_NODE_SELECTOR] = "\"nodeSelector\"",
        [SPEC_TOLERATIONS] = "\"tolerations\"",
        [SPEC_CLAIMS] = "\"resourceClaims\"",
    };
    static const struct table table = {names, SPEC_N};
    struct members m = members_of(s, &table);
    const size_t from = s->json->pos - 1;
    while (next_member(s, &m)) {
        (void)scan_spec_member(s, m.i);
    }
    if (s->odd) {
        return false;
    }
    s->parts->spec = (struct skr_json_span){s->json->s + from, s->json->pos - from};
    add_rules(s, &s->parts->affinity, SPEC_AFFINITY);
    add_rules(s, &s->parts->constraints, SPEC_CONSTRAINTS);
    if (s->parts->late_capacity) {
        skr_strbuf_addc(s->key, TAG_LATE);
    }
    return true;
}

/* ---- status ---- */

static bool scan_condition(struct scan *s, bool *found)
{
    static const char *const names[] = {"\"type\"", "\"status\"", "\"reason\"", "\"message\""};
    static const struct table table = {names, 4};
    struct skr_json_span part[4] = {{0}};
    struct members m = members_of(s, &table);
    while (next_member(s, &m)) {
        (void)(m.i < 0 ? skip(s) : take_string(s, &part[m.i]));
    }
    for (int i = 0; i < 2; i++) {
        if (part[i].s && memchr(part[i].s, '\\', part[i].len)) {
            return odd(s);
        }
    }
    if (!s->parts->is_unscheduled && skr_pod_parts_is(&part[0], "PodScheduled") &&
        skr_pod_parts_is(&part[1], "False")) {
        s->parts->is_unscheduled = true;
        s->parts->scheduled_reason = part[2];
        s->parts->scheduled_message = part[3];
    }
    if (!*found && skr_pod_parts_is(&part[0], "PodResizePending")) {
        *found = true;
        skr_strbuf_addc(s->key, TAG_RESIZE);
        skr_strbuf_addn(s->key, part[2].s ? part[2].s : "", part[2].len);
    }
    return !s->odd;
}

enum status_member {
    STATUS_PHASE,
    STATUS_NOMINATED,
    STATUS_REASON,
    STATUS_CONDITIONS,
    STATUS_CONTAINERS,
    STATUS_INIT_CONTAINERS,
    STATUS_RESOURCES,
    STATUS_ALLOCATED,
    STATUS_N
};

static bool scan_status_member(struct scan *s, int i)
{
    static const char *const container[] = {"\"name\"", "\"resources\"", "\"allocatedResources\""};
    static const struct table containers = {container, 3};
    struct skr_pod_parts *p = s->parts;
    switch (i) {
    case STATUS_PHASE:
        return take_string(s, &p->phase);
    case STATUS_NOMINATED:
        return take_string(s, &p->nominated);
    case STATUS_REASON:
        return take_string(s, &p->failed_reason);
    case STATUS_CONDITIONS:
        return scan_list(s, SKR_POD_LISTS_MAX, scan_condition);
    case STATUS_CONTAINERS:
        return take_list_into_key(s, TAG_STATUS, &containers);
    case STATUS_INIT_CONTAINERS:
        return take_list_into_key(s, TAG_INIT_STATUS, &containers);
    default:
        return i < 0 ? skip(s) : take_into_key(s, TAG_HOLDER, i);
    }
}

static bool scan_status(struct scan *s)
{
    static const char *const names[STATUS_N] = {
        [STATUS_PHASE] = "\"phase\"",
        [STATUS_NOMINATED] = "\"nominatedNodeName\"",
        [STATUS_REASON] = "\"reason\"",
        [STATUS_CONDITIONS] = "\"conditions\"",
        [STATUS_CONTAINERS] = "\"containerStatuses\"",
        [STATUS_INIT_CONTAINERS] = "\"initContainerStatuses\"",
        [STATUS_RESOURCES] = "\"resources\"",
        [STATUS_ALLOCATED] = "\"allocatedResources\"",
    };
    static const struct table table = {names, STATUS_N};
    struct members m = members_of(s, &table);
    const size_t from = s->json->pos - 1;
    while (next_member(s, &m)) {
        if (!scan_status_member(s, m.i)) {
            return odd(s);
        }
    }
    s->parts->status = (struct skr_json_span){s->json->s + from, s->json->pos - from};
    return !s->odd &&
           (!s->parts->phase.s || !memchr(s->parts->phase.s, '\\', s->parts->phase.len) || odd(s));
}

bool skr_pod_parts_scan(struct skr_json_scan *scan, struct skr_pod_parts *ret,
                        struct skr_strbuf *key)
{
    static const char *const names[] = {"\"metadata\"", "\"spec\"", "\"status\""};
    static const struct table table = {names, 3};
    *ret = (struct skr_pod_parts){.of_job = false};
    struct scan s = {.json = scan, .parts = ret, .key = key};
    skr_strbuf_reset(key);
    struct members m = members_of(&s, &table);
    while (next_member(&s, &m)) {
        bool ok = m.i == 0   ? scan_metadata(&s)
                  : m.i == 1 ? scan_spec(&s)
                  : m.i == 2 ? scan_status(&s)
                             : skip(&s);
        if (!ok) {
            return false;
        }
    }
    return !s.odd && ret->name.s;
}
