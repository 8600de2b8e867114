import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { keptDrafts } from '#console/automation/editor/draft/kept-drafts.ts';
import { saveAll } from '#console/automation/editor/draft/save-all.ts';
import type { DraftToSave, SaveAnswer } from '#console/automation/editor/draft/stored-draft.ts';
import { readBlob, writeBlob } from '#console/automation/editor/model/blob.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { addNode, configure, freeId, pin, remove } from '#console/automation/editor/model/commands.ts';
import { readDraft } from '#console/automation/editor/model/draft.ts';
import { nodeAt, nodesOf, pinsOf } from '#console/automation/editor/model/graph.ts';
import { anyCommand, orderBlob } from '#test/console/automation/editor/model/graphs.ts';
import { browserStorage, DraftServer, type Fault, memoryStorage } from './draft-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const unit = { node: 'core:set', version: '1', config: {} };
const add = (session: DraftSession, id: string) => session.perform('Add', addNode(id, unit, { x: 0, y: 0 }));

const open = (server: DraftServer, kept = memoryStorage()) => new DraftSession(server.stored, server.save, kept);

describe('a draft that is edited', () => {
  test('is saved within a second, in one save for changes that follow each other', async () => {
    const server = new DraftServer(orderBlob);
    const session = open(server);
    for (let letter = 1; letter <= 20; letter += 1) {
      session.perform('Type', configure('answer', 'body', 'x'.repeat(letter)), 'answer.body');
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(server.stored.version).toBe(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.stored.version).toBe(3);
    expect(nodeAt(readBlob(server.stored.blob), 'answer')?.config).toEqual({ body: 'x'.repeat(20) });
    expect(session.state()).toMatchObject({ saving: 'saved', version: 3 });
    session.undo();
    expect(difference(session.state().graph, readBlob(orderBlob))).toEqual([]);
  });

  test('is saved with what is changed while a save is on its way, and what is merged, once all is saved', async () => {
    const server = new DraftServer(orderBlob);
    const [session, other] = [open(server), open(server)];
    add(other, 'theirs');
    await other.flush();
    add(session, 'one');
    const going = session.flush();
    add(session, 'two');
    await Promise.all([going, saveAll(session)]);
    expect(session.state().saving).toBe('saved');
    expect([...nodesOf(readBlob(server.stored.blob)).keys()]).toEqual(expect.arrayContaining(['theirs', 'one', 'two']));
  });

  test('keeps a conflict with a published revision when it receives the draft from before the publication', async () => {
    const publish = (body: string) => writeBlob(configure('answer', 'body', body)(readBlob(orderBlob)));
    const draft = { version: 3, baseRevision: 1, blob: orderBlob, pins: {} };
    const stored = { ...draft, baseRevision: 2, blob: publish('published') };
    const session = new DraftSession(draft, async () => ({ kind: 'stale', stored, base: orderBlob }), memoryStorage());
    session.perform('Type', configure('answer', 'body', 'mine'));
    await session.flush();
    expect(session.state()).toMatchObject({ baseRevision: 2, conflicts: [{ key: 'node:answer' }] });
    session.receive(draft);
    expect(session.state()).toMatchObject({ baseRevision: 2, conflicts: [{ key: 'node:answer' }] });
  });

  test('is sent again until the server can be reached, without a second copy of any change', async () => {
    const server = new DraftServer(orderBlob);
    server.faults = ['lost', 'answer-lost', 'lost'];
    const session = open(server);
    add(session, 'one');
    await vi.advanceTimersByTimeAsync(600);
    expect(session.state().saving).toBe('unreachable');
    add(session, 'two');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.state().saving).toBe('saved');
    expect(
      [...nodesOf(readBlob(server.stored.blob)).keys()].filter((path) => ['one', 'two'].includes(path)),
    ).toHaveLength(2);
  });

  test('stays undone if its save was stored without an answer, and a notice of it arrives before the next save is answered', async () => {
    const server = new DraftServer(orderBlob);
    const session = open(server);
    server.faults = ['answer-lost'];
    session.perform('Type', configure('answer', 'body', 'typed'));
    await session.flush();
    session.undo();
    const going = session.flush();
    session.receive(server.stored);
    await going;
    await saveAll(session);
    expect(session.state()).toMatchObject({ saving: 'saved', conflicts: [] });
    expect(difference(readBlob(server.stored.blob), readBlob(orderBlob))).toEqual([]);
  });

  test('waits as long as a busy server says, whatever is changed meanwhile', async () => {
    const server = new DraftServer(orderBlob);
    let saves = 0;
    const save = async (draft: DraftToSave): Promise<SaveAnswer> => {
      saves += 1;
      return saves === 1 ? { kind: 'busy', afterMs: 20_000 } : server.save(draft);
    };
    const session = new DraftSession(server.stored, save, memoryStorage());
    for (let edit = 1; edit <= 15; edit += 1) {
      add(session, `edit-${edit}`);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(session.state().saving).toBe('busy');
    expect(saves).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(session.state().saving).toBe('saved');
    expect(nodesOf(readBlob(server.stored.blob)).has('edit-15')).toBe(true);
  });

  test('says that nothing is kept where the browser has no room, and is saved all the same', async () => {
    const server = new DraftServer(orderBlob);
    const session = open(server, { ...memoryStorage(), write: () => false });
    add(session, 'one');
    expect(session.state().isKept).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(session.state()).toMatchObject({ saving: 'saved', isKept: false });
  });

  test('loses nothing when its tab is killed at any moment, with any fault of the network', async () => {
    const moment = fc.oneof(
      fc.constant<'edit'>('edit'),
      fc.constant<'pin'>('pin'),
      fc.constantFrom<'kill' | 'kill during a save'>('kill', 'kill during a save'),
      fc.constant<'save'>('save'),
      fc.constantFrom<Fault>('lost', 'answer-lost'),
    );
    let kills = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 5, maxLength: 40 }), async (moments) => {
        const server = new DraftServer(orderBlob);
        const storage = browserStorage();
        const openTab = () =>
          open(
            server,
            keptDrafts(() => storage, { tenant: 'acme', workflowId: 'W1', user: 'U1' }),
          );
        let session = openTab();
        let edits = 0;
        let isPinned = false;
        for (const what of moments) {
          if (what === 'edit') add(session, `edit-${(edits += 1)}`);
          else if (what === 'pin') {
            isPinned = !isPinned;
            session.perform('Pin', pin('answer', isPinned ? { body: edits } : undefined));
          } else if (what === 'save') await session.flush();
          else if (what === 'kill' || what === 'kill during a save') {
            kills += 1;
            // A save that is on its way may still arrive, or not, before the next tab has read the draft or after.
            const going = session.flush();
            session.close();
            if (what === 'kill') await going;
            session = openTab();
          } else server.faults.push(what);
        }
        server.faults = [];
        // A tab before may still save, which this one learns from a save of its own.
        for (let round = 0; round < 5; round += 1) await session.flush();
        expect(session.state().saving).toBe('saved');
        const paths = nodesOf(readBlob(server.stored.blob));
        for (let edit = 1; edit <= edits; edit += 1) expect(paths.has(`edit-${edit}`)).toBe(true);
        expect(pinsOf(readDraft({ pins: {}, ...server.stored })).has('answer')).toBe(isPinned);
      }),
      { numRuns: 100 },
    );
    expect(kills).toBeGreaterThan(200);
  });
});

