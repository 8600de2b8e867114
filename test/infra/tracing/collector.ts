import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';

/** A span as a collector receives it, with its attributes by name. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  /** Nanoseconds of the epoch, as text. */
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  /** The message of a failure. */
  error: string | undefined;
}

interface RawSpan extends Omit<CollectedSpan, 'attributes' | 'links' | 'error'> {
  attributes: { key: string; value: Record<string, unknown> }[];
  links?: CollectedSpan['links'];
  status: { code?: number; message?: string };
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** All that was received, as text. */
  received(): string;
  /** Resolves with the spans once there is one for each condition. */
  until(...conditions: ((span: CollectedSpan) => boolean)[]): Promise<CollectedSpan[]>;
  close(): Promise<void>;
}

/** A collector that takes OTLP over HTTP, as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let text = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      text += body;
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { scopeSpans: { spans: RawSpan[] }[] }[];
      };
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) for (const span of scope.spans) spans.push(readSpan(span));
      response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received: () => text,
    until: (...conditions) =>
      vi.waitFor(
        () => {
          const missing = conditions.filter((holds) => !spans.some(holds));
          if (missing.length > 0) throw new Error(`Missing: ${missing.join('; ')}. There are ${JSON.stringify(spans)}`);
          return spans;
        },
        { timeout: 30_000, interval: 100 },
      ),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const readSpan = ({ attributes, links = [], status, ...span }: RawSpan): CollectedSpan => ({
  ...span,
  attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
  error: status.code === 2 ? status.message : undefined,
});
