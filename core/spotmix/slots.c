/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The indices of one space: held by what pods claim, or reserved. A space of n holders has a vacant
 * index within n of where the search begins. A window therefore counts the holders of n + 1
 * indices, and its search continues where it stopped.
 */
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"
#include "topology/base/attr.h"

int32_t skr_spotmix_highest(const struct skr_spotmix_owner *owner)
{
    int32_t highest = -1;
    for (size_t i = 0; i < owner->n_held; i++) {
        highest = owner->held[i].index > highest ? owner->held[i].index : highest;
    }
    for (size_t i = 0; i < owner->n_reserved; i++) {
        highest = owner->reserved[i].index > highest ? owner->reserved[i].index : highest;
    }
    return highest;
}

/* ---- vacant ones ---- */

/* NULL: the index is outside. */
static uint32_t *holders_of(const struct skr_spotmix_window *window, int32_t index)
{
    const int64_t at = (int64_t)index - window->from;
    return index >= 0 && at >= 0 && (size_t)at < window->n ? &window->holders[at] : NULL;
}

void skr_spotmix_window_init(struct skr_spotmix_window *window,
                             const struct skr_spotmix_owner *owner, int32_t from)
{
    *window = (struct skr_spotmix_window){.from = from, .n = owner->n_held + owner->n_reserved + 1};
    window->holders = skr_alloc_array(window->n, sizeof *window->holders);
    for (size_t i = 0; i < owner->n_held; i++) {
        skr_spotmix_window_move(window, -1, owner->held[i].index);
    }
    for (size_t i = 0; i < owner->n_reserved; i++) {
        skr_spotmix_window_move(window, -1, owner->reserved[i].index);
    }
}

void skr_spotmix_window_fini(struct skr_spotmix_window *window)
{
    free(window->holders);
}

int32_t skr_spotmix_window_vacant(struct skr_spotmix_window *window)
{
    while (window->at + 1 < window->n && window->holders[window->at] > 0) {
        window->at++;
    }
    return window->at > (size_t)(SKR_SPOTMIX_INDEX_MAX - window->from)
               ? SKR_SPOTMIX_INDEX_MAX
               : window->from + (int32_t)window->at;
}

void skr_spotmix_window_move(struct skr_spotmix_window *window, int32_t from, int32_t to)
{
    uint32_t *before = holders_of(window, from), *after = holders_of(window, to);
    if (before && --*before == 0 && (size_t)(before - window->holders) < window->at) {
        window->at = (size_t)(before - window->holders);
    }
    if (after) {
        ++*after;
    }
    window->clash |= to >= 0 && (!after || *after > 1);
}

int32_t skr_spotmix_vacant(const struct skr_spotmix_owner *owner)
{
    struct skr_spotmix_window window;
    skr_spotmix_window_init(&window, owner, 0);
    const int32_t vacant = skr_spotmix_window_vacant(&window);
    skr_spotmix_window_fini(&window);
    return vacant;
}

/* ---- reservations ---- */

static struct skr_spotmix_ticket ticket_of(struct skr_spotmix_owner *owner, const char *token)
{
    struct skr_spotmix_ticket ticket;
    memset(&ticket, 0, sizeof ticket); /* padding is part of the key */
    ticket.owner = owner;
    if (strlen(token) < sizeof ticket.token) {
        memcpy(ticket.token, token, strlen(token));
    }
    return ticket;
}

bool skr_spotmix_reserve(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_slot *slot, skr_time expires)
{
    if (owner->n_reserved >= SKR_SPOTMIX_RESERVATIONS_MAX) {
        return false;
    }
    struct skr_spotmix_reservation *made = skr_alloc(sizeof *made);
    made->ticket = ticket_of(owner, slot->token);
    made->at = owner->n_reserved;
    made->expires = expires;
    made->class_ = slot->class_;
    HASH_ADD(hh, mix->reservations, ticket, sizeof made->ticket, made);
    skr_grow(&owner->reserved, &owner->cap_reserved, owner->n_reserved + 1,
             sizeof *owner->reserved);
    owner->reserved[owner->n_reserved++] =
        (struct skr_spotmix_reserved){.reservation = made, .index = slot->index};
    return true;
}

