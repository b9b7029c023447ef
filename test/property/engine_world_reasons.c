/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons of groups that wait, judged while room is scarce: users and faults rest, and what is said of a group is compared
 * with what the API server's objects say, by trying all placements (at most nine nodes and six members).
 *
 *   nobody_waits_in_vain   a group whose members are there and fit now is Bound: no wake-up was lost
 *   every_wait_has_a_reason
 *   MembersMissing         members are missing, as many as it says
 *   WaitingForCapacity     there is no placement now, and as much room as it says
 *   TopologyPlacementFailed  there is enough room, and no placement under the rules; its numbers
 *   NeverFits              nor is there one when all other pods are gone
 *   ConstraintConflict     nor with as much room as one likes
 *
 * What is not judged: groups with members of several controllers or that have ended (whose turn it is then is decided by
 * core/gang/group/membership.c and judged by its tests), groups of labels alone, numbers of open PodGroups, whatever waits for the
 * eviction of others, groups that give way as long as members of theirs run (whoever joined them would have to go, too), and
 * the reasons FilteredByOthers, GroupNotFound, GroupInvalid, DuplicateGroup and TopologyMissing.
 */
#include "test/property/engine_world_waiter.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/group/group_table.h"
#include "test/unit/engine_rig_parts.h"

/* ---- judgement ---- */

static bool says(const struct waiter *g, const char *format, ...) SKR_PRINTF(2, 3);
static bool says(const struct waiter *g, const char *format, ...)
{
    char part[160];
    va_list args;
    va_start(args, format);
    vsnprintf(part, sizeof part, format, args);
    va_end(args);
    return strstr(g->message, part);
}

static void judge_missing(struct world *w, const struct waiter *g)
{
    waiter_expect(w, g, g->held + g->waiting < g->size, "members are there");
    if (g->held > 0) {
        waiter_expect(w, g,
                      says(g, " has %d of ", g->held) &&
                          says(g, " of %d members bound", g->size + g->ended),
                      "other numbers");
    } else if (g->gated == 0) {
        waiter_expect(w, g,
                      says(g, " has %d of ", g->waiting) && says(g, " of %d members", g->size),
                      "other numbers");
    } else {
        waiter_expect(w, g, says(g, ", %d held by other gates", g->gated), "other numbers");
    }
}

/* Members in "needs 1 pod-1 pod, 2 pod-2 pods and 1 worker, all but ...": those of all roles, held
 * ones included; 0: the sentence is not about roles by shape. */
static int role_members(const char *message)
{
    const char *at = strstr(message, "needs "), *end = NULL;
    static const char *const ends[] = {", all but", ", which", ", more than", ", its rules",
                                       " in one "};
    int sum = 0;
    for (size_t i = 0; at && i < sizeof ends / sizeof *ends; i++) {
        const char *here = strstr(at, ends[i]);
        end = here && (!end || here < end) ? here : end;
    }
    const char *by_shape = at ? strstr(at, " pod-") : NULL;
    if (!end || !by_shape || by_shape > end) {
        return 0;
    }
    for (at += strlen("needs "); at < end;) {
        sum += atoi(at);
        const char *comma = strstr(at, ", "), *and = strstr(at, " and ");
        at = comma && (!and || comma < and) ? comma + 2 : and? and+5 : end;
    }
    return sum;
}

static void judge_numbers(struct world *w, const struct waiter *g)
{
    int fit = waiter_most_that_fit(g), of_roles = role_members(g->message);
    if (of_roles > 0) { /* members that differ: the solver's own tests judge what fits */
        const int most = g->waiting + g->held, least = g->open ? g->held + waiter_least(g) : most;
        waiter_expect(w, g, of_roles >= least && of_roles <= most, "other numbers of roles");
        return;
    }
    if (strstr(g->message, " for role ") || strstr(g->message, " worker") ||
        strstr(g->message, " leader") || strstr(g->message, " for pod ")) {
        return;
    }
    if (g->open || strstr(g->message, " gives way to ")) {
        return; /* of an open one as many are tried as may fit */
    }
    waiter_expect(w, g,
                  says(g, "needs %d %sslot", g->waiting, g->held ? "more " : "") ||
                      strstr(g->message, " a pod, the largest node has "),
                  "another need");
    if (strstr(g->message, " free on eligible nodes")) {
        waiter_expect(w, g,
                      says(g, ", %d is free on", waiter_free_slots(g)) ||
                          says(g, ", %d are free on", waiter_free_slots(g)),
                      "another number is free");
    } else if (strstr(g->message, "leave room for")) {
        waiter_expect(w, g, says(g, "leave room for %d", fit), "another number has room");
    } else if (strstr(g->message, "the nodes open to it have")) {
        waiter_expect(w, g, says(g, "the nodes open to it have %d", fit), "another number is open");
    } else if (strstr(g->message, "fit now") || strstr(g->message, "fits now")) {
        waiter_expect(w, g, says(g, " %d fit", fit), "another number fits now");
    } else if (strstr(g->message, "best rack has")) {
        waiter_expect(w, g, says(g, "best rack has %d", fit), "the best rack has another number");
    } else if (strstr(g->message, " free there")) {
        waiter_expect(w, g, says(g, "; %d is free", fit) || says(g, "; %d are free", fit),
                      "another number is free there");
    }
}

