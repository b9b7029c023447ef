/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the texts of errors and warnings apart; they are written by the modules that call here. */
#include "topology/defect.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 384, KEY_MAX = 320 };

/* A decimal number at *text; false, *text unchanged, when there is none. */
static bool take_number(const char **text, size_t *ret)
{
    size_t n = strspn(*text, "0123456789");
    size_t value = 0;
    if (n == 0 || n > 9) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        value = value * 10 + (size_t)((*text)[i] - '0');
    }
    *text += n;
    *ret = value;
    return true;
}

/* "LINE:COLUMN" and what follows it. */
static bool take_position(const char **text, const char *behind, struct skr_position *ret)
{
    const char *at = *text;
    struct skr_position position;
    if (!take_number(&at, &position.line) || *at++ != ':' || !take_number(&at, &position.column) ||
        strncmp(at, behind, strlen(behind)) != 0) {
        return false;
    }
    *text = at + strlen(behind);
    *ret = position;
    return true;
}

/* Cuts " (see LINE:COLUMN)" from the end. */
static void cut_see(char *text, struct skr_position *ret)
{
    char *found = NULL;
    for (char *at = text; (at = strstr(at, " (see ")); at++) {
        found = at;
    }
    const char *rest = found ? found + strlen(" (see ") : NULL;
    struct skr_position see;
    if (rest && take_position(&rest, ")", &see) && *rest == '\0') {
        *found = '\0';
        *ret = see;
    }
}

/* A key has no blanks; "label X" is X. */
static void take_key(const char **text, char key[KEY_MAX])
{
    const char *at = *text;
    if (strncmp(at, "label ", strlen("label ")) == 0) {
        at += strlen("label ");
    }
    size_t n = strcspn(at, ": ");
    key[0] = '\0';
    if (n > 0 && n < KEY_MAX && strncmp(at + n, ": ", 2) == 0) {
        memcpy(key, at, n);
        key[n] = '\0';
        *text = at + n + 2;
    }
}

void skr_defect_add(const struct skr_defects *to, const char *code, bool is_warning,
                    const char *text)
{
    char key[KEY_MAX];
    char copy[TEXT_MAX];
    struct skr_defect defect = {.code = code, .is_warning = is_warning, .key = key};
    if (!to) {
        return;
    }
    take_key(&text, key);
    (void)take_position(&text, ": ", &defect.at);
    (void)snprintf(copy, sizeof copy, "%s", text);
    cut_see(copy, &defect.see);
    defect.text = copy;
    to->add(to->context, &defect);
}

int skr_defect_error(const struct skr_defects *to, const char *code, const struct skr_error *error)
{
    if (to) {
        skr_defect_add(to, code, false, error->text);
    }
    return error ? -(int)error->code : -SKR_INVALID;
}
