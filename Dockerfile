# `palimpsest serve` without root, with the packages of the lock file only: docs/server.md#in-a-container.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci \
  && npm pack --silent --pack-destination /tmp \
  && mkdir /app \
  && tar -xzf /tmp/palimpsest-*.tgz -C /app --strip-components 1 \
  && cp package-lock.json /app
WORKDIR /app
RUN npm ci --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
ENV NODE_ENV=production
RUN mkdir /data && chown node:node /data
COPY --from=build /app /app
USER node
VOLUME /data
EXPOSE 8283
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8283/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/program/palimpsest.js"]
CMD ["serve", "--host", "0.0.0.0", "--data-dir", "/data"]
