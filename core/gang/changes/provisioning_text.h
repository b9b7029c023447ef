/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_PROVISIONING_TEXT_H
#define SKR_CORE_GANG_CHANGES_PROVISIONING_TEXT_H
/* Names and texts of the objects that a group asks for room with. Pure. */
#include "core/gang/state/groups.h"

/* Equal pods of a group. */
struct skr_pod_set {
    char *pod;           /* name of the first; owned by the holder */
    struct shape *shape; /* a reference of the holder */
    uint32_t count;
};

int skr_pod_set_compare(const void *a, const void *b); /* of qsort: by pod */
/* "sakkara-GROUP-HASH", appended: the same for the life of the object that defines the group. */
void skr_provisioning_name(const struct group *g, struct skr_strbuf *b);
/* "REQUEST-SET", appended. */
void skr_provisioning_template_name(const char *request, size_t set, struct skr_strbuf *b);
/* template: JSON of a PodTemplateSpec. */
void skr_provisioning_write_template(const struct group *g, const char *name, const char *template,
                                     struct skr_strbuf *b);
/* asked: goes into annotation SKR_PROVISIONING_ASKED. */
void skr_provisioning_write_request(const struct group *g, const char *name, const char *class_,
                                    uint64_t asked, const struct skr_pod_set *set, size_t n,
                                    struct skr_strbuf *b);

#endif
