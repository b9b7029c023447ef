/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_MODULES_H
#define SKR_SERVER_HTTP_MODULES_H
/*
 * GET /v1/modules: the schedulers that an option enables, and whether they are on. If one is off,
 * its pages answer 404 and a Status with the cause "ModuleOff" and the option as its field. Runs on
 * the admin listener's thread, without the engines.
 */
#include "server/clock.h"
#include "server/http/admin.h"

enum { SKR_MODULES_MAX = 4, SKR_MODULE_SETTINGS_MAX = 2 };

/* A setting that decisions depend on: `explain` decides by it as the daemon does. */
struct skr_module_setting {
    const char *name, *value; /* "profile": the option without the section */
};

struct skr_module {
    const char *name;    /* "spotmix": the section of the configuration */
    const char *setting; /* "spotmix.enabled" */
    const char *pages;   /* "/v1/spotmix": the prefix of what it serves; NULL: nothing */
    bool enabled;
    size_t n_decides_by;
    struct skr_module_setting decides_by[SKR_MODULE_SETTINGS_MAX];
};

struct skr_modules {
    const struct skr_clock *clock;
    size_t n;
    struct skr_module item[SKR_MODULES_MAX];
};

/* Appends the page's route, and one for each module that is off and has pages. modules outlives the
 * listener. Returns how many, at most SKR_MODULES_MAX + 1. */
size_t skr_modules_routes(struct skr_modules *modules, struct skr_admin_route *route);

#endif
