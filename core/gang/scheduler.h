/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_SCHEDULER_H
#define SKR_CORE_GANG_SCHEDULER_H
/*
 * The gang scheduler: places and binds whole groups of pods together. A row for an engine
 * (core/frame/engine.h), with settings of struct skr_settings, requests and answers of
 * core/gang/state/requests.h, pages of core/gang/state/pages.h, numbers of core/gang/state/stats.h
 * and slots.h. Decisions depend only on events and their times (back-off jitter is a hash of the
 * group's name and attempt).
 */
#include "core/frame/scheduler.h"
#include "core/gang/cache/slots.h"
#include "core/gang/state/settings.h"
#include "core/gang/state/stats.h"

extern const struct skr_scheduler skr_gang_scheduler;

#endif
