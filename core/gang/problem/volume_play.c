/* SPDX-License-Identifier: Apache-2.0 */
/* Depth-first over pods and leaves; a pod that is placed is taken back before the next place is tried. */
#include "core/gang/problem/volume_play.h"

#include "core/gang/cache/csi.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/pins.h"
#include "core/gang/problem/problem_volumes.h"
#include "core/gang/state/plan_entry.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* One thing that a pod took. */
struct skr_volume_move {
    enum { BEGIN, TAKEN, MADE, ATTACHED } kind; /* BEGIN: the pod itself */
    size_t at;                                  /* TAKEN: the volume; ATTACHED: the driver */
    int32_t leaf;
    uint64_t volume;
};

static void note(struct skr_volume_play *play, struct skr_volume_move move)
{
    skr_grow(&play->move, &play->cap_moves, play->n_moves + 1, sizeof *play->move);
    play->move[play->n_moves++] = move;
}

/* ---- late claims ---- */

/* The leaf on which a volume is made for the claim; -1: none is. */
static int32_t made_on(const struct skr_volume_play *play, uint64_t claim)
{
    int32_t leaf = -1;
    for (size_t i = 0; i < play->n_moves; i++) {
        const struct skr_volume_move *m = &play->move[i];
        leaf = m->kind == MADE && m->volume == claim ? m->leaf : leaf;
    }
    return leaf;
}

/* The volume that kube-scheduler binds claim c to on the leaf: its own, else the smallest; n_volumes: none. */
static size_t choose(struct skr_volume_play *play, size_t c, int32_t leaf)
{
    const struct skr_late_claims *l = &play->late;
    size_t best = l->n_volumes;
    for (size_t i = 0; i < l->n_volumes; i++) {
        const struct skr_late_volume *v = &l->volume[i];
        play->looks++;
        if (!skr_late_claims_serves(l, v, c)) {
            continue;
        }
        if (v->claim) {
            return skr_late_claims_reaches(l, v, leaf) ? i : l->n_volumes;
        }
        best = best == l->n_volumes && skr_late_claims_reaches(l, v, leaf) ? i : best;
    }
    return best;
}

static bool take_late(struct skr_volume_play *play, size_t c, int32_t leaf,
                      const struct skr_node *node)
{
    const struct volume_facts *claim = &play->late.claim[c];
    const int32_t made = made_on(play, claim->volume);
    size_t at = play->late.n_volumes;
    if (made >= 0 || (claim->node && strcmp(claim->node, node->meta.name) != 0)) {
        return made == leaf;
    }
    if (!claim->node) {
        at = choose(play, c, leaf);
    }
    if (at < play->late.n_volumes) {
        struct skr_late_volume *v = &play->late.volume[at];
        if (!v->claim) {
            v->claim = claim->volume;
            note(play, (struct skr_volume_move){.kind = TAKEN, .at = at});
        }
        return true;
    }
    note(play, (struct skr_volume_move){.kind = MADE, .leaf = leaf, .volume = claim->volume});
    return skr_late_claims_makes(play->late.e, claim, node);
}

/* All late claims of the pod, the smallest first. */
static bool take_all_late(struct skr_volume_play *play, size_t i, int32_t leaf,
                          const struct skr_node *node)
{
    const struct skr_late_claims *l = &play->late;
    size_t order[SKR_POD_CLAIMS_MAX], n = 0;
    for (size_t c = l->first[i]; c < l->first[i + 1]; c++) {
        size_t at = l->kind[c] >= 0 ? n++ : n;
        while (l->kind[c] >= 0 && at > 0 && l->claim[order[at - 1]].bytes > l->claim[c].bytes) {
            order[at] = order[at - 1];
            at--;
        }
        if (l->kind[c] >= 0) {
            order[at] = c;
        }
    }
    size_t k = 0;
    while (k < n && take_late(play, order[k], leaf, node)) {
        k++;
    }
    return k == n;
}

/* ---- limits of nodes ---- */

static bool in_list(const struct skr_attached_list *list, int32_t leaf, uint64_t volume)
{
    for (size_t i = skr_attached_first(list, leaf); i < list->n && list->item[i].at == leaf; i++) {
        if (list->item[i].volume == volume) {
            return true;
        }
    }
    return false;
}

/* Whether a pod that was played has it there. */
static bool is_played(const struct skr_volume_play *play, size_t d, int32_t leaf, uint64_t volume)
{
    size_t i = 0;
    while (i < play->n_moves && (play->move[i].kind != ATTACHED || play->move[i].at != d ||
                                 play->move[i].leaf != leaf || play->move[i].volume != volume)) {
        i++;
    }
    return i < play->n_moves;
}

