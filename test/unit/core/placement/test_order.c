/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which objects are given, and clusters within a decision, never changes an answer. */
#include "test/random.h"
#include "test/test.h"
#include "test/unit/placement_scene.h"
#include "topology/base/attr.h"

enum { LINES_MAX = 48, TEXT_MAX = 400, SEEDS = 60, SHUFFLES = 4 };

struct scene {
    uint64_t random;
    size_t n;
    char line[LINES_MAX][TEXT_MAX];
};

static size_t below(struct scene *s, size_t n)
{
    return (size_t)(random_of(&s->random) % n);
}

static void draw(struct scene *s, uint64_t seed)
{
    static const char *const levels[] = {"", ",\"whenUnsatisfiable\":\"DoNotSchedule\""};
    static const char *const taints[] = {"", " taint:k=v:NoSelect", " taint:k=v:NoSelectIfNew",
                                         " taint:k=v:PreferNoSelect"};
    *s = (struct scene){.random = seed};
    const size_t clusters = 4 + below(s, 12);
    for (size_t i = 0; i < clusters; i++) {
        snprintf(s->line[s->n++], TEXT_MAX, "cluster c%02zu r=%zu z=%zu set=%zu cpu=%zu/9%s", i,
                 below(s, 3), below(s, 3), below(s, 2), below(s, 10),
                 taints[below(s, 6) < 4 ? 0 : below(s, 4)]);
    }
    for (size_t i = 0; i < clusters; i += 2) {
        snprintf(s->line[s->n++], TEXT_MAX, "score c%02zu load cpu=%zu", i, below(s, 100));
    }
    for (int i = 0; i < 2; i++) {
        snprintf(s->line[s->n++], TEXT_MAX,
                 "set s%d {\"clusterSelector\":{\"selectorType\":\"LabelSelector\","
                 "\"labelSelector\":{\"matchLabels\":{\"set\":\"%d\"}}}}",
                 i, i);
        snprintf(s->line[s->n++], TEXT_MAX, "bind s%d", i);
    }
    for (int i = 1; i <= 3; i++) {
        snprintf(s->line[s->n++], TEXT_MAX, "decided %s %d/0 c%02zu c%02zu", i == 3 ? "other" : "p",
                 i == 3 ? 1 : i, (size_t)i * 3 - 3, (size_t)i * 3 - 2);
    }
    snprintf(s->line[s->n++], TEXT_MAX,
             "placement p {\"numberOfClusters\":%zu,\"spreadPolicy\":{\"spreadConstraints\":["
             "{\"topologyKey\":\"r\",\"topologyKeyType\":\"Label\"%s},{\"topologyKey\":\"z\","
             "\"topologyKeyType\":\"Label\"%s}]},\"prioritizerPolicy\":{\"configurations\":["
             "{\"name\":\"ResourceAllocatableCPU\",\"weight\":%zu}]}}",
             1 + below(s, clusters), levels[below(s, 2)], levels[below(s, 2)], below(s, 4));
}

static char *report(const struct scene *s)
{
    SKR_AUTO_FREE char *text = malloc((size_t)LINES_MAX * TEXT_MAX);
    size_t n = 0;
    assert_non_null(text);
    for (size_t i = 0; i < s->n; i++) {
        n += (size_t)snprintf(text + n, TEXT_MAX + 1, "%s\n", s->line[i]);
    }
    json_auto_t *json = placement_scene_report(text);
    return json_dumps(json, JSON_COMPACT);
}

static void shuffle(struct scene *s)
{
    for (size_t i = s->n; i > 1; i--) {
        const size_t k = below(s, i);
        char line[TEXT_MAX];
        memcpy(line, s->line[i - 1], TEXT_MAX);
        memcpy(s->line[i - 1], s->line[k], TEXT_MAX);
        memcpy(s->line[k], line, TEXT_MAX);
    }
    for (size_t i = 0; i < s->n; i++) {
        unsigned int number;
        char name[8], a[8], b[8];
        if (sscanf(s->line[i], "decided %7s %u/0 %7s %7s", name, &number, a, b) == 4) {
            snprintf(s->line[i], TEXT_MAX, "decided %s %u/0 %s %s", name, number, b, a);
        }
    }
}

TEST(the_order_of_objects_never_changes_the_answer)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct scene scene;
        draw(&scene, seed);
        SKR_AUTO_FREE char *expected = report(&scene);
        for (int i = 0; i < SHUFFLES; i++) {
            shuffle(&scene);
            SKR_AUTO_FREE char *got = report(&scene);
            assert_string_equal(got, expected);
        }
    }
}
