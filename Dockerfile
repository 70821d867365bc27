# syntax=docker/dockerfile:1
FROM python:3.13-slim AS wheels
WORKDIR /source
COPY . .
RUN python -m pip wheel --quiet --no-cache-dir --wheel-dir /wheels ".[reference]"

FROM python:3.13-slim
RUN useradd --create-home harness
RUN --mount=type=bind,from=wheels,source=/wheels,target=/wheels \
    python -m pip install --quiet --no-cache-dir --no-index --find-links /wheels "agent-loop-harness[reference]"
USER harness
WORKDIR /home/harness/project
ENTRYPOINT ["harness"]
CMD ["run"]
