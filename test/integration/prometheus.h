/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_PROMETHEUS_H
#define SKR_TEST_INTEGRATION_PROMETHEUS_H
#include <stdbool.h>
#include <stddef.h>
/* Whether a text is well-formed Prometheus exposition format 0.0.4: HELP and TYPE once and before
 * the samples, families together, names, labels, numbers, no sample twice, histograms cumulative
 * with +Inf equal to _count, counters named _total. false with the reason in why. */
bool prometheus_check(const char *text, char *why, size_t why_size);
#endif