/* Volumes of the driver that the leaf has, those that pods were played with included. */
static int64_t attached_to(const struct skr_volume_play *play, size_t d, int32_t leaf)
{
    const struct skr_attached_list *used = &play->attached.used[d], *idle = &play->attached.idle[d];
    int64_t n = 0;
    for (size_t i = skr_attached_first(used, leaf); i < used->n && used->item[i].at == leaf; i++) {
        n++;
    }
    for (size_t i = skr_attached_first(idle, leaf); i < idle->n && idle->item[i].at == leaf; i++) {
        n += !is_played(play, d, leaf, idle->item[i].volume);
    }
    for (size_t i = 0; i < play->n_moves; i++) {
        n += play->move[i].kind == ATTACHED && play->move[i].at == d && play->move[i].leaf == leaf;
    }
    return n;
}

static bool attach_all(struct skr_volume_play *play, size_t i, int32_t leaf,
                       const struct skr_node *node)
{
    const struct skr_late_claims *l = &play->late;
    for (size_t d = 0; d < play->attached.drivers.n; d++) {
        const uint16_t driver = play->attached.drivers.driver[d];
        const int32_t most = skr_csi_limit(l->e, node->meta.name, driver);
        const int64_t had = most < INT32_MAX ? attached_to(play, d, leaf) : 0;
        int64_t more = 0;
        for (size_t c = l->first[i]; c < l->first[i + 1] && most < INT32_MAX; c++) {
            const uint64_t volume = l->claim[c].volume;
            if (l->claim[c].driver == driver && !in_list(&play->attached.used[d], leaf, volume) &&
                !is_played(play, d, leaf, volume)) {
                note(play, (struct skr_volume_move){ATTACHED, d, leaf, volume});
                more++;
            }
        }
        if (more > 0 && had + more > most) {
            return false;
        }
    }
    return true;
}

/* ---- pods ---- */

static bool is_reached(const struct skr_volume_play *play, size_t i, const struct skr_node *node)
{
    const struct skr_late_claims *l = &play->late;
    bool is = true;
    for (size_t c = l->first[i]; c < l->first[i + 1] && is; c++) {
        const struct volume_facts *claim = &l->claim[c];
        is = (claim->late || ((!claim->host || skr_pins_is_called(node, claim->host)) &&
                              (!claim->rule || skr_volume_reaches(claim->rule, node)))) &&
             skr_csi_runs_on(l->e, claim, node->meta.name);
    }
    return is;
}

static void take_back(struct skr_volume_play *play)
{
    struct skr_volume_move m;
    do {
        m = play->move[--play->n_moves];
        if (m.kind == TAKEN) {
            play->late.volume[m.at].claim = 0;
        }
    } while (m.kind != BEGIN);
}

/* False: it is refused, and takes nothing. */
static bool place(struct skr_volume_play *play, size_t i, int32_t leaf)
{
    const struct node_entry *node = skr_topology_leaf_nodes(play->late.e)[leaf];
    note(play, (struct skr_volume_move){.kind = BEGIN});
    const bool is = node && is_reached(play, i, node->node) &&
                    take_all_late(play, i, leaf, node->node) &&
                    attach_all(play, i, leaf, node->node);
    if (!is) {
        take_back(play);
    }
    return is;
}

bool skr_volume_play_is_late(const struct skr_volume_play *play, size_t i)
{
    size_t c = play->late.first[i];
    while (c < play->late.first[i + 1] && !play->late.claim[c].late) {
        c++;
    }
    return c < play->late.first[i + 1];
}

size_t skr_volume_play_run(struct skr_volume_play *play, const int32_t *leaf, size_t *ret_order)
{
    size_t n = 0, i = 0;
    for (int late = 0; late < 2; late++) {
        for (size_t k = 0; k < play->n; k++) {
            if (skr_volume_play_is_late(play, k) == late) {
                ret_order[n++] = k;
            }
        }
    }
    while (i < n && place(play, ret_order[i], leaf[ret_order[i]])) {
        i++;
    }
    for (size_t placed = i; placed > 0; placed--) {
        take_back(play);
    }
    return i < n ? ret_order[i] : n;
}

/* ---- search ---- */

struct frame {
    size_t pod, tried; /* tried: leaves of this pod */
    int32_t leaf;
    bool only; /* no other pod instead */
};

