/* SPDX-License-Identifier: Apache-2.0 */
/* The Makefile defines SKR_VERSION, SKR_REVISION and SKR_DATE for this file alone. */
#include "server/version.h"

const char skr_version[] = SKR_VERSION;
const char skr_revision[] = SKR_REVISION;
const char skr_date[] = SKR_DATE;
