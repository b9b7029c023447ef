/* SPDX-License-Identifier: Apache-2.0 */
#include "core/devices/stock_shares.h"

#include <stdlib.h>
#include <string.h>

#include "core/devices/stock.h"
#include "core/devices/stock_parts.h"

static const char too_many_specs[] = "pods ask for more than 4096 different claims";
static const char too_many_of_one[] =
    "pods of the namespace ask for more than 512 different claims";
static const char too_many_selectors[] =
    "different claims of the namespace's pods have more than 1024 selectors";

#define MINUTE   (60 * SKR_SECOND)
#define A_STEP   (MINUTE / SKR_SHARE_STEPS) /* the time in which an allowance grows by one */
#define ALL      ((int64_t)SKR_SHARE_STEPS)
#define A_SIXTH  (ALL / 6)
#define ROW_KEPT (SKR_SHARE_ROW_KEPT_S * SKR_SECOND)

static struct skr_stock_share *find(const struct skr_devices_stock *stock, const char *namespace_)
{
    struct skr_stock_share *share = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->shares, namespace_, share);
    return share;
}

static int64_t left_of(const struct skr_stock_share *share, skr_time now)
{
    const int64_t grown = now > share->at ? (now - share->at) / A_STEP : 0;
    return grown > ALL - share->left ? ALL : share->left + grown;
}

static void drop_unused(struct skr_devices_stock *stock)
{
    struct skr_stock_share *share, *next;
    HASH_ITER(hh, stock->shares, share, next)
    {
        if (share->n_specs == 0 && share->text_bytes == 0 && share->attempts == 0 &&
            share->waiting == 0 && share->opens + ROW_KEPT <= stock->share_at &&
            left_of(share, stock->share_at) == ALL) {
            HASH_DEL(stock->shares, share);
            free(share);
        }
    }
}

struct skr_stock_share *skr_stock_share_get(struct skr_devices_stock *stock, const char *namespace_)
{
    struct skr_stock_share *share = find(stock, namespace_);
    if (!share) {
        drop_unused(stock);
        SKR_STOCK_GET(stock, stock->shares, namespace_, share);
        share->left = ALL;
        share->at = stock->share_at;
    }
    return share;
}

void skr_stock_share_spend(struct skr_devices_stock *stock, const char *namespace_, uint64_t steps,
                           skr_time now)
{
    stock->share_at = now > stock->share_at ? now : stock->share_at;
    struct skr_stock_share *share = steps > 0 ? skr_stock_share_get(stock, namespace_) : NULL;
    if (share) {
        const int64_t left = left_of(share, now) - (int64_t)steps;
        share->left = left > -ALL ? left : -ALL;
        share->at = now;
        share->over = share->left <= 0 || (share->over && share->left < A_SIXTH);
    }
}

int64_t skr_stock_share_left(const struct skr_devices_stock *stock, const char *namespace_,
                             skr_time now)
{
    const struct skr_stock_share *share = find(stock, namespace_);
    const int64_t left = share ? left_of(share, now) : ALL;
    return left <= 0 || (share && share->over && left < A_SIXTH) ? 0 : left;
}

skr_time skr_stock_share_until(const struct skr_devices_stock *stock, const char *namespace_,
                               skr_time now)
{
    const struct skr_stock_share *share = find(stock, namespace_);
    const int64_t lacks = share ? A_SIXTH - left_of(share, now) : 0;
    return now + (lacks > 0 ? (lacks + 1) * A_STEP : 0);
}

void skr_stock_share_attempt(struct skr_devices_stock *stock, const char *namespace_)
{
    skr_stock_share_get(stock, namespace_)->attempts++;
}

void skr_stock_share_attempted(struct skr_devices_stock *stock, const char *namespace_,
                               enum skr_stock_attempt how, skr_time took, skr_time now)
{
    const skr_time most = SKR_SHARE_PAUSE_MAX_S * SKR_SECOND;
    struct skr_stock_share *share = skr_stock_share_get(stock, namespace_);
    const bool refused = how == SKR_STOCK_REFUSED;
    skr_time pause = refused && took < SKR_SECOND ? SKR_SECOND : took;
    if (how == SKR_STOCK_TAKEN || now >= share->opens + ROW_KEPT) {
        share->refused = 0;
    }
    for (uint32_t i = 0; refused && i < share->refused && pause < most; i++) {
        pause *= 2;
    }
    stock->share_at = now > stock->share_at ? now : stock->share_at;
    share->attempts--;
    share->refused += refused;
    share->opens = now + (pause < most ? pause : most);
    stock->waiting_at = 0;
}

const struct skr_claim_spec *skr_stock_share_spec(struct skr_devices_stock *stock,
                                                  const char *namespace_, const char *text,
                                                  const char **ret_why)
{
    struct skr_stock_share *share = skr_stock_share_get(stock, namespace_);
    struct skr_claim_spec *spec = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->specs, text, spec);
    const bool needed = spec && spec->refs > 0; /* counted for the namespace that needed it first */
    size_t requests, selectors = 0;
    if (!needed) {
        skr_devices_stock_size(stock, text, &requests, &selectors);
    }
    *ret_why = share->n_specs >= SKR_SHARE_SPECS_MAX                      ? too_many_of_one
               : share->n_selectors + selectors > SKR_SHARE_SELECTORS_MAX ? too_many_selectors
                                                                          : NULL;
    *ret_why = needed ? NULL : *ret_why;
    if (*ret_why) {
        return NULL; /* no selector of it is compiled */
    }
    spec = (struct skr_claim_spec *)(uintptr_t)skr_devices_stock_spec(stock, text);
    *ret_why = spec ? NULL : too_many_specs;
    if (spec && !needed) {
        spec->payer = share;
        share->n_specs++;
        share->n_selectors += spec->size_selectors;
    }
    return spec;
}

bool skr_stock_share_limits(const char *why)
{
    return why == too_many_specs || why == too_many_of_one || why == too_many_selectors;
}

void skr_stock_shares_fini(struct skr_devices_stock *stock)
{
    struct skr_stock_share *share, *next;
    HASH_ITER(hh, stock->shares, share, next)
    {
        HASH_DEL(stock->shares, share);
        free(share);
    }
}
