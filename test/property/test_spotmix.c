/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spot mix against random pods and random lives.
 *
 * Patches: whatever a pod looks like, the patch applies by an applier that knows nothing of ours
 * (RFC 6902), changes only what it is for, and the pod runs on no node that it could not run on
 * before. Lives: pods are created, seen late, refused by others, deleted, scaled; a model that is
 * a list of (index, expiry) predicts every index. Refusals: a ReplicaSet creates its pods in growing
 * batches, and the API server refuses any of them after their reviews.
 */
#include "test/test.h"

#include <jansson.h>

#include "core/spotmix/drift.h"
#include "core/spotmix/mix.h"
#include "core/spotmix/view.h"
#include "server/kube/base64.h"

enum { PODS = 5000, LIVES = 200, STEPS = 120, LIVING_MAX = 256 };
#define PREFIX "x~y.io/k~z"

static uint64_t state;

static unsigned roll(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % n);
}

/* ---- an applier of its own: recursive, on values ---- */

static char *unescape(const char *token, size_t n)
{
    char *out = calloc(n + 1, 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (token[i] == '~') {
            i++;
            assert_true(i < n && (token[i] == '0' || token[i] == '1'));
            out[k++] = token[i] == '0' ? '~' : '/';
        } else {
            out[k++] = token[i];
        }
    }
    return out;
}

/* "add" at pointer below target, in place; false: it does not apply. */
static bool add_at(json_t *target, const char *pointer, json_t *value)
{
    assert_int_equal(pointer[0], '/');
    const char *slash = strchr(pointer + 1, '/');
    const size_t n = slash ? (size_t)(slash - pointer - 1) : strlen(pointer + 1);
    SKR_AUTO_FREE char *token = unescape(pointer + 1, n);
    bool done = false;

    if (json_is_object(target)) {
        done = slash ? json_object_get(target, token) &&
                           add_at(json_object_get(target, token), slash, value)
                     : json_object_set(target, token, value) == 0;
    } else if (json_is_array(target)) {
        if (!slash && strcmp(token, "-") == 0) {
            done = json_array_append(target, value) == 0;
        } else {
            json_t *element = json_array_get(target, (size_t)strtoul(token, NULL, 10));
            done = slash && element && add_at(element, slash, value);
        }
    }
    return done;
}

static json_t *patched(const json_t *pod, const json_t *patch)
{
    json_t *copy = json_deep_copy(pod);
    for (size_t i = 0; i < json_array_size(patch); i++) {
        const json_t *operation = json_array_get(patch, i);
        json_auto_t *value = json_deep_copy(json_object_get(operation, "value"));
        assert_string_equal(json_string_value(json_object_get(operation, "op")), "add");
        assert_true(add_at(copy, json_string_value(json_object_get(operation, "path")), value));
    }
    return copy;
}

/* ---- random pods ---- */

static const char *const labels[] = {"node.kubernetes.io/capacity", "zone", "a~b/c"};
static const char *const values[] = {"spot", "on-demand", "a", "7"};

