/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_EXAMPLE_H
#define SKR_SERVER_LAB_SIMULATE_EXAMPLE_H
/*
 * The worked example as manifests, as users write them: two racks of three nodes with room for five
 * pods each. A group has a Job of eight; a second group of fourteen requires one rack and does not
 * fit. The demo plays it; the sandbox starts with it.
 */
#include "server/lab/driver/lab.h"
#include "topology/base/strbuf.h"

enum {
    SKR_EXAMPLE_NODES = 6, /* node-0 .. node-5; the first three in rack-0 */
    SKR_EXAMPLE_SLOTS = 5, /* pods of the gangs that fit on an empty node */
    SKR_EXAMPLE_SIZE = 8,
    SKR_EXAMPLE_SECOND_SIZE = 14,
};
#define SKR_EXAMPLE_GROUP  "group-a" /* of the Job job-a */
#define SKR_EXAMPLE_SECOND "group-b" /* of the Job job-b */

/* Free slots of each node: either rack has room for the first gang, none for the second. The demo
 * ends with these, the sandbox starts with them. */
#define SKR_EXAMPLE_LAST \
    {                    \
        5, 5, 5, 5, 3, 5 \
    }

#define SKR_EXAMPLE_OTHER "other-4-3" /* if it is deleted, the second group fits too */

/* Creates the objects of the text now. Errors: SKR_INVALID, with positions in messages. */
int skr_example_create(struct skr_lab *lab, const struct skr_strbuf *text,
                       struct skr_strbuf *messages);

/* Append YAML documents, "---" between them. */

/* Topology and nodes; nodes with fewer free slots run pods of others. */
void skr_example_write_cluster(const int free[SKR_EXAMPLE_NODES], struct skr_strbuf *out);
void skr_example_write_last_cluster(struct skr_strbuf *out);
void skr_example_write_gang(struct skr_strbuf *out);
void skr_example_write_second(struct skr_strbuf *out);

#endif
