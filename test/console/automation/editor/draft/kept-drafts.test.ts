import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { keptDrafts } from '#console/automation/editor/draft/kept-drafts.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { addNode } from '#console/automation/editor/model/commands.ts';
import { nodesOf } from '#console/automation/editor/model/graph.ts';
import { orderBlob } from '#test/console/automation/editor/model/graphs.ts';
import { browserStorage, DraftServer } from './draft-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const unit = { node: 'core:set', version: '1', config: {} };
const place = { tenant: 'acme', workflowId: 'W1', user: 'U1' };
const add = (session: DraftSession, id: string) => session.perform('Add', addNode(id, unit, { x: 0, y: 0 }));

test('what two tabs of one browser have left unsaved comes back, whichever of them saved or wrote last', async () => {
  const server = new DraftServer(orderBlob);
  const storage = browserStorage();
  const openTab = () =>
    new DraftSession(
      server.stored,
      server.save,
      keptDrafts(() => storage, place),
    );
  const [one, other, saving] = [openTab(), openTab(), openTab()];
  server.faults = Array.from({ length: 4 }, () => 'lost');
  add(one, 'first');
  add(other, 'second');
  await vi.advanceTimersByTimeAsync(500);
  server.faults = [];
  add(saving, 'third');
  await saving.flush();
  // Both tabs crash before they can save again.
  server.faults = Array.from({ length: 4 }, () => 'lost');
  one.close();
  other.close();
  await vi.advanceTimersByTimeAsync(0);
  server.faults = [];
  expect(Object.keys(storage)).toHaveLength(2);

  const again = openTab();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(again.state().saving).toBe('saved');
  expect([...nodesOf(readBlob(server.stored.blob)).keys()].toSorted()).toEqual(
    expect.arrayContaining(['first', 'second', 'third']),
  );
  expect(Object.keys(storage)).toEqual([]);
});

test('an edit that was made just before its editor was left is saved', async () => {
  const server = new DraftServer(orderBlob);
  const storage = browserStorage();
  const session = new DraftSession(
    server.stored,
    server.save,
    keptDrafts(() => storage, place),
  );
  add(session, 'late');
  session.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(nodesOf(readBlob(server.stored.blob)).has('late')).toBe(true);
  expect(Object.keys(storage)).toEqual([]);
});

test('what one user has left unsaved is not given to the next who signs in to the same browser', async () => {
  const server = new DraftServer(orderBlob);
  const storage = browserStorage();
  const openAs = (user: string) =>
    new DraftSession(
      server.stored,
      server.save,
      keptDrafts(() => storage, { ...place, user }),
    );
  server.faults = Array.from({ length: 4 }, () => 'lost');
  const session = openAs('U1');
  add(session, 'first');
  session.close();
  await vi.advanceTimersByTimeAsync(0);
  server.faults = [];
  expect(nodesOf(openAs('U2').state().graph).has('first')).toBe(false);
  expect(nodesOf(openAs('U1').state().graph).has('first')).toBe(true);
});
