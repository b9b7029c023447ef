/* SPDX-License-Identifier: Apache-2.0 */
/* Each selector has a table of its answers by a hash of what it reads of a device, keyed with the secret of the process:
 * a million answers of one selector collide with a chance of 1 in 30 million. A slice keeps the answers of the
 * selectors that asked about it last, one after the other. */
#include "core/devices/answers.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "topology/base/table.h"

const char skr_devices_later[] = "what its claims ask for is not evaluated yet";

enum { STEPS_OF_A_SLICE = 16 }; /* to find what it keeps, and to keep more */

struct skr_device_answer {
    uint64_t content;
    uint8_t answer;
};

void skr_device_answers_forget(struct skr_devices_stock *stock,
                               struct skr_device_selector *selector)
{
    stock->work->n_answers -= selector->n_answers;
    skr_hash_index_fini(&selector->by_content);
    free(selector->answer);
    selector->by_content = (struct skr_hash_index){0};
    selector->answer = NULL;
    selector->n_answers = selector->cap_answers = 0;
}

static bool is_text(unsigned kind)
{
    return kind == SKR_DEVICE_VALUE_STRING || kind == SKR_DEVICE_VALUE_VERSION;
}

/* Whether the value of its own matters: every selector fails about a device that has one that cannot be read. */
static bool matters(const struct skr_device_selector *selector, const char *driver,
                    const struct skr_device_kind *kind, const struct skr_device_own *own)
{
    return own->at != SKR_DEVICE_OWN_SET &&
           (own->kind == SKR_DEVICE_VALUE_OTHER || own->kind == SKR_DEVICE_VALUE_VERSION ||
            skr_device_selector_reads(selector, driver, kind->attribute[own->at].name));
}

/* What the selector reads of the device. */
static uint64_t content_of(const struct skr_devices_stock *stock,
                           const struct skr_device_selector *selector, const char *driver,
                           const struct skr_device *device)
{
    uint64_t content =
        skr_hash_pair(skr_hash_keyed(&stock->seed, driver, strlen(driver)), device->kind->id);
    for (size_t i = 0; i < device->n_own; i++) {
        const struct skr_device_own *own = &device->own[i];
        if (!matters(selector, driver, device->kind, own)) {
            continue;
        }
        const bool text = is_text(own->kind);
        const void *value = text ? (const void *)own->value.text : &own->value.integer;
        const size_t n = text ? strlen(own->value.text) : sizeof own->value.integer;
        content = skr_hash_pair(content, (uint64_t)own->at << 16 | own->kind);
        content = skr_hash_pair(content, skr_hash_keyed(&stock->seed, value, n));
    }
    return content;
}

/* The selector with the most answers loses them; of several, the oldest. */
static void make_room(struct skr_devices_stock *stock)
{
    struct skr_device_selector *s, *most = NULL;
    for (s = stock->selectors; s; s = s->hh.next) {
        if (!most || s->n_answers > most->n_answers ||
            (s->n_answers == most->n_answers && s->id < most->id)) {
            most = s;
        }
    }
    if (most) {
        skr_device_answers_forget(stock, most);
    }
}

static enum skr_device_selector_answer answer_of(struct skr_devices_stock *stock,
                                                 struct skr_device_selector *selector,
                                                 const char *driver,
                                                 const struct skr_device *device)
{
    const uint64_t content = content_of(stock, selector, driver, device);
    uint32_t number;
    stock->work->steps++;
    for (size_t at = 0;
         skr_hash_index_next(&selector->by_content, (uint32_t)content, &at, &number);) {
        if (selector->answer[number].content == content) {
            return (enum skr_device_selector_answer)selector->answer[number].answer;
        }
    }
    const enum skr_device_selector_answer answer =
        skr_device_selector_ask(selector, driver, device, &stock->work->steps);
    stock->work->asked++;
    if (stock->work->n_answers >= SKR_STOCK_ANSWERS_MAX) {
        make_room(stock);
    }
    skr_grow(&selector->answer, &selector->cap_answers, selector->n_answers + 1,
             sizeof *selector->answer);
    selector->answer[selector->n_answers] = (struct skr_device_answer){content, (uint8_t)answer};
    skr_hash_index_add(&selector->by_content, (uint32_t)content, (uint32_t)selector->n_answers++);
    stock->work->n_answers++;
    return answer;
}

void skr_slice_answers_forget(struct skr_stock_answers **first)
{
    while (*first) {
        struct skr_stock_answers *answers = *first;
        *first = answers->next;
        free(answers);
    }
}

const uint8_t *skr_devices_stock_answers(const struct skr_devices_stock *stock,
                                         struct skr_stock_slice *slice,
                                         struct skr_device_selector *selector)
{
    struct skr_devices_stock *of = (struct skr_devices_stock *)(uintptr_t)stock;
    struct skr_stock_answers **at = &slice->answers;
    for (size_t i = 1; *at && (*at)->selector != selector->id && i < SKR_SLICE_ANSWERS; i++) {
        at = &(*at)->next;
    }
    if (*at && (*at)->selector == selector->id) {
        return (*at)->of;
    }
    stock->work->steps += STEPS_OF_A_SLICE;
    struct skr_stock_answers *made = skr_alloc(sizeof *made + slice->slice->n_devices);
    made->selector = selector->id;
    for (size_t i = 0; i < slice->slice->n_devices; i++) {
        if (skr_devices_are_later(stock)) {
            free(made);
            return NULL;
        }
        made->of[i] =
            (uint8_t)answer_of(of, selector, slice->slice->driver, &slice->slice->device[i]);
    }
    skr_slice_answers_forget(at); /* the oldest one, if there are as many as may be */
    LL_PREPEND(slice->answers, made);
    return made->of;
}
