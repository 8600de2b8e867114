import { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import type { SaveAnswer, StoredDraft } from '#console/automation/editor/draft/stored-draft.ts';
import type { TestApp } from '#test/setup/app.ts';
import { memoryStorage } from './draft-server.ts';

const admin = { tenant: 'acme-shop', roles: ['admin'] };

interface Present {
  revision: number;
  blob: unknown;
  draft: StoredDraft | null;
}

/** A workflow on the real server, which sessions edit through the graph as the editor does. */
export async function realDrafts(api: TestApp, blob: unknown) {
  const ask = async <Data>(document: string, variables: object): Promise<Data> => {
    const { data, errors } = await api.graphql<Data>(document, variables, admin);
    if (!data) throw new Error(JSON.stringify(errors));
    return data;
  };
  const { createWorkflow } = await ask<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
    { input: { name: 'Edited by two', blob } },
  );
  const { id } = createWorkflow.workflow;

  const read = async (): Promise<Present> => {
    const { workflow } = await ask<{ workflow: Present }>(
      'query ($id: ID!) { workflow(id: $id) { revision blob draft { version baseRevision blob } } }',
      { id },
    );
    return workflow;
  };
  const stored = async (): Promise<StoredDraft> => {
    const { draft, revision, blob: published } = await read();
    return draft ?? { version: 0, baseRevision: revision, blob: published };
  };

  const save = async (draft: StoredDraft): Promise<SaveAnswer> => {
    const { saved } = await ask<{ saved: Saved }>(
      `mutation ($input: SaveWorkflowDraftInput!) { saved: saveWorkflowDraft(input: $input) {
        __typename
        ... on SaveWorkflowDraftPayload { isMerged draft { version baseRevision blob } }
        ... on DraftConflict { version baseRevision base theirs }
        ... on Error { message } } }`,
      { input: { workflowId: id, ...draft } },
    );
    if (saved.__typename === 'SaveWorkflowDraftPayload')
      return { kind: 'saved', draft: saved.draft, isMerged: saved.isMerged };
    if (saved.__typename !== 'DraftConflict') return { kind: 'refused', message: saved.message };
    const { version, baseRevision, base, theirs } = saved;
    return { kind: 'stale', stored: { version, baseRevision, blob: theirs }, base };
  };

  return {
    read,
    stored,
    open: async () => new DraftSession(await stored(), save, memoryStorage()),
    /** Publishes a blob without a draft, as a program does. */
    async update(next: unknown) {
      const { updateWorkflow } = await ask<{ updateWorkflow: { __typename: string } }>(
        'mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { __typename } }',
        { input: { id, blob: next } },
      );
      if (updateWorkflow.__typename !== 'UpdateWorkflowPayload') throw new Error(JSON.stringify(updateWorkflow));
    },
  };
}

type Saved =
  | { __typename: 'SaveWorkflowDraftPayload'; isMerged: boolean; draft: StoredDraft }
  | { __typename: 'DraftConflict'; version: number; baseRevision: number; base: unknown; theirs: unknown }
  | { __typename: 'ValidationError'; message: string };
