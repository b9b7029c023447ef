/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_PLACEMENT_SCENE_H
#define SKR_TEST_UNIT_PLACEMENT_SCENE_H
/*
 * A hub of Open Cluster Management in short lines, and what `simulate placement -o json` says of it:
 *
 *   cluster NAME [key=value ...]     labels; "total=N": its score; "claim:key=value";
 *                                    "taint:key=value:Effect[@TIME]"; "cpu=A/C"; "deleting"
 *   set NAME [selector JSON]         of its spec
 *   bind NAME                        a binding of that set in "default"
 *   decided NAME N[/GROUP[/NAME]] CLUSTER...   PlacementDecision NAME-decision-N
 *   score CLUSTER RESOURCE ITEM=VALUE [until TIME]
 *   placement NAME {spec as JSON} [annotation=value ...]
 *   object {JSON}                    any object, with single or double quotes
 *
 * Lines end with "\n". The time is 2026-01-01T00:00:00Z.
 */
#include <jansson.h>

/* The report about Placement p of "default"; json_decref(). A broken scene fails the test. */
json_t *placement_scene_report(const char *lines);
/* Its member (dots, [N]) as compact JSON with sorted keys; free(). NULL: absent. */
char *placement_scene_ask(const char *lines, const char *member);
/* That it is so; fails with both texts. */
void placement_scene_expect(const char *title, const char *lines, const char *member,
                            const char *expected);
/* The scene as a manifest; json_decref(). */
json_t *placement_scene_objects(const char *lines);

#endif
