import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { difference } from '#console/automation/editor/model/changes.ts';
import { configure, disconnect, pin, place } from '#console/automation/editor/model/commands.ts';
import { fillDefaults } from '#console/automation/editor/model/defaults.ts';
import {
  type Edge,
  edgesOf,
  type Graph,
  isTrigger,
  isWithin,
  loopOf,
  nodesOf,
  pinKey,
} from '#console/automation/editor/model/graph.ts';
import { staleNodes } from '#console/automation/editor/model/stale.ts';
import { anyCommand, orderGraph, perform } from './graphs.ts';

const commands = fc.array(anyCommand, { maxLength: 12 });

/** Paths that changed themselves: the node, its pin, or an edge to it. */
function changedPaths(ran: Graph, now: Graph): Set<string> {
  return new Set(
    fillDefaults(difference(ran, now)).flatMap(({ key, from, to }) => {
      if (key.startsWith('edge:')) return [((to ?? from) as Edge).to];
      return /^(node|pin):/.test(key) ? [key.slice(key.indexOf(':') + 1)] : [];
    }),
  );
}

/** Everything that a node's outputs depend on: itself, what is in it, the loops around it, and what leads to any of these. */
function causes(graph: Graph, path: string): Set<string> {
  const found = new Set([path]);
  for (const each of found) {
    for (const inner of nodesOf(graph).keys()) if (isWithin(inner, each)) found.add(inner);
    for (const { from, to } of edgesOf(graph)) if (to === each && !isTrigger(from)) found.add(from);
    if (loopOf(path) !== '' && isWithin(path, loopOf(each))) found.add(loopOf(each));
  }
  return found;
}

describe('the outputs of a run', () => {
  test('are all up to date while nothing has changed, or only what is drawn elsewhere', () => {
    fc.assert(
      fc.property(commands, (before) => {
        const graph = perform(orderGraph, before);
        const moved = place(new Map([...nodesOf(graph).keys()].map((path) => [path, { x: 1, y: 2 }])))(graph);
        expect([...staleNodes(graph, moved)]).toEqual([]);
      }),
    );
  });

  test('are out of date wherever the node has changed, unless the same outputs are pinned', () => {
    fc.assert(
      fc.property(commands, commands, (before, since) => {
        const ran = perform(orderGraph, before);
        const now = perform(ran, since);
        const stale = staleNodes(ran, now);
        const changed = changedPaths(ran, now);
        for (const path of nodesOf(now).keys()) {
          const isPinnedAlike = now.has(pinKey(path)) && difference(ran, now).every(({ key }) => key !== pinKey(path));
          if (isPinnedAlike) expect(stale.has(path)).toBe(false);
          else if (changed.has(path)) expect(stale.has(path)).toBe(true);
        }
      }),
    );
  });

  test('are out of date after a node that is, unless they are pinned, and nowhere else than after a change', () => {
    fc.assert(
      fc.property(commands, commands, (before, since) => {
        const ran = perform(orderGraph, before);
        const now = perform(ran, since);
        const stale = staleNodes(ran, now);
        const changed = changedPaths(ran, now);
        for (const { from, to } of edgesOf(now))
          if (stale.has(from) && !now.has(pinKey(to))) expect(stale.has(to)).toBe(true);
        for (const path of stale) expect([...causes(now, path)].some((cause) => changed.has(cause))).toBe(true);
      }),
    );
  });

  test('follow a change through a loop, and not past a pin', () => {
    const changed = configure('each/get', 'url', '/other')(orderGraph);
    expect([...staleNodes(orderGraph, changed)].toSorted()).toEqual(['answer', 'each', 'each/get', 'each/keep']);
    const pinned = pin('each/keep', { body: 1 });
    expect(staleNodes(pinned(orderGraph), pinned(changed)).has('each/keep')).toBe(false);
    const all = pin('each', { results: [] });
    expect(staleNodes(all(orderGraph), all(changed)).has('answer')).toBe(false);
    const apart = disconnect([{ from: 'each', branch: 'default', to: 'answer' }])(orderGraph);
    expect([...staleNodes(orderGraph, apart)]).toEqual(['answer']);
  });
});
