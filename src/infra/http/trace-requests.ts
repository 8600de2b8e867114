import type { FastifyInstance } from 'fastify';
import { RequestTrace } from '#src/infra/tracing/request-trace.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent where spans are recorded nowhere and the sender names no trace. */
    trace: RequestTrace | undefined;
  }
}

/** Gives each request its place in a trace, and records its span once it is answered. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest('trace');
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    if (tracing.isOn || traceparent !== undefined) request.trace = new RequestTrace(tracing, traceparent);
    done();
  });
  app.addHook('onResponse', ({ trace, method, routeOptions, id }, { statusCode: status, elapsedTime }, done) => {
    const now = Date.now();
    trace?.end({ method, route: routeOptions.url ?? 'none', status, requestId: id }, now - elapsedTime, now);
    done();
  });
}
