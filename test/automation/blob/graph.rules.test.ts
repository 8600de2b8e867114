import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WorkflowGraph } from '#src/automation/blob/blob.inputs.ts';
import { workflowGraphSchema } from '#src/automation/blob/blob.inputs.ts';
import { compileGraph } from '#src/automation/blob/graph.rules.ts';
import type { StepOutcome } from '#src/automation/blob/graph.rules.ts';
import { resumeProgress, settle, startProgress, decideVerdict } from '#src/automation/blob/progress.rules.ts';

const node = (id: string, on_error = 'fail') => ({ id, node: 'core:set', version: '1.0.0', on_error });

/** `a -> b`, `a -yes-> b` and `@trigger -> b`. */
function graph(nodes: (string | ReturnType<typeof node>)[], ...edges: string[]): WorkflowGraph {
  return workflowGraphSchema.parse({
    nodes: nodes.map((each) => (typeof each === 'string' ? node(each) : each)),
    edges: edges.map((edge) => {
      const [from = '', arrow = '', to] = edge.split(' ');
      const branch = arrow.length > 2 ? arrow.slice(1, -2) : 'default';
      return { from: from.startsWith('@') ? { trigger: from.slice(1) } : { node: from, branch }, to };
    }),
  });
}

const ok = (branch = 'default'): StepOutcome => ({ status: 'succeeded', branch });
const failed: StepOutcome = { status: 'failed' };

describe('the start of a run', () => {
  const plan = compileGraph(graph(['a', 'b', 'c'], '@one -> b', 'a -> b', 'b -> c'));

  test('a trigger with an edge starts that node, and unreachable nodes take no part', () => {
    const { progress, ready } = startProgress(plan, 'one');
    expect(ready).toEqual(['b']);
    expect(settle(plan, progress, 'b', ok()).ready).toEqual(['c']);
    settle(plan, progress, 'c', ok());
    expect(decideVerdict(progress)).toBe('succeeded');
  });

  test('a trigger without edges starts the nodes without predecessors', () => {
    expect(startProgress(plan, 'other').ready).toEqual(['a']);
    expect(startProgress(plan).ready).toEqual(['a']);
  });

  test('a node that the trigger starts still waits for its other edges', () => {
    const both = compileGraph(graph(['a', 'b'], '@one -> a', '@one -> b', 'a -> b'));
    const { progress, ready } = startProgress(both, 'one');
    expect(ready).toEqual(['a']);
    expect(settle(both, progress, 'a', failed).ready).toEqual(['b']);
  });

  test('a graph without nodes succeeds immediately', () => {
    expect(decideVerdict(startProgress(compileGraph(graph([]))).progress)).toBe('succeeded');
  });
});

describe('branches and joins', () => {
  test('the branch that is not taken is skipped up to the join, which waits for the other', () => {
    const plan = compileGraph(
      graph(['if', 'y', 'n', 'n2', 'join'], 'if -true-> y', 'if -false-> n', 'n -> n2', 'n2 -> join', 'y -> join'),
    );
    const { progress } = startProgress(plan);
    expect(settle(plan, progress, 'if', ok('true'))).toEqual({ ready: ['y'], skipped: ['n', 'n2'] });
    expect(settle(plan, progress, 'y', ok())).toEqual({ ready: ['join'], skipped: [] });
    expect(decideVerdict(progress)).toBe('running');
    settle(plan, progress, 'join', ok());
    expect(decideVerdict(progress)).toBe('succeeded');
  });

  test('a branch without edges ends there', () => {
    const plan = compileGraph(graph(['a', 'b'], 'a -yes-> b'));
    const { progress } = startProgress(plan);
    expect(settle(plan, progress, 'a', ok('no'))).toEqual({ ready: [], skipped: ['b'] });
    expect(decideVerdict(progress)).toBe('succeeded');
  });

  test.each([
    ['fail', [], ['normal', 'rescue'], 'failed'],
    ['continue', ['normal'], ['rescue'], 'running'],
    ['branch', ['rescue'], ['normal'], 'running'],
  ])('a failure under on_error %s makes %j ready and skips %j', (onError, ready, skipped, verdict) => {
    const plan = compileGraph(graph([node('a', onError), 'normal', 'rescue'], 'a -> normal', 'a -error-> rescue'));
    const { progress } = startProgress(plan);
    expect(settle(plan, progress, 'a', failed)).toEqual({ ready, skipped });
    expect(decideVerdict(progress)).toBe(verdict);
    expect(progress.failedNode).toBe(verdict === 'failed' ? 'a' : null);
  });

  test('a failure of core:fail makes nothing ready, whatever on_error says', () => {
    const plan = compileGraph(graph([{ ...node('a', 'continue'), node: 'core:fail' }, 'next'], 'a -> next'));
    const { progress } = startProgress(plan);
    expect(settle(plan, progress, 'a', failed)).toEqual({ ready: [], skipped: ['next'] });
    expect(decideVerdict(progress)).toBe('failed');
  });

  test('predecessors and leaves are listed by id', () => {
    const plan = compileGraph(graph(['a', 'b', 'c', 'd'], 'b -> c', 'a -> c', 'a -error-> c', 'a -> d'));
    expect(plan.predecessors).toEqual([[], [], ['a', 'b'], ['a']]);
    expect(plan.leaves).toEqual(['c', 'd']);
  });
});