static json_t *random_expression(void)
{
    static const char *const op[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    json_t *expression = json_object(), *list = json_array();
    const unsigned at = roll(6);
    json_object_set_new(expression, "key", json_string(labels[roll(3)]));
    json_object_set_new(expression, "operator", json_string(op[at]));
    for (unsigned i = 0, n = at < 2 ? 1 + roll(2) : at < 4 ? 0 : 1; i < n; i++) {
        json_array_append_new(list, json_string(at < 4 ? values[roll(4)] : "5"));
    }
    json_object_set_new(expression, "values", list);
    return expression;
}

static json_t *random_term(void)
{
    json_t *term = json_object();
    if (roll(8) == 0) {
        json_decref(term);
        return json_null();
    }
    if (roll(4) > 0) {
        json_t *list = json_array();
        for (unsigned n = roll(3); n > 0; n--) {
            json_array_append_new(list, random_expression());
        }
        json_object_set(term, "matchExpressions", list);
        json_decref(list);
        if (roll(8) == 0) {
            json_object_set_new(term, "matchExpressions", json_null());
        }
    }
    if (roll(4) == 0) {
        json_object_set_new(term, "matchFields",
                            json_pack("[{s:s, s:s, s:[s]}]", "key", "metadata.name", "operator",
                                      "In", "values", "n7"));
    }
    return term;
}

/* Missing, null, empty or filled. */
static void maybe(json_t *object, const char *key, json_t *value)
{
    const unsigned at = roll(5);
    if (at == 0) {
        json_decref(value);
    } else if (at == 1) {
        json_decref(value);
        json_object_set_new(object, key, json_null());
    } else if (at == 2) {
        json_decref(value);
        json_object_set_new(object, key, json_object());
    } else {
        json_object_set_new(object, key, value);
    }
}

static json_t *random_pod(void)
{
    json_t *meta = json_object(), *spec = json_object(), *terms = json_array();
    json_t *required = json_object(), *node = json_object(), *affinity = json_object();
    for (unsigned n = roll(4); n > 0; n--) {
        json_array_append_new(terms, random_term());
    }
    json_object_set_new(required, "nodeSelectorTerms", terms);
    maybe(node, "requiredDuringSchedulingIgnoredDuringExecution", required);
    maybe(affinity, "nodeAffinity", node);
    maybe(spec, "affinity", affinity);
    maybe(meta, "labels", json_pack("{s:s}", "a~/b", "c"));
    maybe(meta, "annotations", json_pack("{s:s}", roll(2) ? SKR_SPOTMIX_COST_KEY : "o", "9"));
    if (roll(3) == 0) {
        json_object_set_new(spec, "nodeSelector",
                            json_pack("{s:s}", labels[roll(3)], values[roll(4)]));
    }
    json_object_set_new(meta, "ownerReferences",
                        json_pack("[{s:s, s:s, s:s, s:s, s:b}]", "apiVersion", "apps/v1", "kind",
                                  "ReplicaSet", "name", "rs", "uid", "rs-1", "controller", 1));
    return json_pack("{s:o, s:o}", "metadata", meta, "spec", spec);
}

/* ---- what a pod may run on, by brute force ---- */

static bool meets(const json_t *expression, const json_t *node)
{
    const char *op = json_string_value(json_object_get(expression, "operator"));
    const char *value = json_string_value(
        json_object_get(node, json_string_value(json_object_get(expression, "key"))));
    bool in = false;
    for (size_t i = 0; i < json_array_size(json_object_get(expression, "values")); i++) {
        const char *one =
            json_string_value(json_array_get(json_object_get(expression, "values"), i));
        in |= value && strcmp(one, value) == 0;
    }
    if (strcmp(op, "In") == 0) {
        return in;
    }
    if (strcmp(op, "NotIn") == 0) {
        return !in;
    }
    if (strcmp(op, "Exists") == 0 || strcmp(op, "DoesNotExist") == 0) {
        return !!value == (strcmp(op, "Exists") == 0);
    }
    return value && strcmp(value, "7") == 0 && strcmp(op, "Gt") == 0; /* all bounds are 5 */
}

static bool admits(const json_t *spec, const json_t *node)
{
    const json_t *required =
        json_object_get(json_object_get(json_object_get(spec, "affinity"), "nodeAffinity"),
                        "requiredDuringSchedulingIgnoredDuringExecution");
    const json_t *terms = json_object_get(required, "nodeSelectorTerms");
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(spec, "nodeSelector"), key, value)
    {
        if (!json_equal(value, json_object_get(node, key))) {
            return false;
        }
    }
    if (!json_is_object(required)) {
        return true;
    }
    for (size_t i = 0; i < json_array_size(terms); i++) {
        const json_t *list = json_object_get(json_array_get(terms, i), "matchExpressions");
        const bool fields =
            json_array_size(json_object_get(json_array_get(terms, i), "matchFields")) > 0;
        bool all = fields || json_array_size(list) > 0;
        for (size_t k = 0; all && k < json_array_size(list); k++) {
            all = meets(json_array_get(list, k), node);
        }
        if (all) {
            return true; /* fields: the node is taken for the one that is meant */
        }
    }
    return false;
}

