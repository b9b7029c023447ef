/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations of random groups of which a part is bound, on up to six nodes of 8 GPU: every number of the sentence
 * is counted again by looking at all placements, and every way out that is offered, carried out in the files, places
 * the group in `sakkara simulate`. SEED, FIRST and N as for the other properties.
 */
#include "test/random.h"
#include "test/test.h"
#include "test/unit/explain_scenarios.h"
#include "test/unit/explain_ways.h"
#include "topology/base/attr.h"
#include "topology/base/json_field.h"

#ifdef SKR_DEBUG
enum { GROUPS = 300 }; /* the sanitizers' builds */
#else
enum { GROUPS = 10000 };
#endif

enum { RACKS_MAX = 3, NODES_MAX = 2 * RACKS_MAX, GPU = 8 };

struct rule {
    bool hard, spread;
    int partitions, min, max, factor;
};

struct world {
    uint64_t state;
    int racks, nodes, each, size, held;
    int others[NODES_MAX]; /* GPU that other pods use */
    int own[NODES_MAX];    /* members that are bound */
    struct rule rule[2];   /* racks, nodes of a rack */
    char tree[256], loads[128], bound[128], constraints[128], requests[64];
};

static int draw(struct world *w, int n)
{
    return (int)(random_of(&w->state) % (uint64_t)n);
}

/* ---- a random group ---- */

static const struct {
    const char *text;
    struct rule rule[2];
} rules[] = {
    {"{}", {{0}}},
    {"{'rack':{'hard':true}}", {{.hard = true}}},
    {"{'rack':{'hard':true},'node':{'hard':true}}", {{.hard = true}, {.hard = true}}},
    {"{'rack':{'hard':true},'node':{'max':2}}", {{.hard = true}, {.max = 2}}},
    {"{'rack':{'partitions':1}}", {{.partitions = 1}}},
    {"{'rack':{'partitions':2}}", {{.partitions = 2}}},
    {"{'rack':{'partitions':2},'node':{'max':1}}", {{.partitions = 2}, {.max = 1}}},
    {"{'node':{'max':1}}", {{0}, {.max = 1}}},
    {"{'node':{'max':2}}", {{0}, {.max = 2}}},
    {"{'node':{'type':'spread','hard':true}}", {{0}, {.hard = true, .spread = true}}},
    {"{'rack':{'max':3}}", {{.max = 3}}},
    {"{'rack':{'min':2}}", {{.min = 2}}},
    {"{'rack':{'factor':2}}", {{.factor = 2}}},
    {"{'node':{'factor':2}}", {{0}, {.factor = 2}}},
};

static void put(char *text, size_t size, const char *format, ...) SKR_PRINTF(3, 4);
static void put(char *text, size_t size, const char *format, ...)
{
    va_list args;
    size_t at = strlen(text);
    va_start(args, format);
    int n = vsnprintf(text + at, size - at, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < size - at);
}

static void make_world(struct world *w, uint64_t seed, uint64_t index)
{
    *w = (struct world){.state = seed * 1000003u + index};
    w->racks = 2 + draw(w, RACKS_MAX - 1);
    w->nodes = 2 * w->racks;
    w->each = 2 << draw(w, 3);
    int kind = draw(w, (int)(sizeof rules / sizeof *rules));
    int apart = draw(w, 3); /* members: in one rack, or anywhere */
    memcpy(w->rule, rules[kind].rule, sizeof w->rule);
    put(w->constraints, sizeof w->constraints, "%s", rules[kind].text);
    put(w->requests, sizeof w->requests, "{'nvidia.com/gpu':'%d'}", w->each);
    int rack = draw(w, w->racks);
    for (int i = 0; i < w->nodes; i++) {
        put(w->tree, sizeof w->tree, "%s'n%d':{}%s", i % 2 == 0 ? "" : ",", i, "");
        w->others[i] = draw(w, 3) == 0 ? 0 : draw(w, GPU + 1);
        int room = (GPU - w->others[i]) / w->each;
        if (room > 0 && (apart == 0 || i / 2 == rack)) {
            w->own[i] = draw(w, room + 1);
        }
        w->held += w->own[i];
        if (w->others[i] > 0) {
            put(w->loads, sizeof w->loads, "n%d=%d:w ", i, w->others[i]);
        }
        for (int k = 0; k < w->own[i]; k++) {
            put(w->bound, sizeof w->bound, "n%d ", i);
        }
    }
    w->tree[0] = '\0';
    for (int r = 0; r < w->racks; r++) {
        put(w->tree, sizeof w->tree, "%s'rack-%d':{'n%d':{},'n%d':{}}", r > 0 ? "," : "{", r, 2 * r,
            2 * r + 1);
    }
    put(w->tree, sizeof w->tree, "}");
    w->size = w->held + 1 + draw(w, 4);
}

