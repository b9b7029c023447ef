/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error texts. A text that does not fit is cut, never in the middle of a UTF-8 sequence, because
 * texts travel in JSON.
 */
#include "topology/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topology/base/unshown.h"

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

/* Adds to the text what fits; one line stays one line, whatever it quotes. */
static void add_list(struct skr_error *error, const char *format, va_list args) SKR_PRINTF(2, 0);

static void add_list(struct skr_error *error, const char *format, va_list args)
{
    char *text = error->text + strlen(error->text);
    size_t room = (size_t)(error->text + sizeof error->text - text);
    int n = vsnprintf(text, room, format, args);
    if (n < 0) {
        text[0] = '\0';
    } else if ((size_t)n >= room) {
        trim_cut_sequence(error->text, sizeof error->text - 1);
    }
    skr_unshown_replace(text);
}

static void add(struct skr_error *error, const char *format, ...) SKR_PRINTF(2, 3);

static void add(struct skr_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_list(error, format, args);
    va_end(args);
}

static uint16_t length(const struct skr_error *error)
{
    return (uint16_t)strlen(error->text);
}

/* What stands before the sentence. */
static void begin(struct skr_error *error, enum skr_error_code code,
                  const struct skr_subject *subject)
{
    *error = (struct skr_error){.code = code, .at = subject->at, .see = subject->see};
    if (subject->key && subject->key[0] != '\0') {
        add(error, "%s", subject->is_label ? "label " : "");
        error->key_at = length(error);
        add(error, "%.*s", SKR_ERROR_KEY_MAX - 1, subject->key);
        error->key_length = (uint16_t)(length(error) - error->key_at);
        add(error, ": ");
    }
    if (subject->at.line > 0) {
        add(error, "%zu:%zu: ", subject->at.line, subject->at.column);
    }
    error->sentence_at = length(error);
}

static void end(struct skr_error *error)
{
    error->sentence_length = (uint16_t)(length(error) - error->sentence_at);
    if (error->see.line > 0) {
        add(error, " (see %zu:%zu)", error->see.line, error->see.column);
    }
}

static void set(struct skr_error *error, enum skr_error_code code,
                const struct skr_subject *subject, const char *format, va_list args)
    SKR_PRINTF(4, 0);

static void set(struct skr_error *error, enum skr_error_code code,
                const struct skr_subject *subject, const char *format, va_list args)
{
    if (error) {
        begin(error, code, subject);
        add_list(error, format, args);
        end(error);
    }
}

int skr_error_set(struct skr_error *error, enum skr_error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(error, code, &(struct skr_subject){.key = NULL}, format, args);
    va_end(args);
    return -(int)code;
}

int skr_error_set_key(struct skr_error *error, enum skr_error_code code, const char *key,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(error, code, &(struct skr_subject){.key = key}, format, args);
    va_end(args);
    return -(int)code;
}

int skr_error_set_at(struct skr_error *error, enum skr_error_code code,
                     const struct skr_subject *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(error, code, subject, format, args);
    va_end(args);
    return -(int)code;
}

int skr_error_prefix_at(struct skr_error *error, const struct skr_subject *subject)
{
    if (!error) {
        return -(int)SKR_INVALID;
    }
    struct skr_error old = *error;
    return skr_error_set_at(error, old.code, subject, "%s", old.text);
}

int skr_error_prefix(struct skr_error *error, const char *format, ...)
{
    char key[SKR_ERROR_KEY_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(key, sizeof key, format, args);
    va_end(args);
    return skr_error_prefix_at(error, &(struct skr_subject){.key = key});
}

int skr_error_under(struct skr_error *error, const char *path)
{
    char key[SKR_ERROR_KEY_MAX];
    if (!error || error->key_length == 0) {
        return skr_error_prefix(error, "%s", path);
    }
    if (path[0] == '\0') {
        return -(int)error->code;
    }
    struct skr_error old = *error;
    (void)snprintf(key, sizeof key, "%s.%.*s", path, (int)old.key_length, old.text + old.key_at);
    const struct skr_subject subject = {.key = key, .at = old.at, .see = old.see};
    return skr_error_set_at(error, old.code, &subject, "%.*s", (int)old.sentence_length,
                            old.text + old.sentence_at);
}

void skr_error_key(const struct skr_error *error, char key[SKR_ERROR_KEY_MAX])
{
    size_t n = error->key_length < SKR_ERROR_KEY_MAX ? error->key_length : SKR_ERROR_KEY_MAX - 1;
    memcpy(key, error->text + error->key_at, n);
    key[n] = '\0';
}