static void check_admission(const json_t *before, const json_t *after, const char *class_)
{
    for (unsigned set = 0; set < 5 * 5 * 5; set++) {
        json_auto_t *node = json_object();
        for (unsigned i = 0, at = set; i < 3; i++, at /= 5) {
            if (at % 5 > 0) {
                json_object_set_new(node, labels[i], json_string(values[at % 5 - 1]));
            }
        }
        const char *its = json_string_value(json_object_get(node, labels[0]));
        if (admits(after, node)) {
            assert_true(admits(before, node));
            assert_true(its && strcmp(its, class_) == 0);
        }
    }
}

/* ---- reviews ---- */

static struct skr_spotmix *new_mix(struct skr_spotmix_settings *settings, const char *max,
                                   unsigned replicas)
{
    struct skr_spotmix *mix;
    skr_spotmix_settings_default(settings);
    settings->key_prefix = PREFIX;
    assert_int_equal(skr_spotmix_create(settings, &mix, NULL), 0);
    json_auto_t *owner =
        json_pack("{s:{s:s, s:s, s:s, s:{s:s, s:s}}, s:{s:i}}", "metadata", "namespace", "d",
                  "name", "rs", "uid", "rs-1", "labels", PREFIX, "true",
                  PREFIX "-max-on-demand-count", max, "spec", "replicas", (int)replicas);
    skr_spotmix_put(mix, SKR_SPOTMIX_REPLICA_SET, owner);
    return mix;
}

/* The patch, NULL: none. */
static json_t *review(struct skr_spotmix *mix, json_t *pod, skr_time now, unsigned token)
{
    struct skr_spotmix_review asked = {.serving = true, .now = now};
    struct skr_spotmix_answer answer;
    json_t *patch = NULL;
    json_auto_t *body = json_pack("{s:s, s:s, s:{s:s, s:{s:s, s:s, s:s}, s:s, s:s, s:O}}", "kind",
                                  "AdmissionReview", "apiVersion", "admission.k8s.io/v1", "request",
                                  "uid", "u", "resource", "group", "", "version", "v1", "resource",
                                  "pods", "namespace", "d", "operation", "CREATE", "object", pod);
    char *text = json_dumps(body, 0), *decoded;
    size_t n;
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(text, strlen(text));
    asked.body = read;
    memcpy(asked.random, &token, sizeof token);
    skr_spotmix_review(mix, &asked, &answer);
    assert_int_equal(answer.status, 200);
    json_auto_t *json = json_loads(answer.body.s, 0, NULL);
    const char *coded =
        json_string_value(json_object_get(json_object_get(json, "response"), "patch"));
    if (coded) {
        assert_int_equal(skr_base64_decode(coded, strlen(coded), &decoded, &n, NULL), 0);
        patch = json_loadb(decoded, n, 0, NULL);
        assert_non_null(patch);
        free(decoded);
    }
    assert_int_equal(!!patch, answer.result == SKR_SPOTMIX_PATCHED);
    skr_strbuf_fini(&answer.body);
    free(text);
    return patch;
}

static json_t *member(const json_t *pod, const char *of, const char *key)
{
    return json_object_get(json_object_get(json_object_get(pod, "metadata"), of), key);
}

