import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { locale } from '#console/words/language.ts';
import { numberText } from '#console/words/values.ts';
import type { Tone } from './state.tsx';
import { useMedia } from './use-media.ts';

export interface Series {
  label: string;
  tone: Tone;
  values: readonly (number | null)[];
}

interface Props {
  /** Read out instead of the drawing. */
  label: string;
  /** The beginning of each bucket, an instant. */
  times: readonly string[];
  series: readonly Series[];
  kind: 'bars' | 'lines';
  /** How a value is written; left out: as a number. */
  write?: (value: number) => string;
}

const height = 132;
/** Distances between ticks: there is no half run, and a duration of less than a millisecond is not written. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** Values over time. Bars of several series are stacked. */
export function Chart({ label, times, series, kind, write = numberText }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const isDark = useMedia('(prefers-color-scheme: dark)');
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const drawn = kind === 'bars' ? stack(series) : series;
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          { ...axis(element), values: (_plot, ticks) => timeTicks(ticks) },
          { ...axis(element), size: 64, incrs: wholeSteps, values: (_plot, ticks) => ticks.map(write) },
        ],
        series: [
          {},
          ...drawn.map(({ tone }) => {
            const color = colorOf(element, `--${tone}`);
            return kind === 'bars'
              ? {
                  fill: color,
                  stroke: color,
                  width: 0,
                  paths: uPlot.paths.bars?.({ size: [0.7, 40] }),
                  points: { show: false },
                }
              : { stroke: color, width: 1.5, spanGaps: true, points: { size: 4 } };
          }),
        ],
      },
      [times.map((at) => Date.parse(at) / 1_000), ...drawn.map(({ values }) => [...values])],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- colours are read again when the theme changes
  }, [times, series, kind, write, isDark]);
  return <div ref={place} className="chart" role="img" aria-label={label} />;
}

/** The sums of each series and those after it, so that the first is drawn behind the others. */
function stack(series: readonly Series[]): Series[] {
  return series.map((first, index) => ({
    ...first,
    values: first.values.map((_, at) => series.slice(index).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  }));
}

const dayTick = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const hourTick = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });

/** Seconds since 1970 as hours, or as days where a day begins. */
const timeTicks = (ticks: readonly number[]): string[] =>
  ticks.map((tick) => {
    const date = new Date(tick * 1_000);
    return date.getHours() === 0 && date.getMinutes() === 0 ? dayTick.format(date) : hourTick.format(date);
  });

const axis = (element: Element) => ({
  stroke: colorOf(element, '--text-quiet'),
  grid: { stroke: colorOf(element, '--line'), width: 1 },
  ticks: { show: false },
  font: '11px system-ui',
});

/** A colour of the tokens as the theme has it now: a canvas knows no `light-dark()`. */
function colorOf(element: Element, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
