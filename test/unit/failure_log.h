/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_FAILURE_LOG_H
#define SKR_TEST_UNIT_FAILURE_LOG_H
/* What a test that fails prints beside its assertion: the log of each rig that stands then. */

/* print(context) is called if the test fails before failure_log_drop(context). */
void failure_log_add(void (*print)(void *context), void *context);
void failure_log_drop(const void *context);
/* The last lines of a text, to stderr. */
void failure_log_tail(const char *text);

/* By test/test.c, after each test. */
void failure_log_print(void);
void failure_log_clear(void);

#endif