/* Takes what the patch is for out of the result: nothing else may differ. */
static void check_rest(const json_t *before, json_t *after)
{
    json_auto_t *was = json_deep_copy(before);
    json_t *lists[] = {was, after};
    for (int i = 0; i < 2; i++) {
        json_t *meta = json_object_get(lists[i], "metadata");
        json_object_del(json_object_get(meta, "labels"), PREFIX "-class");
        json_object_del(json_object_get(meta, "labels"), PREFIX "-index");
        json_object_del(json_object_get(meta, "annotations"), PREFIX "-token");
        if (!member(before, "annotations", SKR_SPOTMIX_COST_KEY)) {
            json_object_del(json_object_get(meta, "annotations"), SKR_SPOTMIX_COST_KEY);
        }
        json_object_del(json_object_get(lists[i], "spec"), "affinity");
        if (json_object_size(json_object_get(meta, "labels")) == 0) {
            json_object_del(meta, "labels");
        }
        if (json_object_size(json_object_get(meta, "annotations")) == 0) {
            json_object_del(meta, "annotations");
        }
    }
    assert_true(json_equal(was, after));
}

TEST(a_patch_always_applies_changes_no_more_and_widens_nothing)
{
    struct skr_spotmix_settings settings;
    unsigned n = 0;
    state = 7;
    for (unsigned i = 0; i < PODS; i++) {
        struct skr_spotmix *mix = new_mix(&settings, roll(2) ? "1" : "0", 1);
        json_auto_t *pod = random_pod();
        json_auto_t *patch = review(mix, pod, 0, i);
        if (patch) {
            json_t *after = patched(pod, patch);
            const char *class_ = json_string_value(member(after, "labels", PREFIX "-class"));
            assert_non_null(class_);
            const json_t *required = json_object_get(
                json_object_get(json_object_get(json_object_get(pod, "spec"), "affinity"),
                                "nodeAffinity"),
                "requiredDuringSchedulingIgnoredDuringExecution");
            char kept[16];
            snprintf(kept, sizeof kept, "%s", class_);
            if (!json_is_object(required) || json_object_get(required, "nodeSelectorTerms")) {
                check_admission(json_object_get(pod, "spec"), json_object_get(after, "spec"), kept);
            }
            check_rest(pod, after);
            json_decref(after);
            n++;
        }
        skr_spotmix_destroy(mix);
    }
    assert_true(n > PODS / 4 && n < PODS);
}

/* ---- lives ---- */

struct life {
    int index; /* what the pod's label says */
    bool seen; /* by the watch */
    bool there;
    skr_time expires; /* of its reservation */
    json_t *object;
};

struct lives {
    struct skr_spotmix *mix;
    struct life life[LIVING_MAX];
    unsigned n;
    skr_time now;
    bool late; /* a pod was seen after its reservation had ended: indices may have moved */
};

static unsigned vacant(const struct lives *lives)
{
    for (unsigned index = 0;; index++) {
        bool taken = false;
        for (unsigned i = 0; i < lives->n; i++) {
            const struct life *life = &lives->life[i];
            taken |= life->index == (int)index &&
                     ((life->there && life->seen) || (!life->seen && life->expires > lives->now));
        }
        if (!taken) {
            return index;
        }
    }
}

static void apply_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct lives *lives = context;
    for (unsigned i = 0; i < lives->n; i++) {
        json_t *meta = json_object_get(lives->life[i].object, "metadata");
        if (strcmp(json_string_value(json_object_get(meta, "uid")), fix->uid) == 0) {
            char number[16];
            assert_true(fix->class_ == SKR_SPOTMIX_NO_CLASS && fix->index >= 0 && !fix->cost);
            snprintf(number, sizeof number, "%d", (int)fix->index);
            json_object_set_new(json_object_get(meta, "labels"), PREFIX "-index",
                                json_string(number));
            lives->life[i].index = (int)fix->index;
        }
    }
}