test('an outcome counts once, and only once its node may run', () => {
  const plan = compileGraph(graph(['a', 'b'], 'a -> b'));
  const { progress } = startProgress(plan);
  expect(() => settle(plan, progress, 'b', ok())).toThrow('not ready');
  settle(plan, progress, 'a', ok());
  expect(() => settle(plan, progress, 'a', ok())).toThrow('settled before');
  expect(() => settle(plan, progress, 'nobody', ok())).toThrow('cannot be settled');
});

const branches = ['default', 'left', 'error'] as const;

/** Random acyclic graphs with an outcome for every node, and an order in which ready nodes end. */
const runs = fc.integer({ min: 1, max: 14 }).chain((size) =>
  fc.record({
    onError: fc.array(fc.constantFrom('fail', 'continue', 'branch'), { minLength: size, maxLength: size }),
    edges: fc.array(fc.record({ a: fc.nat(size - 1), b: fc.nat(size - 1), branch: fc.constantFrom(...branches) }), {
      maxLength: size * 3,
    }),
    triggerEdges: fc.array(fc.nat(size - 1), { maxLength: 3 }),
    outcomes: fc.array(
      fc.record({
        status: fc.constantFrom('succeeded' as const, 'succeeded' as const, 'failed' as const),
        branch: fc.constantFrom(...branches),
      }),
      { minLength: size, maxLength: size },
    ),
    picks: fc.array(fc.nat(), { minLength: size, maxLength: size }),
  }),
);

/** Plays a run to its end: the order of decisions, and after each step the outcomes known and the nodes ready. */
function play(run: typeof runs extends fc.Arbitrary<infer T> ? T : never) {
  const blob = graph(run.onError.map((onError, index) => node(`n${index}`, onError)));
  // Edges lead from the lower number to the higher, so that there is no cycle.
  for (const { a, b, branch } of run.edges) {
    if (a !== b) blob.edges.push({ from: { node: `n${Math.min(a, b)}`, branch }, to: `n${Math.max(a, b)}` });
  }
  for (const to of run.triggerEdges) blob.edges.push({ from: { trigger: 't' }, to: `n${to}` });
  const plan = compileGraph(blob);
  const { progress, ready } = startProgress(plan, 't');
  const order: { id: string; skipped: boolean }[] = [];
  const outcomes = new Map<string, StepOutcome>();
  const snapshots: { outcomes: Map<string, StepOutcome>; ready: string[]; remaining: number }[] = [];
  for (let round = 0; ready.length > 0; round += 1) {
    snapshots.push({ outcomes: new Map(outcomes), ready: [...ready], remaining: progress.remaining });
    const [id = ''] = ready.splice((run.picks[round] ?? 0) % ready.length, 1);
    const outcome = run.outcomes[Number(id.slice(1))] ?? { status: 'succeeded' };
    outcomes.set(id, outcome);
    order.push({ id, skipped: false });
    const step = settle(plan, progress, id, outcome);
    ready.push(...step.ready);
    order.push(...step.skipped.map((skipped) => ({ id: skipped, skipped: true })));
  }
  return { blob, plan, progress, order, outcomes, snapshots };
}

describe('for every acyclic graph and every order of completion', () => {
  test('each node within reach is decided exactly once', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { progress, order, plan } = play(run);
        expect(progress.remaining).toBe(0);
        expect(new Set(order.map(({ id }) => id)).size).toBe(order.length);
        if (run.triggerEdges.length === 0) expect(order).toHaveLength(plan.nodes.length);
      }),
      { numRuns: 500 },
    );
  });

  test('a node runs after all its predecessors, and is skipped exactly when no edge to it was taken', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { blob, order, outcomes } = play(run);
        const place = new Map(order.map(({ id }, index) => [id, index]));
        const onError = new Map(blob.nodes.map((each) => [each.id, each.on_error]));
        for (const { id, skipped } of order) {
          let live = run.triggerEdges.some((to) => `n${to}` === id);
          let followsNothing = run.triggerEdges.length === 0;
          for (const { from, to } of blob.edges) {
            if (to !== id || 'trigger' in from) continue;
            followsNothing = false;
            const before = place.get(from.node);
            if (before === undefined) continue;
            expect(before).toBeLessThan(place.get(id) ?? -1);
            const outcome = outcomes.get(from.node);
            if (outcome === undefined) continue;
            const taken =
              outcome.status === 'succeeded'
                ? outcome.branch
                : { fail: null, continue: 'default', branch: 'error' }[onError.get(from.node) ?? 'fail'];
            live ||= taken === from.branch;
          }
          expect(skipped).toBe(!live && !followsNothing);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('rebuilding from the recorded outcomes restores the progress of the run, at every point', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { plan, snapshots, progress, outcomes } = play(run);
        for (const snapshot of snapshots) {
          const reversed = new Map([...snapshot.outcomes].toReversed());
          const resumed = resumeProgress(plan, 't', reversed);
          expect(resumed.ready.toSorted()).toEqual(snapshot.ready.toSorted());
          expect(resumed.progress.remaining).toBe(snapshot.remaining);
        }
        const ended = resumeProgress(plan, 't', outcomes);
        expect(ended.progress.state).toEqual(progress.state);
        expect(decideVerdict(ended.progress)).toBe(decideVerdict(progress));
      }),
      { numRuns: 200 },
    );
  });
});
