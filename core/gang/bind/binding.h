/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_BINDING_H
#define SKR_CORE_GANG_BIND_BINDING_H
/* Bind calls and Bindings. */
#include "core/gang/state/gang.h"
#include "core/gang/state/requests.h"

enum { SKR_BINDINGS_PARALLEL = 16 }; /* Binding POSTs of the whole engine in flight */

void skr_binding_asked(struct skr_gang *e, uint64_t request, const struct skr_bind_request *asked);
void skr_binding_pump(struct skr_gang *e); /* posts all Bindings that may be posted */
void skr_binding_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                            struct skr_event *event);

#endif
