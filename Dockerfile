# Runs the TypeScript as it is, like every test does; there is no build.
FROM node:24.21.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: what is native (sharp) comes ready as packages of its own.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-trixie-slim
LABEL org.opencontainers.image.title="stacks-index" \
    org.opencontainers.image.description="An index of the Stacks blockchain and the read-only HTTP API over it: one process, one directory." \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="0.2.0-dev" \
    org.opencontainers.image.source="https://git.example.com/stacks-index/server" \
    org.opencontainers.image.url="https://git.example.com/stacks-index/server" \
    org.opencontainers.image.documentation="https://git.example.com/stacks-index/server/blob/main/docs/README.md"
ENV NODE_ENV=production \
    PATH=/app/bin:$PATH \
    STACKS_INDEX_DATA=/data \
    SQLITE_TMPDIR=/data \
    STACKS_BLOCKCHAIN_API_HOST=0.0.0.0 \
    STACKS_CORE_EVENT_HOST=0.0.0.0 \
    STACKS_INDEX_METRICS_HOST=0.0.0.0
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules node_modules
COPY bin bin
COPY src src
COPY assets assets
COPY lib lib
RUN mkdir /data && chown 1000:1000 /data
# By number, as Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
VOLUME /data
# The API and the event server.
EXPOSE 3999 3700
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "bin/healthcheck.mjs"]
ENTRYPOINT ["stacks-index"]
CMD ["serve"]
