/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations: what is read is written and read again; eight bytes are a time as it is. */
#include "test/fuzz/fuzz.h"
#include "topology/duration.h"
#include "topology/object.h"

enum { OFFSET_MIN = 14 * 60 };

/* t as text at an offset from UTC is t again. Only the last second of the range cannot be read. */
static void check_written(skr_time t, int32_t offset_s)
{
    char text[36], again[36];
    struct skr_error error;
    skr_time read = 0;
    memset(text, 'x', sizeof text);
    skr_time_write(t, offset_s, text, sizeof text);
    fuzz_check(memchr(text, '\0', sizeof text));
    int rc = skr_time_parse(text, &read, &error);
    fuzz_check_rc(rc, &error);
    if (rc < 0) {
        fuzz_check(rc == -SKR_LIMIT &&
                   (t > INT64_MAX - 2 * SKR_SECOND || t < INT64_MIN + SKR_SECOND));
        return;
    }
    fuzz_check(read == t);
    skr_time_write(read, offset_s, again, sizeof again);
    fuzz_check(strcmp(text, again) == 0);
}

static void check_time(const char *text, int32_t offset_s)
{
    struct skr_error error;
    skr_time t = 4711;
    int rc = skr_time_parse(text, &t, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        check_written(t, offset_s);
    } else {
        fuzz_check(t == 4711 && strncmp(error.text, "time \"", 6) == 0);
    }
}

static void check_duration(const char *text)
{
    char written[SKR_DURATION_TEXT_MAX];
    struct skr_error error;
    skr_time t = 0, again = 0;
    int rc = skr_duration_parse(text, &t, &error);
    fuzz_check_rc(rc, &error);
    if (rc < 0) {
        return;
    }
    fuzz_check(t >= 0);
    skr_duration_write(t, written, sizeof written);
    if (t == SKR_TIME_NEVER) {
        return;
    }
    rc = skr_duration_parse(written, &again, &error);
    fuzz_check(rc == 0 && again == t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    int32_t offset_s = ((int32_t)data[0] * 15 % (2 * OFFSET_MIN) - OFFSET_MIN) * 60;
    if (size == 1 + sizeof(skr_time)) {
        skr_time t;
        memcpy(&t, data + 1, sizeof t);
        check_written(t, offset_s);
    }
    SKR_AUTO_FREE char *text = fuzz_text(data + 1, size - 1);
    check_time(text, offset_s);
    check_duration(text);
    return 0;
}
