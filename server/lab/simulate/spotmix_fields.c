/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an event, by name: the table of docs/reference.md. */

#include "server/lab/simulate/spotmix_parts.h"

enum type { FLAG, COUNT, TEXT, OBJECT, LIST };

static const struct field {
    const char *name;
    enum type type;
} fields[] = {
    {"pod", TEXT},     {"name", TEXT},      {"owner", TEXT},    {"resubmit_of", TEXT},
    {"persist", FLAG}, {"observe", FLAG},   {"dry_run", FLAG},  {"on_demand", COUNT},
    {"spot", COUNT},   {"replicas", COUNT}, {"labels", OBJECT}, {"object_labels", OBJECT},
    {"pods", LIST},
};

static const char *const wants[] = {[FLAG] = "must be true or false",
                                    [COUNT] = "must be a number, 0 or more",
                                    [TEXT] = "must be a string",
                                    [OBJECT] = "must be an object",
                                    [LIST] = "must be an array"};

static bool is_of(enum type type, const json_t *value)
{
    switch (type) {
    case FLAG:
        return json_is_boolean(value);
    case COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case TEXT:
        return json_is_string(value);
    case OBJECT:
        return json_is_object(value);
    case LIST:
        return json_is_array(value);
    }
    return false;
}

int skr_spotmix_check_fields(const json_t *event, struct skr_error *error)
{
    if (!json_is_object(event)) {
        return skr_error_set(error, SKR_INVALID, "must be an object");
    }
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const json_t *value = json_object_get(event, fields[i].name);
        if (value && !json_is_null(value) && !is_of(fields[i].type, value)) {
            return skr_error_set_key(error, SKR_INVALID, fields[i].name, "%s",
                                     wants[fields[i].type]);
        }
    }
    return 0;
}