static struct skr_spotmix_reservation *find(const struct skr_spotmix *mix,
                                            struct skr_spotmix_owner *owner, const char *token)
{
    const struct skr_spotmix_ticket ticket = ticket_of(owner, token);
    struct skr_spotmix_reservation *found = NULL;
    if (*ticket.token != '\0') {
        HASH_FIND(hh, mix->reservations, &ticket, sizeof ticket, found);
    }
    return found;
}

bool skr_spotmix_is_reserved(const struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                             const char *token)
{
    return find(mix, owner, token);
}

static void take_out(struct skr_spotmix *mix, struct skr_spotmix_owner *owner, size_t at)
{
    struct skr_spotmix_reservation *gone = owner->reserved[at].reservation;
    owner->reserved[at] = owner->reserved[--owner->n_reserved];
    owner->reserved[at].reservation->at = at;
    HASH_DEL(mix->reservations, gone);
    free(gone);
}

void skr_spotmix_unreserve(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                           const char *token)
{
    const struct skr_spotmix_reservation *found = find(mix, owner, token);
    if (found) {
        take_out(mix, owner, found->at);
    }
}

void skr_spotmix_unreserve_all(struct skr_spotmix *mix, struct skr_spotmix_owner *owner)
{
    while (owner->n_reserved > 0) {
        take_out(mix, owner, owner->n_reserved - 1);
    }
}

/* In the order in which they were made, of one moment by index. */
static int by_age(const void *a, const void *b)
{
    const struct skr_spotmix_reserved *x = a, *y = b;
    const skr_time at = x->reservation->expires, other = y->reservation->expires;
    return at != other ? (at < other ? -1 : 1) : (x->index > y->index) - (x->index < y->index);
}

/* How many of the reservations made first are of pods that were refused. since: the expiry of a
 * reservation that is made now. */
static size_t refused_of(const struct skr_spotmix_owner *owner, skr_time since)
{
    const int64_t room = owner->known ? owner->replicas - (int64_t)owner->n_held : 0;
    const size_t n = owner->n_reserved;
    bool silent = true;
    for (size_t i = 0; i < n && silent; i++) {
        silent = owner->reserved[i].reservation->expires + SKR_SPOTMIX_SILENCE <= since;
    }
    return silent ? n : room > 0 && (int64_t)n >= room ? n - (size_t)room + 1 : 0;
}

void skr_spotmix_give_back(struct skr_spotmix *mix, struct skr_spotmix_owner *owner, skr_time now)
{
    const skr_time since = now + mix->settings->reservation_ttl;
    const size_t refused = refused_of(owner, since), n = owner->n_reserved;
    if (refused == 0) {
        return;
    }
    SKR_AUTO_FREE struct skr_spotmix_reserved *oldest = skr_alloc_array(n, sizeof *oldest);
    memcpy(oldest, owner->reserved, n * sizeof *oldest);
    qsort(oldest, n, sizeof *oldest, by_age);
    for (size_t i = 0; i < refused; i++) {
        if (!owner->refused && oldest[i].reservation->expires + SKR_SPOTMIX_RETRY > since) {
            break;
        }
        take_out(mix, owner, oldest[i].reservation->at);
        mix->n_expired++;
    }
}

skr_time skr_spotmix_expiry(const struct skr_spotmix *mix)
{
    return mix->reservations ? mix->reservations->expires : SKR_TIME_NEVER;
}

void skr_spotmix_expire(struct skr_spotmix *mix, skr_time now)
{
    while (mix->reservations && mix->reservations->expires <= now) {
        const struct skr_spotmix_reservation *oldest = mix->reservations;
        struct skr_spotmix_owner *owner = oldest->ticket.owner;
        take_out(mix, owner, oldest->at);
        mix->n_expired++;
        if (!owner->known && owner->n_reserved == 0) {
            skr_spotmix_owner_touch(mix, owner); /* settling frees what nothing needs */
        }
    }
}
