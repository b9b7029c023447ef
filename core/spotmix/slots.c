/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indices of one space: held by what pods claim, or reserved. A space of n holders has a vacant
 * index within n of where the search begins, so that one pass over the holders and a set of n + 1
 * bits find it.
 */
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/arena.h"

static void mark(uint64_t *bits, size_t n, int32_t index, int32_t from)
{
    if (index >= from && (size_t)(index - from) < n) {
        bits[(size_t)(index - from) / 64] |= (uint64_t)1 << ((size_t)(index - from) % 64);
    }
}

int32_t skr_spotmix_vacant(struct skr_spotmix *mix, const struct skr_spotmix_owner *owner,
                           int32_t from)
{
    const size_t n = owner->n_held + owner->n_reservations + 1;
    const size_t words = (n + 63) / 64;
    size_t i = 0;

    skr_grow(&mix->bits, &mix->cap_bits, words, sizeof *mix->bits);
    memset(mix->bits, 0, words * sizeof *mix->bits);
    for (size_t k = 0; k < owner->n_held; k++) {
        mark(mix->bits, n, owner->held[k].index, from);
    }
    for (size_t k = 0; k < owner->n_reservations; k++) {
        mark(mix->bits, n, owner->reservation[k].index, from);
    }
    while (mix->bits[i] == UINT64_MAX) {
        i++;
    }
    const size_t free_at = i * 64 + (size_t)skr_lowest_bit(~mix->bits[i]);
    return free_at > (size_t)(SKR_SPOTMIX_INDEX_MAX - from) ? SKR_SPOTMIX_INDEX_MAX
                                                            : from + (int32_t)free_at;
}

int32_t skr_spotmix_highest(const struct skr_spotmix_owner *owner)
{
    int32_t highest = -1;

    for (size_t i = 0; i < owner->n_held; i++) {
        highest = owner->held[i].index > highest ? owner->held[i].index : highest;
    }
    for (size_t i = 0; i < owner->n_reservations; i++) {
        highest = owner->reservation[i].index > highest ? owner->reservation[i].index : highest;
    }
    return highest;
}

bool skr_spotmix_reserve(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_slot *slot, skr_time expires)
{
    if (owner->n_reservations >= SKR_SPOTMIX_RESERVATIONS_MAX) {
        return false;
    }
    skr_grow(&owner->reservation, &owner->cap_reservations, owner->n_reservations + 1,
             sizeof *owner->reservation);
    struct skr_spotmix_reservation *entry = &owner->reservation[owner->n_reservations++];
    *entry = (struct skr_spotmix_reservation){
        .expires = expires, .index = slot->index, .class_ = slot->class_};
    memcpy(entry->token, slot->token, sizeof entry->token);
    mix->n_reservations++;
    mix->expiry = expires < mix->expiry ? expires : mix->expiry;
    return true;
}

static size_t place_of(const struct skr_spotmix_owner *owner, const char *token)
{
    size_t i = 0;

    while (i < owner->n_reservations && strcmp(owner->reservation[i].token, token) != 0) {
        i++;
    }
    return i;
}

const struct skr_spotmix_reservation *skr_spotmix_reserved(const struct skr_spotmix_owner *owner,
                                                           const char *token)
{
    const size_t i = place_of(owner, token);

    return i < owner->n_reservations ? &owner->reservation[i] : NULL;
}

static void take_out(struct skr_spotmix *mix, struct skr_spotmix_owner *owner, size_t i)
{
    owner->reservation[i] = owner->reservation[--owner->n_reservations];
    mix->n_reservations--;
}

void skr_spotmix_unreserve(struct skr_spotmix *mix, struct skr_spotmix_owner *owner,
                           const char *token)
{
    const size_t i = place_of(owner, token);

    if (i < owner->n_reservations) {
        take_out(mix, owner, i);
    }
}

skr_time skr_spotmix_expiry(const struct skr_spotmix *mix)
{
    return mix->n_reservations > 0 ? mix->expiry : SKR_TIME_NEVER;
}

void skr_spotmix_expire(struct skr_spotmix *mix, skr_time now)
{
    struct skr_spotmix_owner *owner, *next;

    if (mix->n_reservations == 0 || now < mix->expiry) {
        return;
    }
    mix->expiry = SKR_TIME_NEVER;
    HASH_ITER(hh, mix->owners, owner, next)
    {
        for (size_t i = owner->n_reservations; i-- > 0;) {
            const skr_time expires = owner->reservation[i].expires;
            if (expires <= now) {
                take_out(mix, owner, i);
                mix->n_expired++;
            } else {
                mix->expiry = expires < mix->expiry ? expires : mix->expiry;
            }
        }
        if (!owner->known && owner->n_reservations == 0) {
            skr_spotmix_owner_touch(mix, owner); /* settling frees what nothing needs */
        }
    }
}