struct run {
    struct skr_volume_play *play;
    struct skr_volume_search *search;
    int32_t *open; /* leaves with a place */
    size_t n_open;
    bool *used; /* [pod] */
    size_t steps;
};

static int32_t *place_of(const struct run *r, size_t pod, int32_t leaf)
{
    const size_t leaves = (size_t)r->play->late.e->topology.tree->n_leaves;
    return &r->search->place[r->play->pod[pod]->role * leaves + (size_t)leaf];
}

bool skr_volume_play_is_like(const struct skr_volume_play *play, size_t a, size_t b)
{
    const struct skr_late_claims *l = &play->late;
    const size_t n = l->first[a + 1] - l->first[a];
    bool is = n == l->first[b + 1] - l->first[b] && play->pod[a]->role == play->pod[b]->role;
    for (size_t k = 0; k < n && is; k++) {
        const size_t x = l->first[a] + k, y = l->first[b] + k;
        const struct volume_facts *c = &l->claim[x], *o = &l->claim[y];
        const bool node = c->node && o->node ? strcmp(c->node, o->node) == 0 : c->node == o->node;
        is = l->kind[x] == l->kind[y] && node &&
             (c->volume == o->volume || (l->kind[x] >= 0 && !l->owned));
    }
    return is;
}

/* The next pod from this one on that may come now: those without late claims in their order, then the others, of equal
 * ones the first. n: there is none. */
static size_t next_pod(const struct run *r, size_t from)
{
    const struct skr_volume_play *play = r->play;
    for (int late = 0; late < 2; late++) {
        bool any = false;
        for (size_t i = 0; i < play->n; i++) {
            if (r->used[i] || skr_volume_play_is_late(play, i) != late) {
                continue;
            }
            bool first = late || !any;
            for (size_t k = 0; k < i && i >= from && first; k++) {
                first = r->used[k] || !skr_volume_play_is_like(play, k, i);
            }
            if (i >= from && first) {
                return i;
            }
            any = true;
        }
        if (any) {
            return play->n;
        }
    }
    return play->n;
}

/* The k-th leaf to try: first the one that is given. */
static int32_t leaf_at(const struct run *r, size_t pod, size_t k)
{
    const int32_t given = r->search->leaf[pod];
    return given < 0 ? (k < r->n_open ? r->open[k] : -1) : k == 0 ? given : r->open[k - 1];
}

/* Places the next pod, beginning with what the frame has not tried. */
static bool advance(struct run *r, struct frame *f)
{
    for (; f->pod < r->play->n;
         f->pod = f->only ? r->play->n : next_pod(r, f->pod + 1), f->tried = 0) {
        const bool given = r->search->leaf[f->pod] >= 0;
        const size_t most = r->search->fixed ? 1 : r->n_open + given;
        while (f->tried < most) {
            const size_t k = f->tried++;
            const int32_t leaf = leaf_at(r, f->pod, k);
            if (leaf < 0 || *place_of(r, f->pod, leaf) <= 0 ||
                (k > 0 && leaf == r->search->leaf[f->pod])) {
                continue;
            }
            if (++r->steps > SKR_VOLUME_PLAY_STEPS || r->play->looks > SKR_VOLUME_PLAY_LOOKS) {
                r->search->ended = true;
                return false;
            }
            if (place(r->play, f->pod, leaf)) {
                f->leaf = leaf;
                return true;
            }
        }
    }
    return false;
}

/* Whether each pod that is left has a place now. What is taken only makes it harder, so else there is no way on. */
static bool may_go_on(struct run *r)
{
    bool may = true;
    for (size_t i = 0; i < r->play->n && may && !r->search->ended; i++) {
        bool comes = r->used[i];
        for (size_t k = 0; k < i && !comes; k++) {
            comes = !r->used[k] && skr_volume_play_is_like(r->play, k, i);
        }
        struct frame f = {.pod = i, .only = true};
        may = comes || advance(r, &f);
        if (may && !comes) {
            take_back(r->play);
        }
    }
    return may;
}

