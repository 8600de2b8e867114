import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

const loopback = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Serves /metrics to callers on this machine only: a proxy or scraper beside the process reads them, nobody else. Behind a
 * proxy on the same machine every caller looks local, so a request that was forwarded is refused as well.
 */
export function addMetrics(app: FastifyInstance): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
  });
  app.get('/metrics', async (request, reply) => {
    const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
    if (!loopback.test(request.socket.remoteAddress ?? '') || forwarded !== undefined) return reply.callNotFound();
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
