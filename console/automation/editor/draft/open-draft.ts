import type { Client } from 'urql';
import { type EditorDraft, type EditorWorkflow, SaveDraft } from '#console/automation/editor/editor.documents.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { DraftSession } from './draft-session.ts';
import { keptDrafts } from './kept-drafts.ts';
import type { SaveAnswer, StoredDraft } from './stored-draft.ts';

type Workflow = NonNullable<ResultOf<typeof EditorWorkflow>['workflow']>;
type Draft = ResultOf<typeof EditorDraft>;

/** The draft of a workflow, or its newest revision where it has none. */
export const storedDraft = ({ draft, revision, blob }: Pick<Workflow, 'draft' | 'revision' | 'blob'>): StoredDraft =>
  draft
    ? { version: draft.version, baseRevision: draft.baseRevision, blob: draft.blob }
    : { version: 0, baseRevision: revision, blob };

/** Begins to edit a workflow; `saved` is told of each draft that the server has stored. */
export function openDraft(
  client: Client,
  { tenant, workflow, saved }: { tenant: string; workflow: Workflow; saved: (draft: Draft) => void },
): DraftSession {
  const save = async ({ version, baseRevision, blob }: StoredDraft): Promise<SaveAnswer> => {
    const input = { workflowId: workflow.id, version, baseRevision, blob };
    const { data } = await client.mutation(SaveDraft, { input }).toPromise();
    const result = data?.saveWorkflowDraft;
    if (!result) return { kind: 'unreachable' };
    if (result.__typename === 'SaveWorkflowDraftPayload') {
      saved(result.draft);
      return { kind: 'saved', draft: result.draft, isMerged: result.isMerged };
    }
    if (result.__typename === 'DraftConflict') {
      const { base, theirs } = result;
      return {
        kind: 'stale',
        stored: { version: result.version, baseRevision: result.baseRevision, blob: theirs },
        base,
      };
    }
    return { kind: 'refused', message: result.message };
  };
  return new DraftSession(
    storedDraft(workflow),
    save,
    keptDrafts(() => localStorage, tenant, workflow.id),
  );
}
