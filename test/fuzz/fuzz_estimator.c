/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What estimators answer, as bytes of protobuf: read, and read again behind a field that is not
 * known. The same input as JSON becomes a request, of replicas and of components, whose fields a
 * reader of answers skips to their end.
 */
#include "core/propagation/estimator_wire.h"
#include "server/kube/grpc.h"
#include "test/fuzz/fuzz.h"

static int read_answer(const char *bytes, size_t n, int32_t *ret)
{
    struct skr_error error = {.text = ""};
    const int rc = skr_estimator_read_answer(bytes, n, ret, &error);
    fuzz_check_rc(rc, &error);
    return rc;
}

static void check_answer(const char *bytes, size_t n)
{
    int32_t room = 4711;
    int32_t again = 4711;
    const int rc = read_answer(bytes, n, &room);
    fuzz_check(rc == 0 ? room >= -1 : room == 4711);
    SKR_STRBUF(behind);
    skr_strbuf_addn(&behind, "\x3a\x02no", 4);
    skr_strbuf_addn(&behind, bytes, n);
    fuzz_check(read_answer(behind.s, behind.len, &again) == rc && again == room);
}

/* A frame that is read holds the message that was put into it. */
static void check_frame(const char *bytes, size_t n)
{
    struct skr_error error = {.text = ""};
    const void *message = NULL;
    size_t length = 0;
    const int rc = skr_grpc_unframe(bytes, n, &message, &length, &error);
    fuzz_check_rc(rc, &error);
    SKR_STRBUF(framed);
    skr_grpc_frame(bytes, n, &framed);
    fuzz_check(skr_grpc_unframe(framed.s, framed.len, &message, &length, &error) == 0);
    fuzz_check(length == n && (n == 0 || memcmp(message, bytes, n) == 0));
}

static void check_requests(const char *text, size_t n)
{
    json_t *json = json_loadb(text, n, JSON_DECODE_ANY, NULL);
    int32_t room = 0;
    SKR_STRBUF(requirements);
    SKR_STRBUF(components);
    SKR_STRBUF(request);
    skr_estimator_write_requirements(json, &requirements);
    skr_estimator_write_components(json, "shop", &components);
    json_decref(json);
    fuzz_check(read_answer(requirements.s, requirements.len, &room) == 0 && room == 0);
    fuzz_check(read_answer(components.s, components.len, &room) == 0 && room == 0);
    skr_estimator_write_request("m1", components.s, components.len, &request);
    fuzz_check(read_answer(request.s, request.len, &room) == 0 && room == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    check_answer(text, size);
    check_frame(text, size);
    check_requests(text, size);
    return 0;
}