/* As if all members were the smallest one: what has no room for these has none for the group. */
static struct waiter of_the_smallest(const struct waiter *g)
{
    struct waiter small = *g;
    for (int i = 0; i < g->n_members; i++) {
        const int64_t cpu = waiter_cpu_of(&g->member[i]->pod->shape->requests);
        small.each = cpu < small.each ? cpu : small.each;
    }
    return small;
}

static void judge_room(struct world *w, const struct waiter *g)
{
    const int least = g->held > 0 ? waiter_least(g) : g->open ? g->size : g->waiting;
    waiter_expect(w, g, !waiter_fits(g, WAITER_NOW, least), "it fits");
    if (strcmp(g->reason, "NeverFits") == 0) {
        waiter_expect(w, g, !waiter_fits(g, WAITER_EMPTY, least),
                      "it fits when all others are gone");
    } else if (strcmp(g->reason, "ConstraintConflict") == 0) {
        waiter_expect(w, g, !waiter_fits(g, WAITER_UNLIMITED, least), "its rules can be met");
        return;
    } else if (strcmp(g->reason, "TopologyPlacementFailed") == 0) {
        const struct waiter small = of_the_smallest(g);
        waiter_expect(w, g, waiter_free_slots(&small) >= least,
                      "there is too little room whatever the rules");
        waiter_expect(w, g, waiter_fits(&small, WAITER_EMPTY, least), "it never fits");
    }
    judge_numbers(w, g);
}

static bool is_about_room(const char *reason)
{
    return strcmp(reason, "NeverFits") == 0 || strcmp(reason, "ConstraintConflict") == 0 ||
           strcmp(reason, "TopologyPlacementFailed") == 0 ||
           strcmp(reason, "WaitingForCapacity") == 0;
}

static void judge(struct world *w, const struct waiter *g)
{
    if (strcmp(g->reason, "MembersMissing") == 0) {
        judge_missing(w, g);
    } else if (is_about_room(g->reason)) {
        judge_room(w, g);
    }
    bool whole = g->held == 0 && g->waiting >= g->size && g->gated == 0;
    waiter_expect(w, g, !whole || !waiter_fits(g, WAITER_NOW, g->size), "it fits and waits");
    waiter_expect(w, g, !whole || *g->reason, "it waits without a reason");
}

/* ---- the groups ---- */

void world_check_reasons(struct world *w)
{
    rig_run(
        w->rig,
        2 * SKR_SECOND); /* a seat may lapse at this instant; what it changes is told after a pause */
    /* room that groups of workloads hold, and held seats, are not on the objects that are looked at */
    const bool seats = w->timed && w->rig->gang->holders.list;
    json_auto_t *tree = w->derived || seats ? NULL : waiter_tree(w);
    for (int i = 0; tree && i <= WORLD_PODGROUP; i++) {
        struct waiter g = {.name = world_group[i]};
        char key[64];
        if (!waiter_home(w, &g, i) || strcmp(g.status, "Preempting") == 0) {
            continue;
        }
        waiter_look(w, &g, tree);
        bool leaves = strcmp(g.status, "Preempted") == 0 && g.held > 0;
        if (g.plain && g.live > 0 && !leaves) {
            waiter_look_at_others(w, &g);
            snprintf(key, sizeof key, "default/%s", g.name);
            const struct group *known = skr_groups_find(w->rig->gang, key);
            waiter_look_at_promises(w, &g, known);
            waiter_look_at_seats(w->rig, &g, known);
            waiter_look_at_spares(w->rig, &g, known);
            judge(w, &g);
        }
    }
}
