/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error texts. A text that does not fit is cut, never in the middle of a UTF-8 sequence, because
 * texts travel in JSON.
 */
#include "topology/base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Drops a UTF-8 sequence that the end of the buffer has cut; len is the length of text. */
static void trim_cut_sequence(char *text, size_t len)
{
    size_t back = 0;
    while (back < 3 && back < len && ((unsigned char)text[len - 1 - back] & 0xC0U) == 0x80U) {
        back++;
    }
    if (back == len) {
        return;
    }
    unsigned char lead = (unsigned char)text[len - 1 - back];
    size_t need = 0;
    if (lead >= 0xF0U) {
        need = 3;
    } else if (lead >= 0xE0U) {
        need = 2;
    } else if (lead >= 0xC0U) {
        need = 1;
    }
    if (need > back) {
        text[len - 1 - back] = '\0';
    }
}

static void format_text(char *text, size_t size, const char *format, va_list args) SKR_PRINTF(3, 0);

static void format_text(char *text, size_t size, const char *format, va_list args)
{
    int n = vsnprintf(text, size, format, args);
    if (n < 0) {
        text[0] = '\0';
    } else if ((size_t)n >= size) {
        trim_cut_sequence(text, size - 1);
    }
    /* Texts quote what was given: one line stays one line. */
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7F) {
            *text = '?';
        }
    }
}

int skr_error_set(struct skr_error *error, enum skr_error_code code, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        error->code = code;
        format_text(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return -(int)code;
}

int skr_error_prefix(struct skr_error *error, const char *format, ...)
{
    if (!error) {
        return -(int)SKR_INVALID;
    }
    struct skr_error old = *error;
    va_list args;
    va_start(args, format);
    format_text(error->text, sizeof error->text, format, args);
    va_end(args);

    size_t at = strlen(error->text);
    size_t room = sizeof error->text - at;
    int n = snprintf(error->text + at, room, ": %s", old.text);
    if (n >= 0 && (size_t)n >= room) {
        trim_cut_sequence(error->text, sizeof error->text - 1);
    }
    return -(int)error->code;
}
