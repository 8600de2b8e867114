import { Client, type Exchange, subscriptionExchange } from '@urql/core';
import { expect, test } from 'vitest';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { openDraft, storedDraft } from '#console/automation/editor/draft/open-draft.ts';
import { EditorWorkflow } from '#console/automation/editor/editor.documents.ts';
import { addNode } from '#console/automation/editor/model/commands.ts';
import { nodesOf } from '#console/automation/editor/model/graph.ts';
import { cachedExchanges } from '#console/graph/exchanges.ts';
import { createUncachedClient } from '#console/graph/uncached.ts';

const url = 'http://localhost/graphql';
const id = 'V29ya2Zsb3c6MQ==';
const unit = { node: 'core:set', version: '1', config: {} };
const makeBlob = (...paths: string[]) => ({
  version: 'v1',
  nodes: paths.map((path) => ({ id: path, ...unit })),
  edges: [],
});

const viewerCan = { __typename: 'WorkflowPermissions' };
const workflow = {
  __typename: 'Workflow',
  id,
  name: 'Edited',
  revision: 1,
  blob: makeBlob('first'),
  active: true,
  deletedAt: null,
  draft: {
    __typename: 'WorkflowDraft',
    version: 1,
    baseRevision: 1,
    isBehind: false,
    blob: makeBlob('first'),
    savedBy: null,
    savedAt: '2026-11-01T00:00:00Z',
    validation: { __typename: 'WorkflowValidation', valid: true, issues: [] },
    pins: {},
  },
  triggers: [],
  viewerCan: { ...viewerCan, saveDraft: false, publish: true, discardDraft: true, createTrigger: true, fire: true },
};

/** Somebody else saves version 2 before this save, and version 3 before the pins are read. */
const answers: Record<string, object> = {
  EditorWorkflow: { workflow },
  SaveDraft: {
    saveWorkflowDraft: {
      __typename: 'DraftConflict',
      version: 2,
      baseRevision: 1,
      base: makeBlob('first'),
      theirs: makeBlob('first', 'second'),
    },
  },
  DraftPins: { workflow: { __typename: 'Workflow', id, draft: { __typename: 'WorkflowDraft', version: 3, pins: {} } } },
};

const transport: Exchange = subscriptionExchange({
  enableAllOperations: true,
  forwardSubscription: ({ query = '' }) => ({
    subscribe: (sink) => {
      const [, name = ''] = /(?:query|mutation) (\w+)/.exec(query) ?? [];
      queueMicrotask(() => {
        sink.next({ data: answers[name] ?? null });
        sink.complete();
      });
      return { unsubscribe: () => undefined };
    },
  }),
});

test('a draft that somebody else saves keeps its changes, although its pins may be read with a later version', async () => {
  const client = new Client({ url, preferGetMethod: false, exchanges: cachedExchanges(transport) });
  let session: DraftSession | undefined;
  const page = client.query(EditorWorkflow, { id }, { requestPolicy: 'network-only' }).subscribe(({ data }) => {
    const read = data?.workflow;
    if (!read) return;
    if (session) session.receive(storedDraft(read));
    else
      session = openDraft(createUncachedClient(url, transport), {
        tenant: 'acme',
        user: 'U1',
        workflow: read,
        saved: () => undefined,
      });
  });
  await expect.poll(() => session).toBeDefined();
  session?.perform('Add', addNode('mine', unit, { x: 0, y: 0 }));
  await session?.flush();
  await new Promise((resolve) => setImmediate(resolve));
  expect(session?.state()).toMatchObject({ version: 2, conflicts: [] });
  expect([...nodesOf(session?.state().graph ?? new Map()).keys()].toSorted()).toEqual(['first', 'mine', 'second']);
  page.unsubscribe();
  session?.close();
});
