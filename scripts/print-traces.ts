/**
 * A collector for trying out traces: receives OTLP over HTTP on port 4318, and prints each trace as a tree on Ctrl+C.
 * `node scripts/print-traces.ts [port]`
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { message?: string };
}

interface Exported {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** Attributes that distinguish spans of the same name. */
const shown = [
  'causeway.path',
  'causeway.node',
  'causeway.topic',
  'server.address',
  'http.response.status_code',
  'causeway.status',
];

const startMs = (span: Span): number => Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000;
const endMs = (span: Span): number => Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000;

function describe(span: Span, began: number): string {
  const values = new Map(span.attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
  const facts = shown.flatMap((name) => values.get(name) ?? []);
  if (span.status.message) facts.push(span.status.message);
  const [at, took] = [startMs(span) - began, endMs(span) - startMs(span)].map((ms) => ms.toFixed(0).padStart(6));
  return `${at} ms ${took} ms  ${[span.name, ...facts].join('  ')}`;
}

/** The column width of a span's start and duration. */
const timesWidth = '     0 ms      0 ms  '.length;

/** Writes one line for each span, below the span that caused it. The line begins with the start and the duration. */
function drawTrace(spans: readonly Span[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const sorted = spans.toSorted((a, b) => startMs(a) - startMs(b));
  const began = Math.min(...spans.map(startMs));
  const lines: string[] = [];
  const draw = (parent: string | undefined, indent: string): void => {
    const children = sorted.filter(({ parentSpanId }) =>
      parent === undefined ? !ids.has(parentSpanId ?? '') : parentSpanId === parent,
    );
    for (const [place, span] of children.entries()) {
      const isLast = place === children.length - 1;
      const branch = parent === undefined ? '' : isLast ? '└─ ' : '├─ ';
      const columns = describe(span, began);
      lines.push(`${columns.slice(0, timesWidth)}${indent}${branch}${columns.slice(timesWidth)}`.trimEnd());
      draw(span.spanId, parent === undefined ? indent : `${indent}${isLast ? '   ' : '│  '}`);
    }
  };
  draw(undefined, '');
  return lines.join('\n');
}

const spans: Span[] = [];
const receive = async (request: IncomingMessage): Promise<void> => {
  const { resourceSpans } = (await json(request)) as Exported;
  for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
};
const server = createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    () => response.writeHead(400).end(),
  );
});
server.listen(Number(process.argv[2] ?? 4318), '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
console.error(`OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:${port}; Ctrl+C prints the traces received.`);
await once(process, 'SIGINT');
server.closeAllConnections();
server.close();
// A trace of one span is a request or a commit that caused nothing, so it is left out.
const traces = [...Map.groupBy(spans, ({ traceId }) => traceId)].filter(([, own]) => own.length > 1);
for (const [traceId, own] of traces) console.log(`trace ${traceId}\n${drawTrace(own)}\n`);
