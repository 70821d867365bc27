# syntax=docker/dockerfile:1
# The base image moves with its tag: for an image that never changes, put the digest that you have checked behind it
# (docker buildx imagetools inspect python:3.13-slim).
FROM python:3.13-slim AS wheels
WORKDIR /source
COPY . .
# Every package at the version and with the hash of the lock; what builds the wheel is one of them.
RUN python -m pip install --quiet --no-cache-dir --require-hashes -r requirements-reference.lock \
    && python -m pip wheel --quiet --no-cache-dir --require-hashes --wheel-dir /wheels -r requirements-reference.lock \
    && python -m pip wheel --quiet --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.13-slim
RUN useradd --create-home harness
RUN --mount=type=bind,from=wheels,source=/wheels,target=/wheels \
    python -m pip install --quiet --no-cache-dir --no-index --find-links /wheels "agent-loop-harness[reference]"
USER harness
WORKDIR /home/harness/project
ENTRYPOINT ["harness"]
CMD ["run"]
