/* SPDX-License-Identifier: Apache-2.0 */
/* Counts per namespace what came to nothing; solve_share.h has the rules for these limits. */
#include "core/gang/group/solve_share.h"

#include "core/gang/group/namespace_bound.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "topology/base/table.h"

#include <string.h>
#include <uthash.h>

enum { SLOW_MS = 50, SOLVE_TIMES = 10, ROOM_TIMES = 2, SPARE_MS = 2500, LONGEST_S = 600 };

struct solve_share {
    UT_hash_handle hh; /* by name */
    char *name;        /* of the namespace */
    skr_time until;    /* when its counted time is used up */
    bool told;
};

/* name has n bytes. */
static struct solve_share *find(const struct skr_gang *e, const char *name, size_t n)
{
    struct solve_share *share;
    SKR_TABLE_FIND(&e->settings.hash_seed, hh, e->solve_shares, name, n, share);
    return share;
}

static void drop(struct skr_gang *e, struct solve_share *share)
{
    HASH_DEL(e->solve_shares, share);
    free(share->name);
    free(share);
}

static void drop_old(struct skr_gang *e)
{
    struct solve_share *share, *tmp;
    HASH_ITER(hh, e->solve_shares, share, tmp)
    {
        if (share->until <= skr_frame_now(e->frame)) {
            drop(e, share);
        }
    }
}

static struct solve_share *obtain(struct skr_gang *e, const char *name, size_t n)
{
    struct solve_share *share = find(e, name, n);
    if (!share) {
        share = skr_alloc(sizeof *share);
        share->name = skr_alloc(n + 1);
        memcpy(share->name, name, n);
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->solve_shares, share->name, n, share);
    }
    return share;
}

static bool stands_back(const struct skr_gang *e, const struct solve_share *share)
{
    return share && share->until - skr_frame_now(e->frame) > SPARE_MS * SKR_MILLISECOND;
}

/* Logs once, when the namespace begins to yield. solved: because of solves. */
static void tell(struct skr_gang *e, struct solve_share *share, const char *key, bool solved)
{
    skr_time left = share->until - skr_frame_now(e->frame) - SPARE_MS * SKR_MILLISECOND;
    bool told = share->told;
    share->told = stands_back(e, share);
    if (!share->told || told) {
        return;
    }
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "%s of namespace %s %s: for %lld s or more groups of other namespaces go first",
                    solved ? "solving for groups" : "plans for groups", share->name,
                    solved ? "took long" : "had room and came to nothing",
                    (long long)((left + SKR_SECOND - 1) / SKR_SECOND));
    skr_out_decision(e, key, "", solved ? "Slow to solve for" : "Reserved in vain", "", text.s,
                     false);
}

static void count(struct skr_gang *e, const char *key, skr_time ns, bool solved)
{
    const skr_time now = skr_frame_now(e->frame);
    drop_old(e);
    struct solve_share *share = obtain(e, key, strcspn(key, "/"));
    share->told = share->told && stands_back(e, share);
    const skr_time longest = now + LONGEST_S * SKR_SECOND;
    share->until = (share->until > now ? share->until : now) + ns;
    share->until = share->until < longest ? share->until : longest;
    tell(e, share, key, solved);
}

void skr_solve_share_took(struct skr_gang *e, const char *key, int64_t ns, bool ended)
{
    if (ns >= SLOW_MS * SKR_MILLISECOND || (ended && ns > 0)) {
        count(e, key, SOLVE_TIMES * ns, true);
    }
}

void skr_solve_share_reserved(struct skr_gang *e, const struct group *g, skr_time ns)
{
    if (ns > 0 && skr_namespace_bound_is_beyond(e, g->namespace_)) {
        count(e, g->key, ROOM_TIMES * ns, false);
    }
}

bool skr_solve_share_stands_back(const struct skr_gang *e, const struct group *g)
{
    return e->solve_shares && stands_back(e, find(e, g->namespace_, strlen(g->namespace_)));
}

void skr_solve_share_fini(struct skr_gang *e)
{
    struct solve_share *share, *tmp;
    HASH_ITER(hh, e->solve_shares, share, tmp)
    {
        drop(e, share);
    }
}
