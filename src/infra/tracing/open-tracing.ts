import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { createCountedWarning } from '#src/infra/logs/counted-line.ts';
import { productVersion } from '#src/infra/product-version.ts';
import { derivedSpan } from './trace-context.ts';
import { type EndedSpan, noTracing, type Tracing } from './tracing.ts';

export interface TracingSettings {
  /** Base URL of an OTLP collector over HTTP, such as `http://collector:4318`; absent: tracing is off. */
  endpoint: string | undefined;
  /** Share of the traces that begin here which are recorded, 0 to 1. */
  ratio: number;
  serviceName: string;
}

const closeMs = 2_000;
const sendMs = 5_000;
/** Spans that wait for the collector; more are dropped. One takes about 2 KB. */
const maxQueueSize = 8_192;

/** Opens the tracing of a process. The libraries that send spans are loaded only where there is somewhere to send them. */
export async function openTracing(settings: TracingSettings, role: 'api' | 'worker', log: Logger): Promise<Tracing> {
  const { endpoint, ratio, serviceName } = settings;
  if (endpoint === undefined) return noTracing;
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const warn = createCountedWarning('Spans could not be sent to the collector; they are dropped.');
  const url = new URL('v1/traces', `${endpoint.replace(/\/$/, '')}/`).href;
  const sender = new OTLPTraceExporter({ url, timeoutMillis: sendMs });
  const exporter: SpanExporter = {
    export: (spans, done) =>
      sender.export(spans, (result) => {
        if (result.code !== 0) warn(log, result.error);
        done(result);
      }),
    forceFlush: () => sender.forceFlush(),
    shutdown: () => sender.shutdown(),
  };
  const given = { traceId: '', spanId: '' };
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': productVersion,
      'service.instance.id': `${role}-${process.pid}`,
    }),
    sampler: new sdk.AlwaysOnSampler(),
    // Spans come with their ids.
    idGenerator: { generateTraceId: () => given.traceId, generateSpanId: () => given.spanId },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        maxQueueSize,
        scheduledDelayMillis: 1_000,
      }),
    ],
  });
  const tracer = provider.getTracer('causeway', productVersion);
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    producer: api.SpanKind.PRODUCER,
    internal: api.SpanKind.INTERNAL,
  };
  const toContext = (traceId: string, spanId: string) => ({
    traceId,
    spanId,
    traceFlags: api.TraceFlags.SAMPLED,
    isRemote: true,
  });
  const record = ({ context, parentId, name, kind, from, to, attributes, links, error }: EndedSpan): void => {
    Object.assign(given, context);
    const parent =
      parentId === undefined
        ? api.ROOT_CONTEXT
        : api.trace.setSpanContext(api.ROOT_CONTEXT, toContext(context.traceId, parentId));
    const known = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
    const span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        startTime: from,
        attributes: Object.fromEntries(known) as Record<string, string | number | boolean>,
        ...(links && { links: links.map((link) => ({ context: toContext(link.traceId, link.spanId) })) }),
      },
      parent,
    );
    if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: error });
    span.end(Math.max(from, to));
  };
  return {
    isOn: true,
    within: (parent, ...what) => (parent.isSampled ? derivedSpan(parent, ...what) : parent),
    // The last digits of a trace id are random, also where the first ones are a time.
    samples: (traceId) => Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32,
    record,
    async close() {
      const late = new Promise((resolve) => {
        setTimeout(resolve, closeMs).unref();
      });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}
