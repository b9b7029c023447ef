/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_PICTURES_FEED_H
#define SKR_SERVER_HTTP_PICTURES_FEED_H
/* What pictures.c (feeds and their thread) and pictures_client.c (routes) share; for these two
 * alone. Everything but the picture is under the lock. */
#include <pthread.h>

#include "server/http/calls.h"
#include "server/http/pictures.h"

/* An event as it is sent, shared by clients. */
struct skr_feed_text {
    size_t refs;
    size_t len;
    char s[];
};

struct skr_feed_entry {
    uint64_t version;
    uint64_t before; /* bytes of all earlier entries of the feed */
    struct skr_feed_text *text;
};

struct skr_stream_client {
    struct skr_feed *feed;
    struct skr_http_request *request;
    struct skr_stream_client *prev, *next_client;
    uint64_t next;                 /* version that it gets next; 0: a document */
    uint64_t refused;              /* the refusal that it has */
    uint64_t beat;                 /* of the feed, at the last byte */
    struct skr_feed_text *sending; /* a reference; NULL: none */
    size_t at;                     /* of it was sent */
    bool greeted;
};

struct skr_feed {
    struct skr_pictures *all;
    const struct skr_picture_view *view;
    char *resource; /* "": the default */
    uint32_t number;
    struct skr_picture *picture; /* the engine's thread */
    uint64_t handled;            /* by the engine, when it was drawn last */
    bool due, looking;           /* the engine is to look; it is about to */
    bool want_full;
    int tries;                  /* looks in a row that were interrupted */
    int64_t looked_ms, used_ms; /* the last look; the last client */
    uint64_t version, first;    /* of the picture; the log has those from first on */
    struct skr_feed_entry log[SKR_PICTURES_LOG_MAX]; /* at version % SKR_PICTURES_LOG_MAX */
    uint64_t bytes;                                  /* of all entries ever */
    struct skr_feed_text *full;                      /* event `full` */
    uint64_t full_version, full_bytes;               /* bytes when it was made */
    size_t full_skip;                                /* of it before the document */
    int code;                                        /* of the last drawing */
    uint64_t refusal;                                /* number of the refusal; 0: there is none */
    struct skr_feed_text *refused;                   /* event `refused` */
    size_t refused_skip;
    struct skr_stream_client *clients;
    uint64_t asker[SKR_PICTURES_ASKED_MAX];
    size_t n_askers;
    uint64_t beat;
};

struct skr_pictures {
    struct skr_pictures_options options;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool running, stop;
    struct skr_feed *feed[SKR_PICTURES_FEEDS_MAX];
    size_t n_feeds, n_streams;
    uint32_t numbers;
    int64_t beat_ms;
    struct skr_calls calls; /* of /v1/picture; a lock of its own, taken inside of this one */
    struct skr_metric_family *streams, *events;
};

struct skr_feed_text *skr_feed_text_ref(struct skr_feed_text *text);
void skr_feed_text_unref(struct skr_feed_text *text); /* NULL allowed */
/* The feed of that view and resource, made if need be. NULL: there are too many. Under the lock. */
struct skr_feed *skr_feed_open(struct skr_pictures *all, const struct skr_picture_view *view,
                               const char *resource);
/* Lets the engine draw soon. Under the lock. */
void skr_feed_look(struct skr_feed *feed);
void skr_pictures_count(struct skr_pictures *all, const char *event);
void skr_pictures_show_streams(struct skr_pictures *all);

/* What an asker of /v1/picture gets; for skr_calls_answer(). */
struct skr_picture_answer {
    int code;
    const char *s;
    size_t len;
};
void skr_picture_fill(struct skr_call *call, const void *answer);

#endif
