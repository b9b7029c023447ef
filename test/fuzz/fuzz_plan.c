/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans: of a group (what is read, written and read again is the same, and writing is stable) and
 * of a member.
 */
#include "core/gang/state/plan_text.h"
#include "test/fuzz/fuzz.h"

static bool is_id(const char *id)
{
    return strlen(id) == SKR_PLAN_ID_LEN && strspn(id, "0123456789abcdef") == SKR_PLAN_ID_LEN;
}

static void check_record(const struct skr_plan_record *p)
{
    fuzz_check(is_id(p->id) && p->state < SKR_PLAN_STATE_COUNT);
    fuzz_check(p->has_members || p->n_members == 0);
    for (size_t i = 0; i < p->n_members; i++) {
        fuzz_check(p->member[i].node[0] != '\0' && p->member[i].rank == -1);
        fuzz_check(i == 0 || strcmp(p->member[i - 1].uid, p->member[i].uid) < 0);
    }
    for (size_t i = 0; i < p->n_nodes; i++) {
        fuzz_check(p->node[i].count > 0);
        fuzz_check(i == 0 || strcmp(p->node[i - 1].node, p->node[i].node) < 0);
    }
}

static void check_same(const struct skr_plan_record *a, const struct skr_plan_record *b)
{
    fuzz_check(strcmp(a->id, b->id) == 0 && a->state == b->state);
    fuzz_check(a->n_members == b->n_members && a->n_victims == b->n_victims);
    for (size_t i = 0; i < a->n_members; i++) {
        fuzz_check(strcmp(a->member[i].uid, b->member[i].uid) == 0 &&
                   strcmp(a->member[i].node, b->member[i].node) == 0);
    }
    for (size_t i = 0; i < a->n_victims; i++) {
        fuzz_check(strcmp(a->victim[i], b->victim[i]) == 0);
        fuzz_check(!a->victim_pods == !b->victim_pods);
        fuzz_check(!a->victim_pods || a->victim_pods[i] == b->victim_pods[i]);
    }
}

static void check_written(const struct skr_plan_record *p)
{
    bool dropped, dropped_again;
    struct skr_plan_record *again = NULL;
    struct skr_error error;
    SKR_AUTO_FREE char *text = skr_plan_write(p, &dropped);
    json_decref(fuzz_json(text, strlen(text)));
    fuzz_check(dropped || p->has_members);
    if (strlen(text) <= SKR_PLAN_READ_MAX) {
        fuzz_check(skr_plan_parse(text, &again, &error) == 0);
        check_record(again);
        fuzz_check(dropped || again->has_members);
        if (!dropped) {
            check_same(p, again);
        }
        SKR_AUTO_FREE char *second = skr_plan_write(again, &dropped_again);
        fuzz_check(strcmp(text, second) == 0);
        skr_plan_record_destroy(again);
    }
}

static void check_id(const struct skr_plan_record *p)
{
    char id[SKR_PLAN_ID_LEN + 1], turned[SKR_PLAN_ID_LEN + 1];
    skr_plan_id("default", "group", p->member, p->n_members, id);
    fuzz_check(is_id(id));
    for (size_t i = 0; i < p->n_members / 2; i++) {
        struct skr_plan_member m = p->member[i];
        p->member[i] = p->member[p->n_members - 1 - i];
        p->member[p->n_members - 1 - i] = m;
    }
    skr_plan_id("default", "group", p->member, p->n_members, turned);
    fuzz_check(strcmp(id, turned) == 0);
}

static void check_member(const char *text)
{
    char id[SKR_PLAN_ID_LEN + 1], node[254], id_again[SKR_PLAN_ID_LEN + 1], node_again[254];
    struct skr_error error;
    int rc = skr_member_plan_parse(text, id, node, sizeof node, &error);
    fuzz_check_rc(rc, &error);
    if (rc < 0) {
        fuzz_check(strncmp(error.text, SKR_ANNOTATION_PLAN, strlen(SKR_ANNOTATION_PLAN)) == 0);
        return;
    }
    fuzz_check(is_id(id) && node[0] != '\0');
    SKR_AUTO_FREE char *written = skr_member_plan_write(id, node, NULL, -1);
    fuzz_check(skr_member_plan_parse(written, id_again, node_again, sizeof node_again, &error) ==
               0);
    fuzz_check(strcmp(id, id_again) == 0 && strcmp(node, node_again) == 0);
    fuzz_check(skr_member_plan_parse(text, NULL, NULL, 0, &error) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_plan_record *plan = NULL;
    struct skr_error error;
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    int rc = skr_plan_parse(text, &plan, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        check_record(plan);
        check_written(plan);
        check_id(plan);
        skr_plan_record_destroy(plan);
    } else {
        fuzz_check(!plan);
        fuzz_check(strncmp(error.text, SKR_ANNOTATION_PLAN, strlen(SKR_ANNOTATION_PLAN)) == 0);
    }
    check_member(text);
    return 0;
}
