/** A time in which nothing began and nothing ended, drawn shorter than it was; `from` and `to` are fractions of the width. */
export interface Break {
  from: number;
  to: number;
  ms: number;
}

export interface TimeScale {
  /** From epoch milliseconds to a fraction of the width. */
  placeOf: (at: number) => number;
  breaks: Break[];
  /** Epoch milliseconds. */
  start: number;
  end: number;
}

const longMs = 60_000;
/** What all breaks take together, as a fraction of the width. */
const breakShare = 0.3;

/**
 * A scale from the first to the last of these instants. A run that waits for days and works for seconds would show nothing of its work, so a
 * quiet time of more than a minute that exceeds all the rest is cut short.
 */
export function timeScale(instants: readonly number[]): TimeScale {
  const sorted = [...new Set(instants)].toSorted((a, b) => a - b);
  const start = sorted[0] ?? 0;
  const end = sorted.at(-1) ?? start;
  const spans = sorted.slice(1).map((to, index) => ({ from: sorted[index] as number, to }));
  const quiet = new Set(longest(spans, end - start));
  const quietMs = [...quiet].reduce((sum, { from, to }) => sum + to - from, 0);
  const linearMs = end - start - quietMs;
  const breakWidth = quiet.size === 0 ? 0 : (linearMs === 0 ? 1 : breakShare) / quiet.size;
  const msWidth = linearMs === 0 ? 0 : (1 - breakWidth * quiet.size) / linearMs;
  const breaks: Break[] = [];
  const marks: { at: number; x: number }[] = [{ at: start, x: 0 }];
  let x = 0;
  for (const span of spans) {
    const width = quiet.has(span) ? breakWidth : (span.to - span.from) * msWidth;
    if (quiet.has(span) && linearMs > 0) breaks.push({ from: x, to: x + width, ms: span.to - span.from });
    marks.push({ at: span.to, x: (x += width) });
  }
  return { placeOf: (at) => interpolate(marks, at), breaks, start, end };
}

/** The spans to cut short: each is longer than all that are not. */
function longest<S extends { from: number; to: number }>(spans: readonly S[], totalMs: number): S[] {
  const found: S[] = [];
  let rest = totalMs;
  for (const span of spans.toSorted((a, b) => b.to - b.from - (a.to - a.from))) {
    const ms = span.to - span.from;
    rest -= ms;
    if (ms < longMs || ms < rest) break;
    found.push(span);
  }
  return found;
}

function interpolate(marks: readonly { at: number; x: number }[], at: number): number {
  const index = marks.findIndex((mark) => mark.at >= at);
  if (index === 0) return 0;
  const [before, after] = [marks[index - 1], marks[index]];
  if (!before || !after) return marks.at(-1)?.x ?? 0;
  return before.x + ((at - before.at) / (after.at - before.at)) * (after.x - before.x);
}
