import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Layout, layoutGraph, type Link, type PlacedNode } from '#console/automation/flow/graph-layout.ts';

const link = (from: string, to: string, branch: string | null = null): Link => ({ from, to, branch });
const at = (layout: Layout, path: string): PlacedNode =>
  layout.nodes.find((node) => node.path === path) ?? expect.fail(`${path} is not placed`);
const contains = (outer: PlacedNode, inner: PlacedNode): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;
const overlap = (a: PlacedNode, b: PlacedNode): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Nodes `0` to `n`, each linked with later ones, so that there is no circle. */
const graphs = fc
  .tuple(fc.integer({ min: 1, max: 14 }), fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 30 }))
  .map(([count, pairs]) => ({
    paths: Array.from({ length: count }, (_, index) => String(index)),
    links: pairs.filter(([a, b]) => a < b && b < count).map(([a, b]) => link(String(a), String(b))),
  }));

describe('the layout of a graph', () => {
  test('draws a chain as one straight line', () => {
    const { nodes, links, height } = layoutGraph(['a', 'b', 'c'], [link('a', 'b'), link('b', 'c')]);
    expect(nodes.map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    expect(new Set(nodes.map(({ y }) => y))).toEqual(new Set([0]));
    expect(links.flatMap(({ points }) => points.map(({ y }) => y))).toEqual([22, 22, 22, 22]);
    expect(height).toBe(44);
  });

  test('places no node over another, and each right of all that lead to it', () => {
    fc.assert(
      fc.property(graphs, ({ paths, links }) => {
        const layout = layoutGraph(paths, links);
        expect(layout.nodes.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
        for (const [index, node] of layout.nodes.entries()) {
          expect(node.x + node.width).toBeLessThanOrEqual(layout.width);
          expect(node.y + node.height).toBeLessThanOrEqual(layout.height);
          for (const other of layout.nodes.slice(index + 1)) expect(overlap(node, other)).toBe(false);
        }
        for (const { from, to } of links) expect(at(layout, from).x).toBeLessThan(at(layout, to).x);
      }),
    );
  });

  test('leads a long link past the nodes between its ends', () => {
    const layout = layoutGraph(['a', 'b', 'c'], [link('a', 'b'), link('b', 'c'), link('a', 'c', 'else')]);
    const b = at(layout, 'b');
    const points = layout.links.find(({ branch }) => branch === 'else')?.points ?? [];
    expect(points).toHaveLength(4);
    const beside = points.filter(({ x }) => x >= b.x && x <= b.x + b.width);
    expect(beside.length).toBeGreaterThan(0);
    for (const { y } of beside) expect(y < b.y || y > b.y + b.height).toBe(true);
  });

  test('draws a loop around the nodes of its body, and loops within loops', () => {
    const layout = layoutGraph(
      ['each', 'each/a', 'each/inner', 'each/inner/b', 'end'],
      [link('each', 'end'), link('each/a', 'each/inner')],
    );
    expect(contains(at(layout, 'each'), at(layout, 'each/a'))).toBe(true);
    expect(contains(at(layout, 'each/inner'), at(layout, 'each/inner/b'))).toBe(true);
    expect(contains(at(layout, 'each'), at(layout, 'each/inner'))).toBe(true);
    expect(layout.nodes.filter(({ isLoop }) => isLoop).map(({ path }) => path)).toEqual(['each', 'each/inner']);
    expect(overlap(at(layout, 'each'), at(layout, 'end'))).toBe(false);
    expect(layout.links).toHaveLength(2);
  });

  test('ends on a circle and on a link to nothing', () => {
    const layout = layoutGraph(['a', 'b'], [link('a', 'b'), link('b', 'a'), link('b', 'b'), link('a', 'gone')]);
    expect(layout.nodes).toHaveLength(2);
    expect(at(layout, 'a').x).not.toBe(at(layout, 'b').x);
  });

  test('is nothing for no nodes', () => {
    expect(layoutGraph([], [])).toEqual({ width: 0, height: 0, nodes: [], links: [] });
  });
});
