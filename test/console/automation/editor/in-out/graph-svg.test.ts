import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileName } from '#console/automation/editor/in-out/download.ts';
import { graphSvg } from '#console/automation/editor/in-out/graph-svg.ts';
import { note } from '#console/automation/editor/model/commands.ts';
import { anyCommand, orderGraph, perform } from '#test/console/automation/editor/model/graphs.ts';

const trigger = {
  id: 't',
  handle: 'shop',
  name: 'Shop',
  type: 'WEBHOOK',
  active: true,
  url: null,
  config: {},
  viewerCan: { fire: true, delete: true },
} as const;
const draw = (graph = orderGraph, title = 'Orders') =>
  graphSvg({ graph, triggers: [trigger], definitions: new Map(), title, description: '3 nodes' });

test('a graph is drawn with its names, its notes and a title that a screen reader reads', () => {
  const svg = draw();
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*role="img" aria-labelledby="title description">/,
  );
  for (const name of ['Orders', '3 nodes', 'Shop', 'each', 'get', 'keep', 'answer', 'Lines'])
    expect(svg).toContain(`>${name}<`);
  // Nothing is asked of another file.
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import|<script|href/);
});

test('whatever is in a graph, its drawing is well-formed XML without markup of its own', () => {
  const texts = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 15 }), texts, texts, (commands, text, title) => {
      const written = note('n1', { text: `<script>${text}]]>&"'` })(perform(orderGraph, commands));
      const svg = draw(written, title);
      expect(svg).not.toContain('<script');
      // oxlint-disable-next-line no-control-regex -- those that XML forbids
      expect(svg).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/);
      expect(svg.isWellFormed()).toBe(true);
      expect(svg).not.toContain('NaN');
      expect(svg).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
      expect(svg.match(/<text/g)?.length).toBe(svg.match(/<\/text>/g)?.length);
    }),
    { numRuns: 50 },
  );
});

test('a file is named after its workflow, as any system takes it', () => {
  expect(fileName('Orders / ERP: "new"', 'json')).toBe('Orders-ERP-new.json');
  expect(fileName('Aufträge', 'svg')).toBe('Aufträge.svg');
  expect(fileName('../..', 'json')).toBe('workflow.json');
});
