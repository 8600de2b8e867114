import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { keptDrafts } from '#console/automation/editor/draft/kept-drafts.ts';
import type { DraftToSave, SaveAnswer, StoredDraft } from '#console/automation/editor/draft/stored-draft.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { addNode, type Command, place, remove } from '#console/automation/editor/model/commands.ts';
import { nodeAt } from '#console/automation/editor/model/graph.ts';
import { browserStorage, DraftServer } from './draft-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const unit = { node: 'core:set', version: '1', config: {}, on_error: 'fail' };
const nodes = ['a'].map((id) => ({ id, ...unit, position: { x: 0, y: 0 } }));
const blob = { version: 'v1', nodes, edges: [] };

/** A save that was sent. `answer` is set once the save has arrived. */
interface Sent {
  draft: DraftToSave;
  answer?: Promise<SaveAnswer>;
  answered: PromiseWithResolvers<SaveAnswer>;
}

/** A connection to a server. The test decides when saves arrive and when they are answered. */
class SlowWay {
  #sent: Sent[] = [];
  readonly #server: DraftServer;

  constructor(server: DraftServer) {
    this.#server = server;
  }

  readonly save = (draft: DraftToSave): Promise<SaveAnswer> => {
    const answered = Promise.withResolvers<SaveAnswer>();
    this.#sent.push({ draft, answered });
    return answered.promise;
  };

  arrive(): void {
    const next = this.#sent.find(({ answer }) => !answer);
    if (next) next.answer = this.#server.save(next.draft);
  }

  answer(): void {
    const next = this.#sent.find(({ answer }) => answer !== undefined);
    this.#forget(next);
    next?.answered.resolve(next.answer as Promise<SaveAnswer>);
  }

  /** Loses the next save or its answer. */
  lose(): void {
    const [next] = this.#sent;
    this.#forget(next);
    next?.answered.resolve({ kind: 'unreachable' });
  }

  /** Drops the answers to all saves that are under way. */
  endTab(): void {
    for (const each of this.#sent) each.answered = Promise.withResolvers();
  }

  #forget(one: Sent | undefined): void {
    this.#sent = this.#sent.filter((each) => each !== one);
  }
}

const edits: Record<string, (path: string, x: number) => Command> = {
  move: (path, x) => (graph) => (nodeAt(graph, path) ? place(new Map([[path, { x, y: 0 }]]))(graph) : graph),
  add: (path) => (graph) => (nodeAt(graph, path) ? graph : addNode(path, unit, { x: 0, y: 0 })(graph)),
  remove: (path) => remove([path]),
};
const byUser = ['move', 'move', 'add', 'remove', 'undo', 'redo'];
const byOthers = [
  'flush',
  'arrive',
  'answer',
  'lose',
  'lose the answer',
  'read',
  'hear',
  'hear of the newest',
  'end tab',
  'wait',
];
const moment = fc.record({
  what: fc.constantFrom(...byUser, 'flush', ...byOthers),
  path: fc.constantFrom('a', 'b'),
  x: fc.constantFrom(0, 100),
});

test('a draft that only one user edits keeps its edits, however late its saves arrive, are answered and are announced', async () => {
  let ends = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 5, maxLength: 40 }), async (moments) => {
      const server = new DraftServer(blob);
      const way = new SlowWay(server);
      const storage = browserStorage();
      const kept = () => keptDrafts(() => storage, { tenant: 'acme', workflowId: 'W1', user: 'U1' });
      const open = () => new DraftSession(server.stored, way.save, kept());
      let session = open();
      let read: StoredDraft | undefined;
      const happen: Record<string, () => unknown> = {
        undo: () => session.undo(),
        redo: () => session.redo(),
        flush: () => void session.flush(),
        arrive: () => way.arrive(),
        answer: () => way.answer(),
        lose: () => way.lose(),
        'lose the answer': () => {
          way.arrive();
          way.lose();
        },
        read: () => (read = server.stored),
        hear: () => read && read.version > 0 && session.receive(read),
        'hear of the newest': () => server.stored.version > 0 && session.receive(server.stored),
        'end tab': () => {
          ends += 1;
          vi.clearAllTimers();
          way.endTab();
          session = open();
        },
        wait: () => vi.advanceTimersByTimeAsync(500),
      };
      let shown = session.state().graph;
      const expectShown = () => {
        expect(difference(shown, session.state().graph)).toEqual([]);
        expect(session.state().conflicts).toEqual([]);
      };
      for (const { what, path, x } of moments) {
        const edit = edits[what];
        if (edit) session.perform(what, edit(path, x));
        else await happen[what]?.();
        if (byUser.includes(what)) shown = session.state().graph;
        await vi.advanceTimersByTimeAsync(0);
        expectShown();
      }
      for (let round = 0; round < 100 && session.state().saving !== 'saved'; round += 1) {
        void session.flush();
        way.arrive();
        way.answer();
        await vi.advanceTimersByTimeAsync(0);
      }
      expectShown();
      expect(session.state().saving).toBe('saved');
      expect(difference(shown, readBlob(server.stored.blob))).toEqual([]);
      expect(Object.keys(storage)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  expect(ends).toBeGreaterThan(1_000);
});
