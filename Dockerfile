# SPDX-License-Identifier: Apache-2.0
# The daemon's image: built from this folder, `make image`. Any Debian-like base will do.
#   docker build --build-arg BASE=debian:bookworm-slim -t sakkara .
# Runs as 65532:65532 and writes no file: the root may be read-only and needs no volume. Probes are
# HTTP on the admin port (/livez, /readyz).
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
ENV DEBIAN_FRONTEND=noninteractive
WORKDIR /src
COPY .ci/deps.sh .ci/deps.sh
# This stage is thrown away: no need to wait until the disk has it.
RUN if [ -d /etc/dpkg/dpkg.cfg.d ]; then echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/unsafe-io; fi && .ci/deps.sh build
COPY Makefile Makefile
COPY topology topology
COPY core core
COPY server server
ARG VERSION=unknown
ARG REVISION=unknown
ARG DATE=unknown
# -O0 takes a third of the time, for a test of the image.
ARG OPT=-O2
RUN make -s -j"$(nproc)" CFLAGS=-g0 OPT="$OPT" VERSION="$VERSION" REVISION="$REVISION" DATE="$DATE" build/sakkara \
    && strip -o /sakkara build/sakkara
# The packages of the libraries it loads, by this distribution's own names.
RUN ldd /sakkara | awk '$3 ~ /^\// { print $3 }' | while read -r library; do \
        file=$(readlink -f "$library"); \
        dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}" 2>/dev/null || echo "lost $file: "; \
    done | cut -d: -f1 | sort -u >/packages && test -s /packages && ! grep lost /packages

FROM ${BASE}
COPY --from=build /packages /tmp/packages
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive xargs apt-get install -q -y --no-install-recommends ca-certificates </tmp/packages \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log /tmp/packages
COPY --from=build /sakkara /usr/bin/sakkara
COPY LICENSE /usr/share/doc/sakkara/LICENSE
USER 65532:65532
# filter, prioritize, preempt; bind; probes and metrics
EXPOSE 9660 9661 9662
ENTRYPOINT ["/usr/bin/sakkara"]
CMD ["serve"]
