/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_DUMP_H
#define SKR_SERVER_LAB_SIMULATE_DUMP_H
/*
 * A cluster as files have it, for commands that look at one moment: the objects in a store, which sets
 * the defaults of an API server, and a gang engine that has read them and plans nothing. Nothing is
 * played.
 */
#include "core/gang/state/gang.h"
#include "core/gang/state/pages.h"
#include "server/config/config.h"
#include "server/lab/driver/driver.h"
#include "server/lab/simulate/input.h"

struct skr_simulate_dump {
    struct skr_config *config;
    struct skr_settings settings;
    char *topology_namespace; /* named by the objects; NULL: the configuration's */
    struct skr_simulate_input input;
    struct skr_store *store;
    struct skr_driver *driver;
};

/* Reads the configuration; path NULL: defaults. Returns an exit code. Follow with
 * skr_simulate_dump_fini() in either case. */
int skr_simulate_dump_init(struct skr_simulate_dump *dump, const char *config,
                           struct skr_strbuf *messages);
/* Reads files, folders, "-". The same. */
int skr_simulate_dump_read(struct skr_simulate_dump *dump, const char *const *file, size_t n,
                           skr_time now, struct skr_strbuf *messages);
/* A page of the read API; json_decref() it. NULL: it is refused, which is told in messages behind about. */
json_t *skr_simulate_dump_page(const struct skr_simulate_dump *dump,
                               const struct skr_view_query *query, skr_time now, const char *about,
                               struct skr_strbuf *messages);
struct skr_gang *skr_simulate_dump_gang(const struct skr_simulate_dump *dump);
void skr_simulate_dump_fini(struct skr_simulate_dump *dump);

#endif
