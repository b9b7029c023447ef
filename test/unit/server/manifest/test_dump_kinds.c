/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds of devices and volumes a dump has, and what is said and assumed without them. */
#include "server/manifest/dump_kinds.h"
#include "test/test.h"

#define NODE(version) \
    "{\"kind\":\"Node\",\"status\":{\"nodeInfo\":{\"kubeletVersion\":\"" version "\"}}}"
#define SLICE     "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\"}"
#define CLASS     "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceClass\"}"
#define PVC       "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\"}"
#define POD(more) "{\"kind\":\"Pod\",\"spec\":{\"containers\":[]," more "}}"
#define CLAIMS    "\"resourceClaims\":[{}]"
#define VOLUMES   "\"volumes\":[{\"persistentVolumeClaim\":{}}]"
#define EPHEMERAL "\"volumes\":[{\"emptyDir\":{}},{\"ephemeral\":{}}]"

TEST(what_pods_want_and_the_dump_does_not_have_is_said_once)
{
    static const struct {
        const char *objects, *note;
        int32_t minor;
        bool volumes_unread;
    } rows[] = {
        {"[" POD("\"volumes\":[{\"emptyDir\":{}}]") "]", "", 0, true},
        {"[" POD(CLAIMS "," VOLUMES) "]",
         "note: devices and volumes are not in the dump: not counted\n", 0, true},
        {"[" POD(CLAIMS) "," CLASS "]", "note: devices are not in the dump: not counted\n", 0,
         true},
        {"[" POD(EPHEMERAL) "]", "note: volumes are not in the dump: not counted\n", 0, true},
        {"[" POD(EPHEMERAL) "," PVC "]", "", 1, false},
        {"[{\"kind\":\"Job\",\"spec\":{\"template\":{\"spec\":{\"containers\":[]," CLAIMS "}}}}]",
         "note: devices are not in the dump: not counted\n", 0, true},
        {"[" POD(CLAIMS) "," SLICE "]", "", 36, true},
        {"[" NODE("v1.35.9") "," NODE("v1.37.1-eks") "," SLICE "," PVC "]", "", 37, false},
        {"[" NODE("v1.35.9") "," NODE("v2.1") "," NODE("v1.x") "," SLICE "]", "", 35, true},
        {"[" NODE("v1.37.1") "]", "", 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_dump_kinds kinds = {.kubelet = 0};
        struct skr_settings settings;
        SKR_STRBUF(note);
        json_auto_t *objects = json_loads(rows[i].objects, 0, NULL);
        assert_non_null(objects);
        for (size_t k = 0; k < json_array_size(objects); k++) {
            skr_dump_kinds_add(&kinds, json_array_get(objects, k));
        }
        skr_settings_default(&settings);
        skr_dump_kinds_apply(&kinds, &settings);
        skr_dump_kinds_note(&kinds, &note);
        assert_string_equal(note.s ? note.s : "", rows[i].note);
        assert_int_equal(settings.server_minor, rows[i].minor);
        assert_int_equal(settings.volumes_unread, rows[i].volumes_unread);
    }
}