/* ---- counting ---- */

enum room { NOW, OTHERS_GONE, UNLIMITED };

static int room_of(const struct world *w, int node, enum room room)
{
    int others = room == NOW ? w->others[node] : 0;
    return room == UNLIMITED ? w->size : (GPU - others) / w->each - w->own[node];
}

static bool holds(const struct rule *rule, const int *count, int n)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        int x = count[i];
        used += x > 0;
        if (x == 0) {
            continue;
        }
        if (rule->hard ? rule->spread && x != 1
                       : (rule->min > 0 && x < rule->min) || (rule->max > 0 && x > rule->max) ||
                             (rule->factor > 1 && x % rule->factor != 0)) {
            return false;
        }
    }
    if (used == 0) {
        return true;
    }
    return rule->hard ? rule->spread || used == 1
                      : rule->partitions <= 0 || used == rule->partitions;
}

/* Bits: totals that the two nodes of a rack can hold. */
static uint64_t totals_of_rack(const struct world *w, int rack, enum room room)
{
    uint64_t totals = 0;
    const int a = 2 * rack, b = a + 1;
    for (int x = 0; x <= room_of(w, a, room); x++) {
        for (int y = 0; y <= room_of(w, b, room); y++) {
            int count[2] = {w->own[a] + x, w->own[b] + y};
            if (count[0] + count[1] <= w->size && holds(&w->rule[1], count, 2)) {
                totals |= UINT64_C(1) << (count[0] + count[1]);
            }
        }
    }
    return totals;
}

static bool try_racks(const struct world *w, const uint64_t *totals, int rack, int left, int *count)
{
    if (rack == w->racks) {
        return left == 0 && holds(&w->rule[0], count, w->racks);
    }
    for (int x = 0; x <= left; x++) {
        count[rack] = x;
        if ((totals[rack] >> x & 1) && try_racks(w, totals, rack + 1, left - x, count)) {
            return true;
        }
    }
    return false;
}

static bool feasible(const struct world *w, int size, enum room room)
{
    uint64_t totals[RACKS_MAX];
    int count[RACKS_MAX];
    for (int r = 0; r < w->racks; r++) {
        totals[r] = totals_of_rack(w, r, room);
    }
    return try_racks(w, totals, 0, size, count);
}

/* The most further members that fit now, at most all that are wanted. */
static int most_now(const struct world *w)
{
    int most = 0;
    for (int size = w->held; size <= w->size; size++) {
        most = feasible(w, size, NOW) ? size - w->held : most;
    }
    return most;
}

static int free_slots(const struct world *w)
{
    int sum = 0;
    for (int i = 0; i < w->nodes; i++) {
        sum += room_of(w, i, NOW);
    }
    return sum;
}

/* ---- sentences ---- */

static void complain(const struct world *w, const json_t *x, const char *what)
{
    char *text = json_dumps(x, JSON_INDENT(1));
    fail_msg("%s\n%s of %d, each %d, loads %s, bound %s, %s\n%s", what,
             skr_object_text(x, "sentence"), w->size, w->each, w->loads, w->bound, w->constraints,
             text);
}

static void expect(const struct world *w, const json_t *x, bool so, const char *what)
{
    if (!so) {
        complain(w, x, what);
    }
}

static int own_below(const struct world *w, bool of_racks, int unit)
{
    return of_racks ? w->own[2 * unit] + w->own[2 * unit + 1] : w->own[unit];
}