static bool walk(struct run *r, struct frame *frame)
{
    const size_t n = r->play->n;
    size_t depth = 0;
    bool found = false, back = false;
    frame[0] = (struct frame){.pod = next_pod(r, 0)};
    while (!found) {
        if (depth < n && advance(r, &frame[depth])) {
            struct frame *f = &frame[depth++];
            r->used[f->pod] = true;
            (*place_of(r, f->pod, f->leaf))--;
            r->search->ret_leaf[f->pod] = f->leaf;
            r->search->ret_order[depth - 1] = f->pod;
            found = depth == n && (!r->search->accepts ||
                                   r->search->accepts(r->search->context, r->search->ret_leaf));
            if (depth < n) {
                frame[depth] = (struct frame){.pod = back && !may_go_on(r) ? n : next_pod(r, 0)};
            }
            continue;
        }
        if (depth == 0 || r->search->ended) {
            break;
        }
        const struct frame *f = &frame[--depth];
        back = true;
        r->used[f->pod] = false;
        (*place_of(r, f->pod, f->leaf))++;
        take_back(r->play);
    }
    while (depth-- > 0) {
        take_back(r->play);
    }
    return found;
}

bool skr_volume_play_search(struct skr_volume_play *play, struct skr_volume_search *search)
{
    const size_t leaves = (size_t)play->late.e->topology.tree->n_leaves;
    struct run r = {.play = play,
                    .search = search,
                    .open = skr_alloc_array(leaves + 1, sizeof *r.open),
                    .used = skr_alloc_array(play->n + 1, sizeof *r.used)};
    struct frame *frame = skr_alloc_array(play->n + 1, sizeof *frame);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        bool any = false;
        for (size_t role = 0; role < SKR_ROLES_MAX; role++) {
            any = any || search->place[role * leaves + leaf] > 0;
        }
        if (any) {
            r.open[r.n_open++] = (int32_t)leaf;
        }
    }
    play->looks = 0;
    search->ended = false;
    const bool found = walk(&r, frame);
    free(r.open);
    free(r.used);
    free(frame);
    return found;
}

/* ---- life ---- */

/* Whose late claims take volumes before those of the pods: members of plans that are not bound. */
static void take_before(struct skr_volume_play *play, struct pod_entry *const *before, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t leaf = skr_tree_find_leaf(play->late.e->topology.tree, before[i]->place.node);
        const struct node_entry *node =
            leaf >= 0 ? skr_topology_leaf_nodes(play->late.e)[leaf] : NULL;
        if (node) {
            (void)take_all_late(play, play->n + i, leaf, node->node);
        }
    }
}

/* Pods, then members of plans that are none of them and not bound. *ret_n: all. free() it. */
static struct pod_entry **with_plans(const struct skr_gang *e, struct pod_entry *const *pod,
                                     size_t n, size_t *ret_n)
{
    struct pod_entry **all = skr_alloc_array(n + 1, sizeof *all);
    size_t cap = n + 1;
    const struct group *g;
    struct pod_entry *p;
    memcpy(all, pod, n * sizeof *all);
    *ret_n = n;
    DL_FOREACH2(e->planned, g, pnext)
    {
        DL_FOREACH(g->seats.n_claimers > 0 ? g->members : NULL, p)
        {
            bool is_new = p->plan && !skr_pods_is_bound(p);
            for (size_t i = 0; i < n && is_new; i++) {
                is_new = pod[i] != p;
            }
            if (is_new) {
                skr_grow(&all, &cap, *ret_n + 1, sizeof *all);
                all[(*ret_n)++] = p;
            }
        }
    }
    return all;
}

struct skr_volume_play *skr_volume_play_create(struct skr_gang *e, struct pod_entry *const *pod,
                                               size_t n)
{
    if (!e->topology.tree || !skr_problem_volumes_matter(e, pod, n)) {
        return NULL;
    }
    const struct skr_problem_drivers drivers = skr_problem_attach_drivers(e, pod, n);
    struct skr_late_claims own;
    skr_late_claims_init(&own, e, pod, n);
    const bool matters = own.n_kinds > 0 || drivers.n > 0;
    skr_late_claims_fini(&own);
    if (!matters) {
        return NULL;
    }
    size_t n_all;
    struct pod_entry **all = with_plans(e, pod, n, &n_all);
    struct skr_volume_play *play = skr_alloc(sizeof *play);
    play->pod = pod;
    play->n = n;
    skr_late_claims_init(&play->late, e, all, n_all);
    skr_late_claims_gather(&play->late);
    skr_attached_init(&play->attached, e, &drivers, pod, n);
    take_before(play, &all[n], n_all - n);
    free(all);
    return play;
}

void skr_volume_play_destroy(struct skr_volume_play *play)
{
    if (play) {
        skr_late_claims_fini(&play->late);
        skr_attached_fini(&play->attached);
        free(play->move);
        free(play);
    }
}
