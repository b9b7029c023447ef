/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SPOTMIX_STAGE_H
#define SKR_TEST_UNIT_SPOTMIX_STAGE_H
/*
 * A mix that answers one review after the other. It knows a Deployment "web" (max 2), its ReplicaSet
 * "web-5d4f" (uid rs-1), a StatefulSet "db" (uid sts-1, max 1, from ordinal 10) and a node of each
 * class. Texts are JSON with single quotes.
 */
#include <jansson.h>

#include "core/spotmix/mix.h"

struct stage {
    struct skr_spotmix_settings settings;
    struct skr_spotmix *mix;
    struct skr_spotmix_answer answer;
    json_t *response;
    json_t *patch;
    skr_time now;
    unsigned char token;
    bool not_serving, all_tried;
};

void stage_set_up(struct stage *stage); /* stage is all zero */
void stage_tear_down(struct stage *stage);
/* Shows the mix an object. */
void stage_put(struct stage *stage, enum skr_spotmix_kind kind, const char *text);
/* Returns the status. The answer and its patch stay with the stage until the next one. */
unsigned stage_post(struct stage *stage, const char *text);
/* What the patch adds at the path: its text, "" if it is none; NULL: nothing. */
const char *stage_added(const struct stage *stage, const char *path);
void stage_forget(struct stage *stage); /* the answer */

/* ---- reviews ---- */

#define K "cloudpilot.ai/webhook-scheduler"

#define RS_REF                                                                                \
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-5d4f','uid':" \
    "'rs-1','controller':true}]"
#define STS_REF                                                                          \
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'StatefulSet','name':'db','uid':" \
    "'sts-1','controller':true}]"
#define WITH(more, namespace_, object)                                                     \
    "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u-1'," \
    "'resource':{'group':'','version':'v1','resource':'pods'},'namespace':'" namespace_    \
    "','operation':'CREATE'" more ",'object':" object "}}"
#define POD            "{'metadata':{'labels':{'app':'web'}," RS_REF "},'spec':{}}"
#define REVIEW(object) WITH("", "shop", object)

/* A ReplicaSet that the mix does not know. */
#define STRANGER                                                                              \
    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web-77aa','uid':" \
    "'rs-2','controller':true}]"

#define LIVE_POD(uid, more)                                                                       \
    "{'metadata':{'namespace':'shop','name':'p-" uid "','uid':'" uid "'," RS_REF ",'labels':{'" K \
    "-class':'on-demand','" K "-index':'0'}" more "},'spec':{}}"

#define CLASS_PATH "/metadata/labels/cloudpilot.ai~1webhook-scheduler-class"
#define INDEX_PATH "/metadata/labels/cloudpilot.ai~1webhook-scheduler-index"
#define TOKEN_PATH "/metadata/annotations/cloudpilot.ai~1webhook-scheduler-token"
#define COST_PATH  "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost"

#endif
