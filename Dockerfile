# Everything in one container: docker build -t bailli . && docker run -p 8000:8000 -v bailli:/data bailli
# The parts in separate containers: compose.yaml.
FROM python:3.11-slim AS build
WORKDIR /app
RUN python -m venv /venv
COPY requirements.lock pyproject.toml README.md LICENSE wsgi.py ./
COPY service service
COPY schemas schemas
COPY workers workers
# Versions come from the lock; packages that only tests need are left out.
RUN /venv/bin/pip install --no-cache-dir --constraint requirements.lock --editable .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /data --create-home bailli
COPY --from=build /venv /venv
COPY --from=build /app /app
COPY gunicorn.conf.py openapi.yaml /app/
COPY docs /app/docs
COPY examples /app/examples
WORKDIR /app
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=8000 BAILLI_DATA=/data
USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["python", "-c", \
  "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/readyz')"]
CMD ["bailli", "up"]
