/* SPDX-License-Identifier: Apache-2.0 */
#include "core/frame/installations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"

enum { NAME_MAX_BYTES = 254, TEXT_MAX = 700, STAMP_MAX = 64 };

enum standing { NOT_LOOKED_UP, IS_INSTALLATION, IS_NONE };

struct installation {
    char namespace_[NAME_MAX_BYTES];
    enum standing standing;
    skr_time asked_at; /* of the standing */
    char text[TEXT_MAX];
    char version[STAMP_MAX]; /* resourceVersion */
    char created[STAMP_MAX]; /* RFC 3339 in UTC: byte order is that of time */
    skr_time changed_at;     /* when this process saw the present version first; 0: long ago */
    bool held;
};

struct skr_installations {
    char namespace_[NAME_MAX_BYTES];
    char created[STAMP_MAX]; /* of the own Lease; "": it is not there */
    struct installation item[SKR_INSTALLATIONS_MAX];
    size_t n;
};

struct skr_installations *skr_installations_create(const char *namespace_)
{
    struct skr_installations *i = skr_alloc(sizeof *i);
    (void)snprintf(i->namespace_, sizeof i->namespace_, "%s", namespace_);
    return i;
}

void skr_installations_destroy(struct skr_installations *installations)
{
    free(installations);
}

void skr_installations_forget(struct skr_installations *installations)
{
    installations->n = 0;
}

/* ---- a look ---- */

static const char *text_of(const json_t *lease, const char *part, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(lease, part), key));
    return text ? text : "";
}

static struct installation *find(struct skr_installations *all, const char *namespace_)
{
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->item[i].namespace_, namespace_) == 0) {
            return &all->item[i];
        }
    }
    return NULL;
}

static bool is_long_ago(const json_t *lease, skr_time wall)
{
    skr_time renewed;
    return skr_time_parse(text_of(lease, "spec", "renewTime"), &renewed, NULL) < 0 ||
           renewed < wall - SKR_INSTALLATION_OLD_S * SKR_SECOND;
}

static void see(struct installation *ret, const struct installation *was, const json_t *lease,
                skr_time now, skr_time wall)
{
    const char *holder = text_of(lease, "spec", "holderIdentity");
    *ret = (struct installation){.held = *holder != '\0'};
    (void)snprintf(ret->namespace_, sizeof ret->namespace_, "%s",
                   text_of(lease, "metadata", "namespace"));
    (void)snprintf(ret->version, sizeof ret->version, "%s",
                   text_of(lease, "metadata", "resourceVersion"));
    (void)snprintf(ret->created, sizeof ret->created, "%s",
                   text_of(lease, "metadata", "creationTimestamp"));
    (void)snprintf(ret->text, sizeof ret->text, "Lease %.253s/%.100s, held by %.300s",
                   text_of(lease, "metadata", "namespace"), text_of(lease, "metadata", "name"),
                   holder);
    if (was) {
        ret->standing = was->standing;
        ret->asked_at = was->asked_at;
        ret->changed_at = strcmp(was->version, ret->version) == 0 ? was->changed_at : now;
    } else {
        ret->changed_at = is_long_ago(lease, wall) ? 0 : now;
    }
}

void skr_installations_see(struct skr_installations *installations, const json_t *list,
                           skr_time now, skr_time wall)
{
    struct skr_installations *i = installations;
    struct skr_installations *next = skr_installations_create(i->namespace_);
    size_t at;
    const json_t *lease;
    for (int round = 0; round < 2;
         round++) { /* installations first: there may be too many Leases */
        json_array_foreach(json_object_get(list, "items"), at, lease)
        {
            const char *namespace_ = text_of(lease, "metadata", "namespace");
            const struct installation *was = find(i, namespace_);
            const bool first = was && was->standing == IS_INSTALLATION;
            if (strcmp(namespace_, i->namespace_) == 0) {
                (void)snprintf(next->created, sizeof next->created, "%s",
                               text_of(lease, "metadata", "creationTimestamp"));
            } else if (first == (round == 0) && next->n < SKR_INSTALLATIONS_MAX) {
                see(&next->item[next->n++], was, lease, now, wall);
            }
        }
    }
    *i = *next;
    skr_installations_destroy(next);
}

/* ---- judgement ---- */

static bool is_older(const struct installation *other, const struct skr_installations *own)
{
    const int order = strcmp(other->created, own->created);
    return !*own->created || order < 0 ||
           (order == 0 && strcmp(other->namespace_, own->namespace_) < 0);
}

static bool is_live(const struct installation *other, skr_time now)
{
    return other->held && other->changed_at != 0 &&
           now < other->changed_at + SKR_INSTALLATION_LIVE_S * SKR_SECOND;
}

const char *skr_installations_ask(const struct skr_installations *installations, skr_time now)
{
    const struct installation *next = NULL;
    for (size_t i = 0; i < installations->n; i++) {
        const struct installation *other = &installations->item[i];
        const bool due = other->standing == NOT_LOOKED_UP ||
                         now >= other->asked_at + SKR_INSTALLATIONS_ASK_S * SKR_SECOND;
        if (due && is_live(other, now) &&
            (!next || (other->standing == NOT_LOOKED_UP && next->standing != NOT_LOOKED_UP))) {
            next = other;
        }
    }
    return next ? next->namespace_ : NULL;
}

void skr_installations_answer(struct skr_installations *installations, const char *namespace_,
                              bool is_installation, skr_time now)
{
    struct installation *other = find(installations, namespace_);
    if (other) {
        other->standing = is_installation ? IS_INSTALLATION : IS_NONE;
        other->asked_at = now;
    }
}

const char *skr_installations_in_the_way(const struct skr_installations *installations,
                                         skr_time now)
{
    for (size_t i = 0; i < installations->n; i++) {
        const struct installation *other = &installations->item[i];
        if (other->standing == IS_INSTALLATION && is_live(other, now) &&
            is_older(other, installations)) {
            return other->text;
        }
    }
    return NULL;
}

bool skr_installations_any(const struct skr_installations *installations, skr_time now)
{
    for (size_t i = 0; i < installations->n; i++) {
        if (installations->item[i].standing != IS_NONE && is_live(&installations->item[i], now)) {
            return true;
        }
    }
    return false;
}