describe('a draft that two people edit', () => {
  test('keeps what one has pinned while the other draws, and sends pins only where they have changed', async () => {
    const server = new DraftServer(orderBlob);
    const one = open(server);
    const other = open(server);
    one.perform('Pin', pin('answer', { body: 'pinned' }));
    await one.flush();
    add(other, 'more');
    await other.flush();
    await other.flush();
    expect(server.stored).toMatchObject({ version: 2, pins: { answer: { body: 'pinned' } } });
    expect(server.saves.map(({ pins }) => pins)).toEqual([{ answer: { body: 'pinned' } }, undefined, undefined]);
    other.perform('Unpin', pin('answer', undefined));
    await other.flush();
    expect(server.stored.pins).toEqual({});
    other.undo();
    await other.flush();
    expect(server.stored.pins).toEqual({ answer: { body: 'pinned' } });
  });

  test('ends the same for both, whatever they do, once they have decided what they disagree on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), anyCommand), { maxLength: 60 }), async (edits) => {
        const server = new DraftServer(orderBlob);
        const one = open(server);
        const other = open(server);
        const settle = async (session: DraftSession) => {
          for (let round = 0; round < 5 && session.state().saving !== 'saved'; round += 1) {
            if (session.state().saving === 'conflict') session.decide(() => 'mine');
            await session.flush();
          }
          expect(session.state().saving).toBe('saved');
        };
        for (const [isOne, command] of edits) {
          const session = isOne ? one : other;
          session.perform('Edit', command);
          await session.flush();
        }
        await settle(one);
        await settle(other);
        one.receive(server.stored);
        await settle(one);
        other.receive(server.stored);
        expect(difference(one.state().graph, other.state().graph)).toEqual([]);
        expect(difference(one.state().graph, readDraft({ pins: {}, ...server.stored }))).toEqual([]);
      }),
    );
  });

  test('takes the graph of a publication also where its number was read first', () => {
    const server = new DraftServer(orderBlob);
    const session = open(server);
    const published = { version: 0, baseRevision: 2, pins: {} };
    session.receive({ ...published, blob: { nodes: [], edges: [] } });
    session.receive({ ...published, blob: orderBlob });
    expect(nodeAt(session.state().graph, 'answer')).toBeDefined();
    expect(session.state()).toMatchObject({ saving: 'saved', conflicts: [] });
  });

  test('asks who is right where both changed one node, and saves nothing until it is told', async () => {
    const server = new DraftServer(orderBlob);
    const one = open(server);
    const other = open(server);
    one.perform('Edit', configure('answer', 'body', 'mine'));
    other.perform('Edit', configure('answer', 'body', 'theirs'));
    await one.flush();
    await other.flush();
    expect(other.state()).toMatchObject({ saving: 'conflict', conflicts: [{ key: 'node:answer' }] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(server.stored.version).toBe(1);
    other.decide(() => 'theirs');
    await vi.advanceTimersByTimeAsync(0);
    expect(other.state()).toMatchObject({ saving: 'saved', conflicts: [] });
    expect(nodeAt(other.state().graph, 'answer')?.config).toEqual({ body: 'mine' });
  });

  test('still shows the other user’s further changes if a notice of the save arrives before the answer that names it', async () => {
    const server = new DraftServer(orderBlob);
    const [one, other] = [open(server), open(server)];
    one.perform('Edit', configure('answer', 'body', 'theirs'));
    add(one, 'more');
    await one.flush();
    other.perform('Edit', configure('answer', 'body', 'mine'));
    const going = other.flush();
    other.receive(server.stored);
    await going;
    expect(other.state()).toMatchObject({ saving: 'conflict', conflicts: [{ key: 'node:answer' }] });
    expect(other.state().received.map(({ key }) => key)).toEqual(['node:more', 'place:more']);
  });

  test('still asks when a third save comes in before it is decided, and keeps what was changed meanwhile', async () => {
    const server = new DraftServer(orderBlob);
    const kept = memoryStorage();
    const [one, other] = [open(server), open(server, kept)];
    one.perform('Edit', configure('answer', 'body', 'theirs'));
    other.perform('Edit', configure('answer', 'body', 'mine'));
    await one.flush();
    await other.flush();
    other.perform('Edit', configure('answer', 'body', 'mine, later'));
    add(one, 'more');
    await one.flush();
    other.receive(server.stored);
    expect(other.state()).toMatchObject({
      saving: 'conflict',
      conflicts: [
        { key: 'node:answer', mine: { config: { body: 'mine, later' } }, theirs: { config: { body: 'theirs' } } },
      ],
    });
    other.close();
    const reopened = open(server, kept);
    expect(reopened.state().conflicts.map(({ key }) => key)).toEqual(['node:answer']);
    reopened.decide(() => 'mine');
    await vi.advanceTimersByTimeAsync(0);
    const stored = readBlob(server.stored.blob);
    expect(nodeAt(stored, 'answer')?.config).toEqual({ body: 'mine, later' });
    expect(nodeAt(stored, 'more')).toBeDefined();
  });

  test('tells of a node that one changed and the other removed', async () => {
    const server = new DraftServer(orderBlob);
    const one = open(server);
    const other = open(server);
    one.perform('Remove', remove(['answer']));
    other.perform('Edit', configure('answer', 'body', 'mine'));
    await one.flush();
    await other.flush();
    expect(other.state().conflicts.map(({ key }) => key)).toEqual(['node:answer']);
    other.decide(() => 'mine');
    await vi.advanceTimersByTimeAsync(0);
    expect(nodeAt(readBlob(server.stored.blob), 'answer')?.config).toEqual({ body: 'mine' });
  });
});

test('a free id is never one that is taken', () => {
  const graph = readBlob(orderBlob);
  expect(freeId(graph, '', 'core:answer')).toBe('answer-2');
  expect(freeId(graph, 'each', 'core:answer')).toBe('answer');
});
