import { Histogram, type Registry } from 'prom-client';
import type { ObserveRequest } from '#src/infra/http/observe-request.ts';

/** Times requests by their route's pattern. */
export function timeRequests(registry: Registry): ObserveRequest {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route pattern.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return (labels, elapsedMs) => durations.observe(labels, elapsedMs / 1_000);
}
