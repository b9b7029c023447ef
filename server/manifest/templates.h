/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_TEMPLATES_H
#define SKR_SERVER_MANIFEST_TEMPLATES_H
/* Pod templates of an object of any kind: objects in it that have a list spec.containers, at most
 * SKR_TEMPLATE_DEPTH_MAX levels below the top. A Pod is one itself. */
#include <jansson.h>

enum { SKR_TEMPLATES_MAX = 64, SKR_TEMPLATE_DEPTH_MAX = 10, SKR_TEMPLATE_PATH_MAX = 512 };

struct skr_template {
    char path[SKR_TEMPLATE_PATH_MAX]; /* "" of a Pod; else it ends with "." */
    json_t *json;                     /* borrowed */
};

/* Returns how many, at most SKR_TEMPLATES_MAX. */
size_t skr_templates_find(json_t *object, struct skr_template ret[SKR_TEMPLATES_MAX]);

#endif