/* "3 members sit in rack-0 and rack-1, partitions is 2" */
static void check_seats(const struct world *w, const json_t *x, const char *text)
{
    int held = 0, at = 0, units = 0, named = 0, counted = 0;
    expect(w, x, sscanf(text, "%d member%*[s] sit%*[s] in %n", &held, &at) == 1 || held == 1,
           "seats are not told");
    const char *in = strstr(text, " in ");
    expect(w, x, in && held == w->held, "another number of seats");
    in += 4;
    bool of_racks = strstr(in, "rack") && !strstr(in, " node");
    int n = of_racks ? w->racks : w->nodes;
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, of_racks ? "rack-%d" : "n%d", i);
        units += own_below(w, of_racks, i) > 0;
        if (strstr(in, name)) {
            named++;
            expect(w, x, own_below(w, of_racks, i) > 0, "nobody sits there");
        }
    }
    if (sscanf(in, "%d racks", &counted) == 1 || sscanf(in, "%d nodes", &counted) == 1) {
        named = counted;
    }
    expect(w, x, named == units, "seats elsewhere are not told");
}

/* "; 1 is free there" */
static void check_unit(const struct world *w, const json_t *x, const char *sentence)
{
    char unit[16] = "";
    int more = 0, held = 0, left = 0, number = 0, fits = 0;
    int n = sscanf(sentence, "group g needs %d more slot%*[s] in %15[^,], where %d member", &more,
                   unit, &held);
    n = n == 3 ? n
               : sscanf(sentence, "group g needs %d more slot in %15[^,], where %d member", &more,
                        unit, &held);
    const char *at = strchr(sentence, ';');
    expect(w, x, n == 3 && at && sscanf(at, "; %d ", &left) == 1, "numbers are not told");
    expect(w, x, more == w->size - w->held && held == w->held, "another need");
    bool of_racks = sscanf(unit, "rack-%d", &number) == 1;
    expect(w, x, of_racks || sscanf(unit, "n%d", &number) == 1, "no unit");
    expect(w, x, own_below(w, of_racks, number) == w->held, "some sit elsewhere");
    if (of_racks) {
        const uint64_t totals = totals_of_rack(w, number, NOW);
        for (int k = w->held; k <= w->size; k++) {
            fits = totals >> k & 1 ? k - w->held : fits;
        }
    } else {
        fits = room_of(w, number, NOW);
        fits = fits < more ? fits : more;
    }
    expect(w, x, left == fits, "another number is free there");
    expect(w, x, strstr(sentence, w->rule[of_racks ? 0 : 1].hard ? "the rule is hard" : "is 1"),
           "another rule");
}

/* "; all 4 would fit in rack-1 if they started anew, or a size of 3 would do": each is said when it is so. */
static void check_choices(const struct world *w, const json_t *x, const char *sentence)
{
    struct world anew = *w;
    memset(anew.own, 0, sizeof anew.own);
    anew.held = 0;
    int all = 0, size = 0;
    const char *move = strstr(sentence, "; all "), *smaller = strstr(sentence, " a size of ");
    bool fits = feasible(&anew, w->size, NOW), holds = feasible(w, w->held, NOW);
    expect(w, x, fits == (move ? true : false), "the whole group anew");
    expect(w, x, !move || (sscanf(move, "; all %d would fit", &all) == 1 && all == w->size),
           "not all of it");
    expect(w, x, !holds || smaller, "a smaller size is left");
    expect(w, x,
           !smaller || (sscanf(smaller, " a size of %d would do", &size) == 1 &&
                        size == w->held + most_now(w) && feasible(w, size, NOW)),
           "another size");
}

