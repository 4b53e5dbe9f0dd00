# `docker build -t griot .` makes the image. Two stages: the first has uv and builds, the second has
# only what runs: 270 MB over python:slim, a hundred of them to be fetched.
#
# requirements-runtime.lock is requirements.lock without the development tools, same versions:
#   uv pip compile pyproject.toml --constraint requirements.lock --universal --generate-hashes \
#     --no-header --no-annotate --output-file requirements-runtime.lock

FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements.lock .
# uv itself comes in the version that the lock names.
RUN awk '/^[^ ]/ {wanted = /^uv==/} wanted' requirements.lock > uv.lock \
    && pip install --no-cache-dir --require-hashes --requirement uv.lock
COPY requirements-runtime.lock .
# strip, for ops/slim.sh
RUN apt-get update && apt-get install --yes --no-install-recommends binutils
RUN uv venv /opt/griot \
    && VIRTUAL_ENV=/opt/griot uv pip install --no-cache --require-hashes \
        --requirement requirements-runtime.lock
COPY ops/slim.sh ops/compile.py ops/
RUN sh ops/slim.sh /opt/griot
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY adapters adapters
COPY tools tools
RUN VIRTUAL_ENV=/opt/griot uv pip install --no-cache --no-deps . \
    && cd / && for _ in 1 2; do /opt/griot/bin/python /src/ops/compile.py /opt/griot || exit 1; done \
    && DATABASE_URL=sqlite:////tmp/tried.db /opt/griot/bin/griot db upgrade

FROM python:3.12-slim AS run
# tini hands signals on and reaps what commands leave behind; bubblewrap is bash_execute's sandbox.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/* \
    && useradd --uid 10001 --create-home griot \
    && install --directory --owner griot --group griot /data /backups
COPY --from=build /opt/griot /opt/griot
ENV PATH=/opt/griot/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:////data/griot.db \
    BLOB_URL=file:/data/files
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/healthz\", timeout=2)"]

# For Fly.io, whose volumes belong to root: it takes /data over, and then becomes griot for good.
FROM run AS fly
ENV HOME=/home/griot
ENTRYPOINT ["tini", "--", "sh", "-c", "chown griot:griot /data && exec setpriv --reuid=griot --regid=griot --init-groups --no-new-privs -- \"$@\"", "sh"]
CMD ["griot", "serve"]

# What is built if no target is named.
FROM run
USER griot
ENTRYPOINT ["tini", "--"]
# Everything in one process. With Postgres and Redis run `griot web` and `griot worker` apart.
CMD ["griot", "serve"]
