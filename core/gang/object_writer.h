/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_OBJECT_WRITER_H
#define SKR_CORE_GANG_OBJECT_WRITER_H
/*
 * What an object should carry against what it does, and the patch on its way. One patch at a time
 * per object, a JSON merge patch with resourceVersion that carries only the differences.
 */
#include "core/gang/gang.h"

struct object_writer {
    uint64_t write;    /* patch or read-back in flight; 0 none */
    bool reading;      /* that is a read-back */
    bool urgent;       /* a commit waits: do not collect further changes; plan_home.c */
    bool must_read;    /* the cached version is known to be stale: read before writing; maps.c */
    bool refused;      /* the last patch was, for good, until retry_at */
    skr_time sent_at;  /* last patch that nobody waited for */
    skr_time flush_at; /* collected changes are written then; 0: nothing to write */
    skr_time retry_at;
    uint32_t failures;
    struct skr_label
        *sent; /* keys of the patch in flight (value NULL: removed), for applying them on success */
    size_t n_sent;
    char *sent_annotation; /* sakkara.plan in flight; "" removed; NULL untouched */
};

/* Maps that no group writes: topology maps, duplicates, maps whose name is bad. */
void object_writer_settle_map(struct skr_gang *e, struct map_entry *m);
/* Writes what the group's object lacks, when it is due. */
void object_writer_settle_group(struct skr_gang *e, struct group *g);
void object_writer_done(struct skr_gang *e, struct pending_write *w, struct skr_event *event);
void object_writer_fini(struct object_writer *writer);

#endif