static void settle(struct lives *lives)
{
    const struct skr_spotmix_settling settling = {
        .now = SKR_TIME_NEVER, .emit = apply_fix, .context = lives};
    skr_spotmix_settle(lives->mix, &settling);
    for (unsigned i = 0; i < lives->n; i++) {
        if (lives->life[i].there && lives->life[i].seen) {
            const json_t *meta = json_object_get(lives->life[i].object, "metadata");
            skr_spotmix_put(lives->mix, SKR_SPOTMIX_POD, lives->life[i].object);
            skr_spotmix_fixed(lives->mix, json_string_value(json_object_get(meta, "uid")), true);
        }
    }
}

static void observe(struct lives *lives, struct life *life)
{
    if (life->there && !life->seen) {
        life->seen = true;
        skr_spotmix_put(lives->mix, SKR_SPOTMIX_POD, life->object);
        settle(lives);
    }
}

/* If the last review was a second ago, a pod that is not seen was refused. */
static void end_silent(struct lives *lives)
{
    skr_time last = 0;
    for (unsigned i = 0; i < lives->n; i++) {
        const skr_time made = lives->life[i].expires - 30 * SKR_SECOND;
        last = !lives->life[i].seen && made > last ? made : last;
    }
    for (unsigned i = 0; i < lives->n && last + SKR_SECOND <= lives->now; i++) {
        if (lives->life[i].expires > lives->now) {
            lives->life[i].expires = lives->now;
        }
    }
}

static void create(struct lives *lives, unsigned number)
{
    struct life *life = &lives->life[lives->n];
    char uid[24], created[40];
    json_auto_t *pod =
        json_pack("{s:{s:s, s:[{s:s, s:s, s:s, s:s, s:b}]}, s:{}}", "metadata", "namespace", "d",
                  "ownerReferences", "apiVersion", "apps/v1", "kind", "ReplicaSet", "name", "rs",
                  "uid", "rs-1", "controller", 1, "spec");
    end_silent(lives);
    const unsigned expected = vacant(lives);
    json_auto_t *patch = review(lives->mix, pod, lives->now, number + 1);
    assert_non_null(patch);
    *life = (struct life){.object = patched(pod, patch), .expires = lives->now + 30 * SKR_SECOND};
    const char *index = json_string_value(member(life->object, "labels", PREFIX "-index"));
    life->index = (int)strtol(index, NULL, 10);
    assert_int_equal(life->index, expected);
    json_t *meta = json_object_get(life->object, "metadata");
    snprintf(uid, sizeof uid, "p-%06u", number);
    skr_time_write(lives->now, 0, created, sizeof created);
    json_object_set_new(meta, "uid", json_string(uid));
    json_object_set_new(meta, "name", json_string(uid));
    json_object_set_new(meta, "creationTimestamp", json_string(created));
    lives->n++;
    life->there = roll(8) > 0; /* or a quota refuses it */
    if (roll(3) > 0) {
        observe(lives, life);
    }
}

static void take_away(struct lives *lives, struct life *life)
{
    if (!life->there) {
        return;
    }
    json_t *meta = json_object_get(life->object, "metadata");
    json_object_set_new(meta, "deletionTimestamp", json_string("2026-01-01T00:00:00Z"));
    skr_spotmix_put(lives->mix, SKR_SPOTMIX_POD, life->object);
    life->there = false;
    life->seen = true; /* so that no reservation counts */
    settle(lives);
    if (roll(2)) {
        skr_spotmix_drop(lives->mix, SKR_SPOTMIX_POD, "",
                         json_string_value(json_object_get(meta, "uid")));
    }
}

static void check_lives(const struct lives *lives, unsigned max)
{
    for (unsigned i = 0; i < lives->n; i++) {
        const struct life *life = &lives->life[i];
        if (!life->there || !life->seen) {
            continue;
        }
        const char *class_ = json_string_value(member(life->object, "labels", PREFIX "-class"));
        if (!lives->late) {
            assert_string_equal(class_, (unsigned)life->index < max ? "on-demand" : "spot");
        }
        for (unsigned k = 0; k < i; k++) {
            assert_false(lives->life[k].there && lives->life[k].seen &&
                         lives->life[k].index == life->index);
        }
    }
}

