/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/outranks.h"

#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/namespace_limits.h"
#include "core/gang/group/membership.h"

#include <string.h>
#include <utlist.h>

struct skr_outranks skr_outranks_of(const struct skr_gang *e, const struct group *g)
{
    return (struct skr_outranks){
        .group = g,
        .trusted = skr_namespace_is_listed(e->settings.priority_trusted, g->namespace_),
        .least = skr_membership_lowest_class(g)};
}

bool skr_outranks_by_class(const struct skr_outranks *o, const struct group *h)
{
    return !o->trusted && strcmp(o->group->namespace_, h->namespace_) != 0;
}

bool skr_outranks(const struct skr_outranks *o, const struct group *h)
{
    if (o->group->spec->priority <= 0) {
        return false;
    }
    return skr_outranks_by_class(o, h) ? skr_ordinary_class_of(h) < o->least
                                       : h->spec->priority < o->group->spec->priority;
}

const struct pod_entry *skr_outranks_refuser(const struct group *g)
{
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->pod->preempts_never && skr_pod_is_live(p->pod)) {
            return p;
        }
    }
    return NULL;
}

bool skr_outranks_or_equals(const struct skr_outranks *o, const struct group *h)
{
    return skr_outranks_by_class(o, h) ? skr_ordinary_class_of(h) <= o->least
                                       : h->spec->priority <= o->group->spec->priority;
}

int64_t skr_outranks_order(const struct skr_outranks *o, const struct group *h)
{
    const int64_t after_own = (int64_t)UINT32_MAX + 1;
    return skr_outranks_by_class(o, h) ? after_own + skr_ordinary_class_of(h) : h->spec->priority;
}

void skr_outranks_say(const struct skr_outranks *o, int32_t most, struct skr_strbuf *b)
{
    skr_strbuf_addf(b,
                    " of other namespaces, where the PriorityClass of pods decides: the pods of "
                    "group %s have %d, those have up to %d; use a class of a higher value, or have "
                    "an administrator add %s to priority.trustedNamespaces",
                    o->group->name, o->least, most, o->group->namespace_);
}
