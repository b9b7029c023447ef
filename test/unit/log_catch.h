/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_LOG_CATCH_H
#define SKR_TEST_UNIT_LOG_CATCH_H
/* What the process writes to stderr between two points: its log, and whatever else is said there, so
 * judge behind the second one. */
struct log_catch {
    int caught, before; /* file descriptors */
};

struct log_catch log_catch_begin(void);
char *log_catch_end(struct log_catch *log); /* all of it; the caller's */

#endif
