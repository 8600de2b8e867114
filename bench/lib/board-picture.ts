/** A panel of the board with the results of its queries. */
export interface DrawnPanel {
  title: string;
  /** The unit, by Grafana's name. */
  unit: string;
  /** Pairs of Unix time in seconds and value. */
  series: { name: string; points: [at: number, value: number][] }[];
}

/** A moment that every panel marks. */
interface Mark {
  at: number;
  colour: string;
}

const [width, height, columns] = [400, 190, 3];
const plot = { left: 60, right: width - 10, top: 34, bottom: height - 44 };
const colours = ['#1a56c4', '#c2410c', '#15803d', '#7e22ce', '#b91c1c', '#0e7490'];

/** Draws panels in rows of three as an SVG. Every panel has the same time axis. */
export function drawBoard(panels: readonly DrawnPanel[], title: string, marks: readonly Mark[]): string {
  const times = panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(([at]) => at)));
  const span: [number, number] = [Math.min(...times), Math.max(...times)];
  const [wide, high] = [columns * width, 40 + Math.ceil(panels.length / columns) * height];
  const drawn = panels.map((panel, place) => {
    const at = `translate(${(place % columns) * width},${40 + Math.floor(place / columns) * height})`;
    return `<g transform="${at}">${drawPanel(panel, span, marks)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" font-family="system-ui, sans-serif" font-size="11">
<rect width="${wide}" height="${high}" fill="#fff"/><text x="12" y="25" font-size="15" font-weight="600">${escape(title)}</text>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel({ title, unit, series }: DrawnPanel, [from, to]: [number, number], marks: readonly Mark[]): string {
  const top = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value)), 0) || 1;
  const x = (at: number) => (plot.left + ((at - from) / (to - from)) * (plot.right - plot.left)).toFixed(1);
  const y = (value: number) => (plot.bottom - (value / top) * (plot.bottom - plot.top)).toFixed(1);
  const lines = series.map(({ points }, place) => {
    // Where a query has no samples, the line has a gap.
    const path = points.map(([at, value], n) => {
      const before = points[n - 1]?.[0];
      return `${before === undefined || at - before > 2 ? 'M' : 'L'}${x(at)} ${y(value)}`;
    });
    return `<path d="${path.join('')}" fill="none" stroke="${colours[place % colours.length]}" stroke-width="1.5"/>`;
  });
  const marked = marks.map(
    ({ at, colour }) =>
      `<line x1="${x(at)}" x2="${x(at)}" y1="${plot.top}" y2="${plot.bottom}" stroke="${colour}" stroke-dasharray="3 3"/>`,
  );
  let end = plot.left;
  const legend = series.map(({ name }, place) => {
    const text = `<text x="${end}" y="${height - 12}" fill="${colours[place % colours.length]}">${escape(name)}</text>`;
    end += 14 + name.length * 6;
    return text;
  });
  return `<text x="12" y="20" font-size="12" font-weight="600">${escape(title)}</text>
<path d="M${plot.left} ${plot.top}V${plot.bottom}H${plot.right}" fill="none" stroke="#888"/>
<text x="${plot.left - 6}" y="${plot.top + 4}" text-anchor="end">${describeValue(top, unit)}</text>
<text x="${plot.left - 6}" y="${plot.bottom}" text-anchor="end">0</text>
<text x="${plot.right}" y="${plot.bottom + 14}" text-anchor="end" fill="#555">${Math.round(to - from)} s</text>
${marked.join('')}${lines.join('')}${legend.join('')}`;
}

function describeValue(value: number, unit: string): string {
  const text = (number: number) => String(Number(number.toPrecision(2)));
  if (unit === 'bytes') return `${text(value / 2 ** 20)} MB`;
  if (unit === 's') return value < 1 ? `${text(value * 1_000)} ms` : `${text(value)} s`;
  if (unit === 'percentunit') return `${text(value * 100)} %`;
  return unit === 'short' ? text(value) : `${text(value)}/s`;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