TEST(no_two_pods_share_an_index_whatever_happens)
{
    struct skr_spotmix_settings settings;
    for (unsigned round = 0; round < LIVES; round++) {
        struct lives lives = {.now = SKR_SECOND};
        char max[8];
        state = round;
        const unsigned most = roll(6);
        snprintf(max, sizeof max, "%u", most);
        lives.mix = new_mix(&settings, max, 0); /* how many there will be is not known */
        for (unsigned step = 0; step < STEPS; step++) {
            struct life *life = &lives.life[roll(lives.n + 1) % (lives.n > 0 ? lives.n : 1)];
            const unsigned what = roll(10);
            if (what < 5 && lives.n < LIVING_MAX) {
                create(&lives, step);
            } else if (what < 7 && lives.n > 0) {
                lives.late |= life->there && !life->seen && life->expires <= lives.now;
                observe(&lives, life);
            } else if (what < 9 && lives.n > 0) {
                take_away(&lives, life);
            } else {
                lives.now += (skr_time)roll(20) * SKR_SECOND;
            }
            check_lives(&lives, most);
        }
        for (unsigned i = 0; i < lives.n; i++) {
            json_decref(lives.life[i].object);
        }
        skr_spotmix_destroy(lives.mix);
    }
}

/* ---- refusals ---- */

enum { REPLICAS_MAX = 12, SYNCS_MAX = 60 };

struct set {
    struct skr_spotmix *mix;
    unsigned replicas, most;
    unsigned n; /* pods ever created */
    struct life life[LIVING_MAX];
    skr_time now;
    bool late;     /* the watch shows pods after the next batch has been reviewed */
    unsigned odds; /* of a refusal, in 8 */
};

static void show(struct set *set, struct life *life)
{
    if (life->there && !life->seen) {
        life->seen = true;
        skr_spotmix_put(set->mix, SKR_SPOTMIX_POD, life->object);
    }
}

/* false: refused after the review. */
static bool send_pod(struct set *set)
{
    struct life *life = &set->life[set->n];
    char uid[24];
    json_auto_t *pod =
        json_pack("{s:{s:s, s:[{s:s, s:s, s:s, s:s, s:b}]}, s:{}}", "metadata", "namespace", "d",
                  "ownerReferences", "apiVersion", "apps/v1", "kind", "ReplicaSet", "name", "rs",
                  "uid", "rs-1", "controller", 1, "spec");
    assert_true(set->n < LIVING_MAX);
    json_auto_t *patch = review(set->mix, pod, set->now, set->n + 1);
    assert_non_null(patch);
    *life = (struct life){.object = patched(pod, patch), .there = roll(8) >= set->odds};
    json_t *meta = json_object_get(life->object, "metadata");
    snprintf(uid, sizeof uid, "p-%06u", set->n);
    json_object_set_new(meta, "uid", json_string(uid));
    json_object_set_new(meta, "name", json_string(uid));
    set->n++;
    return life->there;
}

static unsigned count_live(const struct set *set, const char *class_)
{
    unsigned n = 0;
    for (unsigned i = 0; i < set->n; i++) {
        const char *its = json_string_value(member(set->life[i].object, "labels", PREFIX "-class"));
        n += set->life[i].there && (!class_ || strcmp(its, class_) == 0) ? 1 : 0;
    }
    return n;
}

