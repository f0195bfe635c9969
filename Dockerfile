# One image for the service and the workers. Its default command is `serve`, and its user has no privileges.
# A tag may be moved to other content: pin a digest that you have pulled and tried, with
# --build-arg PYTHON_IMAGE=python:3.13-slim-trixie@sha256:...
ARG PYTHON_IMAGE=python:3.13-slim-trixie
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY requirements/build.txt requirements/run.txt requirements/
RUN python -m venv --without-pip /opt/splito \
 && pip --python /opt/splito/bin/python install --no-cache-dir --require-hashes -r requirements/run.txt \
 && pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY bots bots
COPY arena arena
COPY service service
COPY cli cli
COPY sdk/python sdk/python
RUN hatchling build -t wheel && (cd sdk/python && hatchling build -t wheel -d ../../dist) && pip --python /opt/splito/bin/python install --no-cache-dir --no-deps dist/*.whl

FROM ${PYTHON_IMAGE}
COPY --from=build /opt/splito /opt/splito
RUN useradd --uid 10001 --no-create-home splito && install -d -m 700 -o splito -g splito /data
ENV PATH=/opt/splito/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 SPLITO_DATA=/data
USER 10001:10001
WORKDIR /data
EXPOSE 8000
ENTRYPOINT ["splito"]
CMD ["serve", "--host", "0.0.0.0"]
