import { expect, test } from 'vitest';
import {
  derivedSpan,
  newSpanId,
  newTraceId,
  readTraceparent,
  writeTraceparent,
} from '#src/infra/tracing/trace-context.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

test.each([
  ['sampled', `00-${trace}-${span}-01`, true],
  ['not sampled', `00-${trace}-${span}-00`, false],
  ['with flags of later versions', `00-${trace}-${span}-ff`, true],
  ['of a later version, with more members', `01-${trace}-${span}-01-what-follows`, true],
])('a traceparent %s is read', (_what, text, isSampled) => {
  expect(readTraceparent(text)).toEqual({ traceId: trace, spanId: span, isSampled });
});

test.each([
  ['absent', undefined],
  ['sent twice', [`00-${trace}-${span}-01`, `00-${trace}-${span}-01`]],
  ['empty', ''],
  ['of 10 kB', `01-${trace}-${span}-01-${'x'.repeat(10_000)}`],
  ['of version ff', `ff-${trace}-${span}-01`],
  ['in capitals', `00-${trace.toUpperCase()}-${span}-01`],
  ['without a trace', `00-${'0'.repeat(32)}-${span}-01`],
  ['without a span', `00-${trace}-${'0'.repeat(16)}-01`],
  ['too short', `00-${trace.slice(1)}-${span}-01`],
  ['of this version with more members', `00-${trace}-${span}-01-more`],
  ['with markup', `00-${trace}-${span}-<b>`],
])('a traceparent that is %s names no trace', (_what, text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test('a context is written as it is read', () => {
  for (const isSampled of [true, false]) {
    const context = { traceId: newTraceId(), spanId: newSpanId(), isSampled };
    expect(readTraceparent(writeTraceparent(context))).toEqual(context);
  }
});

test('the span of the same step has the same id in each process, and those of others have others', () => {
  const context = { traceId: trace, spanId: span, isSampled: true };
  const one = derivedSpan(context, 'step', 'each/3/map', 1);
  expect(derivedSpan({ ...context, spanId: newSpanId() }, 'step', 'each/3/map', 1).spanId).toBe(one.spanId);
  const others = [
    derivedSpan(context, 'step', 'each/3/map', 2),
    derivedSpan(context, 'step', 'each/3', 'map', 1),
    derivedSpan({ ...context, traceId: newTraceId() }, 'step', 'each/3/map', 1),
  ];
  expect(new Set([one, ...others].map(({ spanId }) => spanId)).size).toBe(4);
  expect(readTraceparent(writeTraceparent(one))).toEqual(one);
});