/* One sync of the controller: batches of 1, 2, 4 pods; a refusal ends it. */
static bool sync_set(struct set *set)
{
    bool good = true;
    for (unsigned batch = 1; good && count_live(set, NULL) < set->replicas; batch *= 2) {
        const unsigned lacks = set->replicas - count_live(set, NULL), before = set->n;
        for (unsigned i = 0; i < batch && i < lacks; i++) {
            good = send_pod(set) && good;
        }
        set->now += 2 * SKR_MILLISECOND;
        for (unsigned i = 0; i < (set->late ? before : set->n); i++) {
            show(set, &set->life[i]);
        }
    }
    for (unsigned i = 0; i < set->n; i++) { /* it waits until it sees its pods */
        show(set, &set->life[i]);
    }
    return good;
}

static void sync_until_full(struct set *set)
{
    skr_time backoff = 5 * SKR_MILLISECOND;
    for (unsigned i = 0; !sync_set(set) || count_live(set, NULL) < set->replicas; i++) {
        set->now += backoff;
        backoff *= 2;
        set->odds = i < SYNCS_MAX / 10 ? set->odds : 0;
        assert_true(i < SYNCS_MAX);
    }
}

static void take_fix(void *context, const struct skr_spotmix_fix *fix)
{
    struct set *set = context;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)fix->index);
    for (unsigned i = 0; i < set->n; i++) {
        json_t *meta = json_object_get(set->life[i].object, "metadata");
        if (strcmp(json_string_value(json_object_get(meta, "uid")), fix->uid) == 0) {
            json_object_set_new(json_object_get(meta, "labels"), PREFIX "-index",
                                json_string(number));
            skr_spotmix_fixed(set->mix, fix->uid, true);
            skr_spotmix_put(set->mix, SKR_SPOTMIX_POD, set->life[i].object);
        }
    }
}

/* The pod that the reconciler evicts next, which goes; false: none. drift: that is reported. */
static bool evict_next(struct set *set, size_t *drift)
{
    const struct skr_spotmix_settling settling = {
        .now = SKR_TIME_NEVER, .emit = take_fix, .context = set};
    SKR_AUTO_FREE struct skr_spotmix_row *row = NULL;
    SKR_AUTO_FREE struct skr_spotmix_pod_row *pod = NULL;
    skr_spotmix_settle(set->mix, &settling);
    assert_int_equal(skr_spotmix_rows(set->mix, &row), 1);
    *drift = row[0].drift;
    for (size_t i = skr_spotmix_pod_rows(set->mix, row[0].key, &pod); i-- > 0;) {
        if (pod[i].wrong) {
            struct life *life = &set->life[strtoul(pod[i].uid + 2, NULL, 10)];
            life->there = false;
            skr_spotmix_drop(set->mix, SKR_SPOTMIX_POD, "", pod[i].uid);
            return true;
        }
    }
    return false;
}

TEST(whatever_was_refused_the_counts_hold_at_rest)
{
    struct skr_spotmix_settings settings;
    unsigned refused = 0;
    for (unsigned round = 0; round < 2000; round++) {
        struct set set = {.now = SKR_SECOND};
        char max[8];
        size_t drift;
        state = round + 77;
        set.replicas = 1 + roll(REPLICAS_MAX);
        set.most = roll(REPLICAS_MAX + 2);
        set.odds = 1 + roll(8);
        set.late = round % 4 == 0;
        snprintf(max, sizeof max, "%u", set.most);
        set.mix = new_mix(&settings, max, set.replicas);
        const unsigned wanted = set.most < set.replicas ? set.most : set.replicas;
        sync_until_full(&set);
        refused += set.n - set.replicas;
        if (!set.late) {
            assert_int_equal(count_live(&set, "on-demand"), wanted);
        }
        for (unsigned i = 0; evict_next(&set, &drift); i++) {
            assert_true(set.late && i < REPLICAS_MAX);
            sync_until_full(&set);
        }
        assert_int_equal(drift, 0);
        assert_int_equal(count_live(&set, "on-demand"), wanted);
        for (unsigned i = 0; i < set.n; i++) {
            json_decref(set.life[i].object);
        }
        skr_spotmix_destroy(set.mix);
    }
    assert_true(refused > 4000);
}
