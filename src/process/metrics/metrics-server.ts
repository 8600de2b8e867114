import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { type Readiness, readyStatus } from '#src/infra/http/readiness.ts';
import type { Logger } from '#src/infra/logs/logger.ts';
import type { Env } from '#src/process/env.ts';
import type { Lifetime } from '#src/process/lifetime.ts';
import { listen } from '#src/process/listen.ts';

/** The data that the metrics port serves about a process. */
export interface Told {
  registry: Registry;
  readiness: () => Promise<Readiness>;
}

export interface MetricsServer {
  port: number;
  /** Until this is called, the process is alive but not ready, and has no metrics. */
  tell: (told: Told) => void;
  close: () => Promise<void>;
}

/**
 * Serves /metrics, /healthz and /readyz on a port of their own, in every role: a worker has no other port, and metrics
 * are not meant for callers of the API.
 */
export async function openMetricsServer(options: { host: string; port: number }): Promise<MetricsServer> {
  let told: Told | undefined;

  const answers: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/healthz': async (response) => send(response, 200, { status: 'ok' }),
    '/readyz': async (response) => {
      const readiness: Readiness = (await told?.readiness()) ?? { status: 'starting' };
      send(response, readyStatus(readiness), readiness);
    },
    '/metrics': async (response) => {
      if (!told) return send(response, 503, { status: 'starting' });
      const text = await told.registry.metrics();
      response.writeHead(200, { 'content-type': told.registry.contentType }).end(text);
    },
  };

  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const answer = answers[request.url?.split('?')[0] ?? ''];
    if (!answer || request.method !== 'GET') return send(response, 404, { message: 'Not Found.' });
    answer(response).catch(() => send(response, 503, { message: 'Service Unavailable.' }));
  });
  const port = await listen(server, { ...options, variable: 'METRICS_PORT' });
  return {
    port,
    tell(given) {
      told = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Opens the port of this process' metrics; closed at the end of its lifetime. */
export async function openMetrics(
  { METRICS_HOST: host, METRICS_PORT: port }: Env,
  log: Logger,
  lifetime: Lifetime,
): Promise<MetricsServer> {
  const server = await openMetricsServer({ host, port });
  lifetime.onEnd(() => server.close());
  log.info({ port: server.port }, 'Metrics are served.');
  return server;
}

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
