/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MANIFEST_KINDS_H
#define SKR_SERVER_MANIFEST_KINDS_H
/* The kinds of objects that commands read from files, and what is refused of them. */
#include "server/manifest/manifest.h"

enum { SKR_MANIFEST_KINDS = 42 };

struct skr_manifest_kind {
    const char *api_version;
    const char *kind;
    const char *template_path; /* of the pods it makes; NULL: it makes none, or has several */
};

/* In the order in which they are created: what others need comes first. */
extern const struct skr_manifest_kind skr_manifest_kinds[SKR_MANIFEST_KINDS];

/* The first of this kind whose apiVersion begins so; "": any. NULL: of a kind that is ignored. */
const struct skr_manifest_kind *skr_manifest_kind_find(const char *kind, const char *version);
/* The one of an object, with its apiVersion. */
const struct skr_manifest_kind *skr_manifest_kind_of(const json_t *object);
/* Where an object has its pod: "spec.template", "" of a Pod, NULL of kinds that make none. */
const char *skr_manifest_template_path(const json_t *object);
/* A skr_manifest_check: what of an object's fields the decoders of engine and scheduler refuse;
 * kinds that are ignored are not looked at. context: not used. Errors: SKR_INVALID, SKR_LIMIT with
 * the path of the field. */
int skr_manifest_check_object(void *context, const json_t *object, struct skr_error *error);

#endif
