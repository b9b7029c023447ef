/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the story in the world that replays files. */
#include "server/lab/simulate/spotmix_demo.h"

#include <inttypes.h>
#include <stdio.h>

#include "server/exit_code.h"
#include "server/lab/simulate/spotmix_world.h"
#include "server/object/path.h"

enum { CELLS = 6 };

struct story {
    struct skr_spotmix_world world;
    json_t *config;
    struct skr_strbuf *out;
    bool ascii;
    int created;
};

static void begin(struct story *story, int max)
{
    char text[16];
    struct skr_error error;
    snprintf(text, sizeof text, "%d", max);
    story->created = 0;
    story->config =
        json_pack("{s:{s:s, s:s, s:{s:s, s:s}}, s:[{s:s, s:s, s:s}], s:{s:i, s:i}}", "workload",
                  "kind", "Deployment", "name", "web", "labels", SKR_SPOTMIX_KEY_PREFIX, "true",
                  SKR_SPOTMIX_KEY_PREFIX "-max-on-demand-count", text, "owners", "id", "rs", "kind",
                  "ReplicaSet", "hash", "5d4f", "nodes", "on_demand", 3, "spot", 3);
    skr_bug_on(!story->config ||
               skr_spotmix_world_init(&story->world, story->config, story->out, &error) != 0);
}

static void end(struct story *story)
{
    skr_spotmix_world_fini(&story->world);
    json_decref(story->config);
}

static void create(struct story *story, int n)
{
    struct skr_spotmix_sim_pod *pod;
    char alias[16];
    for (int i = 0; i < n; i++) {
        snprintf(alias, sizeof alias, "%d", story->created++);
        json_t *fields = json_pack("{s:s, s:s}", "pod", alias, "owner", "rs");
        skr_spotmix_world_create(&story->world, fields, &pod);
        skr_spotmix_world_observe(&story->world, pod);
        skr_spotmix_world_settle(&story->world);
        json_decref(fields);
    }
}

static void lose(struct story *story, const char *alias)
{
    skr_spotmix_world_remove(&story->world, skr_spotmix_world_find(&story->world, alias));
    skr_spotmix_world_settle(&story->world);
}

static void scale(struct story *story, int replicas)
{
    skr_spotmix_world_scale(&story->world, replicas);
    skr_spotmix_world_shrink(&story->world);
    skr_spotmix_world_settle(&story->world);
}

/* One cell per index; then counts of both classes. */
static void draw(struct story *story, const char *title)
{
    static const char *const cells[2][3] = {{"█", "▒", "·"}, {"#", "%", "."}};
    const struct skr_spotmix_keys *keys = skr_spotmix_keys(story->world.mix);
    enum skr_spotmix_class at[CELLS];
    int n[SKR_SPOTMIX_CLASS_COUNT] = {0};
    for (int i = 0; i < CELLS; i++) {
        at[i] = SKR_SPOTMIX_NO_CLASS;
    }
    for (size_t i = 0; i < story->world.n_pods; i++) {
        const struct skr_spotmix_sim_pod *pod = story->world.pod[i];
        const int32_t index = skr_spotmix_index_parse(skr_path_label(pod->object, keys->index));
        if (skr_spotmix_sim_pod_is_live(pod) && index >= 0 && index < CELLS) {
            at[index] = skr_spotmix_class_parse(skr_path_label(pod->object, keys->class_));
            n[at[index]]++;
        }
    }
    skr_strbuf_addf(story->out, "  %-44s  ", title);
    for (int i = 0; i < CELLS; i++) {
        const char *cell = cells[story->ascii ? 1 : 0][at[i] == SKR_SPOTMIX_NO_CLASS ? 2 : at[i]];
        skr_strbuf_addf(story->out, "%s%s", cell, cell);
    }
    skr_strbuf_addf(story->out, "  %d + %d\n", n[SKR_SPOTMIX_ON_DEMAND], n[SKR_SPOTMIX_SPOT]);
}

int skr_spotmix_demo(bool ascii, struct skr_strbuf *out)
{
    static const int maxima[] = {5, 3, 0, 7};
    struct story story = {.out = out, .ascii = ascii};
    char title[64];
    skr_strbuf_add(out, "Deployment web, labels on the Deployment:\n"
                        "  " SKR_SPOTMIX_KEY_PREFIX ": \"true\"\n"
                        "  " SKR_SPOTMIX_KEY_PREFIX "-max-on-demand-count: \"MAX\"\n\n");
    skr_strbuf_addf(out, "  %-44s  0 1 2 3 4 5   on-demand + spot\n\n1. Five replicas\n",
                    "(one cell = one pod, at its index)");
    for (size_t i = 0; i < sizeof maxima / sizeof maxima[0]; i++) {
        begin(&story, maxima[i]);
        create(&story, 5);
        snprintf(title, sizeof title, "MAX %d", maxima[i]);
        draw(&story, title);
        end(&story);
    }
    skr_strbuf_add(out, "\n2. Six replicas, MAX 2: a pod is replaced by its own kind\n");
    begin(&story, 2);
    create(&story, 6);
    draw(&story, "as created");
    lose(&story, "4");
    draw(&story, "the spot node under 4 is taken away");
    lose(&story, "1");
    draw(&story, "1 is drained");
    create(&story, 2);
    draw(&story, "the ReplicaSet makes two new ones");
    skr_strbuf_add(out, "\n3. Scaled down and up: spot pods cost 1, on-demand pods 100\n");
    scale(&story, 3);
    draw(&story, "scaled to 3: three spot pods go");
    create(&story, 3);
    draw(&story, "scaled to 6: vacant indices from the lowest");
    end(&story);
    skr_strbuf_addf(out, "\n%s on-demand   %s spot   %s vacant\n", ascii ? "#" : "█",
                    ascii ? "%" : "▒", ascii ? "." : "·");
    return SKR_EXIT_OK;
}
