/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_VERSION_H
#define SKR_SERVER_VERSION_H
/* What was built, from the repository at build time; "unknown" outside of one. */
extern const char skr_version[];  /* "v0.1.0-3-gdaa07c3" */
extern const char skr_revision[]; /* full commit */
extern const char skr_date[];     /* of the commit, RFC 3339 */
#endif
