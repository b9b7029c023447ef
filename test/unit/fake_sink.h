/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FAKE_SINK_H
#define SKR_TEST_UNIT_FAKE_SINK_H
/*
 * Takes the place of the engine's queue behind a kube client: every event becomes a line,
 *
 *   upsert pod default/a-0 uid=u1 v=12      delete pod default/a-0 uid=u1      synced
 *   forbidden class      allowed class      listed Job
 *   write 7 ok 200 v=15 retry=0 pod=default/a-0 message=…
 *
 * and its objects are destroyed. Waiting functions fail after FAKE_DEADLINE_S. Thread safe.
 */
#include <stddef.h>

#include "core/frame/event.h"

struct fake_sink;
struct fake_sink *fake_sink_create(void);
void fake_sink_destroy(struct fake_sink *sink);
void fake_sink_deliver(void *sink, struct skr_event *event); /* struct skr_kube_options.deliver */

/* Lines that begin with the text. */
size_t fake_sink_count(struct fake_sink *sink, const char *begin);
size_t fake_sink_total(struct fake_sink *sink);
void fake_sink_wait(struct fake_sink *sink, const char *begin, size_t n);
/* The i-th (from 0) line that begins so, waited for; free(). */
char *fake_sink_line(struct fake_sink *sink, const char *begin, size_t i);
/* All lines so far, one a line; free(). */
char *fake_sink_text(struct fake_sink *sink);
void fake_sink_clear(struct fake_sink *sink);

#endif