static void check_sentence(const struct world *w, const json_t *x)
{
    const char *whole = skr_object_text(x, "sentence"), *reason = skr_object_text(x, "reason");
    char sentence[512];
    int more = 0, held = 0, number = -1;
    bool never = !feasible(w, w->size, OTHERS_GONE), conflict = !feasible(w, w->size, UNLIMITED);
    const char *want = conflict                            ? "ConstraintConflict"
                       : never                             ? "NeverFits"
                       : free_slots(w) < w->size - w->held ? "WaitingForCapacity"
                                                           : "TopologyPlacementFailed";
    expect(w, x, strcmp(reason, want) == 0, want);
    check_choices(w, x, whole);
    const char *choices = strstr(whole, "; all ");
    choices = choices ? choices : strstr(whole, "; a size of ");
    snprintf(sentence, sizeof sentence, "%.*s",
             choices ? (int)(choices - whole) : (int)strlen(whole), whole);
    expect(w, x, !strstr(sentence, "empty cluster"), "its own members are there");
    if (strstr(sentence, " there") && strstr(sentence, "where")) {
        check_unit(w, x, sentence);
        return;
    }
    const char *numbers = strstr(sentence, "needs ");
    expect(w, x, numbers && sscanf(numbers, "needs %d more", &more) == 1, "no need is told");
    numbers = strstr(sentence, " beside the ");
    expect(w, x, numbers && sscanf(numbers, " beside the %d it holds", &held) == 1, "no seats");
    expect(w, x, more == w->size - w->held && held == w->held, "another need");
    const char *rest = strstr(sentence, " it holds, ");
    rest = rest ? rest + strlen(" it holds, ") : "";
    if (strcmp(want, "WaitingForCapacity") == 0) {
        expect(w, x, sscanf(rest, "%d ", &number) == 1 && number == free_slots(w), "not so many");
        return;
    }
    if (strcmp(want, "NeverFits") == 0) {
        const char *now = strstr(rest, "gone, ");
        expect(w, x, now && sscanf(now, "gone, %d fit", &number) == 1 && number == most_now(w),
               "not so many fit now");
    } else if (strcmp(want, "TopologyPlacementFailed") == 0) {
        expect(w, x,
               sscanf(rest, "its rules leave room for %d", &number) == 1 && number == most_now(w),
               "another room");
    }
    const char *seats = strstr(rest, ": ");
    expect(w, x, seats, "seats are not told");
    check_seats(w, x, seats + 2);
}

/* ---- ways out ---- */

static void check_way(const struct world *w, const json_t *x, const json_t *files,
                      const json_t *way)
{
    const json_t *change;
    size_t i;
    json_array_foreach(json_object_get(way, "changes"), i, change)
    {
        int node = -1;
        if (strstr(skr_object_text(way, "text"), "free up") &&
            sscanf(skr_object_text(change, "node"), "n%d", &node) == 1) {
            json_int_t amount = json_integer_value(
                json_object_get(json_object_get(change, "amounts"), "nvidia.com/gpu"));
            expect(w, x, amount <= w->others[node], "others do not hold that much there");
        }
    }
    json_auto_t *group = explain_ways_apply(files, way);
    if (strcmp(skr_object_text(group, "status"), "Bound") != 0 ||
        skr_object_text(group, "reason")[0]) {
        print_error("%s: %s\n", skr_object_text(way, "text"), skr_object_text(group, "message"));
        complain(w, x, "a way out does not place the group");
    }
}

/* Whether the group is stuck. */
static bool check_world(const struct world *w, size_t *ways)
{
    const struct explain_scenario scenario = {.name = "random",
                                              .tree = w->tree,
                                              .loads = w->loads,
                                              .size = w->size,
                                              .each = w->requests,
                                              .constraints = w->constraints,
                                              .bound = w->bound};
    json_t *files = explain_scenario_files(&scenario), *x = explain_ways_explain(files), *way;
    bool stuck = !feasible(w, w->size, NOW);
    size_t i;
    expect(w, x, stuck == json_is_false(json_object_get(x, "placed")), "placed or not");
    if (stuck) {
        check_sentence(w, x);
        json_array_foreach(json_object_get(x, "relaxations"), i, way)
        {
            check_way(w, x, files, way);
            ++*ways;
        }
    }
    json_decref(x);
    json_decref(files);
    return stuck;
}

TEST(what_is_said_of_partly_bound_groups_is_true_and_every_way_out_works)
{
    const uint64_t seed = test_number("SEED", 1), n = test_number("N", GROUPS);
    size_t stuck = 0, ways = 0;
    for (uint64_t i = test_number("FIRST", 0), tried = 0; stuck < n && tried < 4 * n; i++) {
        struct world w;
        make_world(&w, seed, i);
        if (w.held == 0) {
            continue;
        }
        tried++;
        stuck += check_world(&w, &ways) ? 1 : 0;
    }
    print_message("%zu stuck groups, %zu ways out\n", stuck, ways);
    assert_true(stuck > 0);
}
