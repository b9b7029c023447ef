/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/solve_share.h"

#include "core/gang/groups.h"
#include "core/gang/output.h"

#include <string.h>
#include <uthash.h>

enum { SLOW_MS = 250, PAUSE_TIMES = 10 };

struct solve_share {
    UT_hash_handle hh; /* by name */
    char *name;        /* of the namespace */
    skr_time until;
};

static struct solve_share *find(const struct skr_gang *e, const char *name)
{
    struct solve_share *share;
    HASH_FIND_STR(e->solve_shares, name, share);
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

void solve_share_took(struct skr_gang *e, const struct group *g, int64_t ns)
{
    if (ns < SLOW_MS * SKR_MILLISECOND) {
        return;
    }
    drop_old(e);
    struct solve_share *share = find(e, g->namespace_);
    if (!share) {
        share = skr_alloc(sizeof *share);
        share->name = skr_strdup(g->namespace_);
        HASH_ADD_KEYPTR(hh, e->solve_shares, share->name, strlen(share->name), share);
    }
    share->until = skr_frame_now(e->frame) + PAUSE_TIMES * ns;
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "its rules took %lld ms to solve for; for %lld s groups of other namespaces go "
                    "before those of %s",
                    (long long)(ns / SKR_MILLISECOND),
                    (long long)((PAUSE_TIMES * ns + SKR_SECOND - 1) / SKR_SECOND), g->namespace_);
    out_decision(e, g->key, "", "Slow to solve for", "", text.s, false);
}

bool solve_share_stands_back(const struct skr_gang *e, const struct group *g)
{
    const struct solve_share *share = e->solve_shares ? find(e, g->namespace_) : NULL;
    return share && skr_frame_now(e->frame) < share->until;
}

void solve_share_fini(struct skr_gang *e)
{
    struct solve_share *share, *tmp;
    HASH_ITER(hh, e->solve_shares, share, tmp)
    {
        drop(e, share);
    }
}
