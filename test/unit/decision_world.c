/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/decision_world.h"

#include "test/test.h"
#include "test/unit/json_text.h"

void decision_read_cluster(struct decision_world *world, const char *word[3])
{
    struct skr_strbuf text;
    struct skr_error error = {.text = ""};
    char place[3][16] = {"", "", ""};
    char score[16] = "0";
    char room[16] = "0";
    char runs[16] = "";
    skr_strbuf_init(&text);
    (void)sscanf(word[1], "%15[^/]/%15[^/]/%15s", place[0], place[1], place[2]);
    (void)sscanf(word[2], "%15[^/]/%15[^/]/%15s", score, room, runs);
    for (size_t i = 0; i < 3; i++) {
        place[i][0] = place[i][0] == '-' ? '\0' : place[i][0];
    }
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'%s','annotations':{'sakkara.simulate/score':'%s',"
                    "'sakkara.simulate/room':'%s'}},'spec':{'provider':'%s','region':'%s','zones':"
                    "[%s%s%s]},'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                    "{'kind':'Deployment'}]}]}}",
                    word[0], score, room, place[0], place[1], place[2][0] ? "'" : "", place[2],
                    place[2][0] ? "'" : "");
    json_t *json = json_text_load(text.s);
    void *cluster = NULL;
    if (skr_member_cluster_decode(json, &cluster, &error) < 0) {
        fail_msg("%s", error.text);
    }
    world->cluster[world->n++] = cluster;
    json_decref(json);
    skr_strbuf_fini(&text);
    if (runs[0] != '\0') {
        skr_strbuf_addf(&world->targets, "%s{'name':'%s','replicas':%s}",
                        world->targets.len > 0 ? "," : "", word[0], runs);
    }
}

void decision_read_clusters(struct decision_world *world, const char *text)
{
    char copy[1024];
    char *save = NULL;
    const char *word[3];
    size_t n = 0;
    skr_strbuf_init(&world->targets);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *next = strtok_r(copy, " ", &save); next; next = strtok_r(NULL, " ", &save)) {
        word[n++] = next;
        if (n == 3) {
            decision_read_cluster(world, word);
            n = 0;
        }
    }
    assert_int_equal(n, 0);
}

struct skr_binding *decision_read_binding(struct decision_world *world, int replicas,
                                          const char *placement, const char *more)
{
    struct skr_strbuf text;
    void *binding = NULL;
    struct skr_error error = {.text = ""};
    skr_strbuf_init(&text);
    skr_strbuf_addf(
        &text,
        "{'metadata':{'name':'web','namespace':'default'},'spec':{'replicas':%d,"
        "'resource':{'apiVersion':'apps/v1','kind':'Deployment','name':'web','uid':"
        "'0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a11'},'clusters':[%s],'placement':{%s}%s%s}}",
        replicas, world->targets.len > 0 ? world->targets.s : "", placement, more ? "," : "",
        more ? more : "");
    json_auto_t *json = json_text_load(text.s);
    if (skr_binding_decode(json, &binding, &error) < 0) {
        fail_msg("%s", error.text);
    }
    skr_strbuf_fini(&text);
    return binding;
}

void decision_set_options(const char *text, struct skr_propagation_options *options)
{
    const bool upstream = text && strcmp(text, "upstream") == 0;
    const bool design = text && strcmp(text, "design") == 0;
    skr_propagation_options_init(options, upstream ? SKR_PROFILE_UPSTREAM
                                          : design ? SKR_PROFILE_DESIGN
                                                   : SKR_PROFILE_DEFAULT);
    if (text && !upstream && !design) {
        assert_int_equal(skr_propagation_options_set(options, text, NULL), 0);
    }
}

struct skr_binding_decision *decision_decide(const struct decision_world *world,
                                             const struct skr_binding *binding,
                                             const struct skr_propagation_options *options)
{
    struct skr_binding_decision *decision = NULL;
    assert_int_equal(skr_binding_decide(binding,
                                        (const struct skr_member_cluster *const *)world->cluster,
                                        world->n, NULL, options, NULL, &decision, NULL),
                     0);
    return decision;
}

void decision_world_fini(struct decision_world *world)
{
    for (size_t i = 0; i < world->n; i++) {
        skr_object_destroy(world->cluster[i]);
    }
    skr_strbuf_fini(&world->targets);
}
