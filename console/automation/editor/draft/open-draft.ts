import type { Client, CombinedError } from 'urql';
import {
  DraftPins,
  type EditorDraft,
  type EditorWorkflow,
  SaveDraft,
} from '#console/automation/editor/editor.documents.ts';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { DraftSession } from './draft-session.ts';
import { keptDrafts, nothingKept } from './kept-drafts.ts';
import type { DraftToSave, SaveAnswer, StoredDraft } from './stored-draft.ts';

type Workflow = NonNullable<ResultOf<typeof EditorWorkflow>['workflow']>;
export type SavedDraft = ResultOf<typeof EditorDraft>;

/** The draft of a workflow, or its newest revision where it has none. */
export const storedDraft = ({ draft, revision, blob }: Pick<Workflow, 'draft' | 'revision' | 'blob'>): StoredDraft =>
  draft
    ? { version: draft.version, baseRevision: draft.baseRevision, blob: draft.blob, pins: draft.pins }
    : { version: 0, baseRevision: revision, blob, pins: {} };

/** Codes of errors that the same save would meet again. */
const lasting: readonly unknown[] = ['PAYLOAD_TOO_LARGE', 'TENANT_REQUIRED'];

/** What an error of the request means for the draft. */
function unsaved(error: CombinedError | undefined): SaveAnswer {
  const [first] = error?.graphQLErrors ?? [];
  const { code, retryAfter } = first?.extensions ?? {};
  if (first && code === 'FORBIDDEN') return { kind: 'refused', message: editorWords.mayNotSave };
  if (first && lasting.includes(code)) return { kind: 'refused', message: first.message };
  if (code === 'TOO_MANY_ATTEMPTS') return { kind: 'busy', afterMs: Number(retryAfter ?? 1) * 1_000 };
  return { kind: 'unreachable' };
}

interface Opened {
  tenant: string;
  /** Who is signed in. */
  user: string;
  workflow: Workflow;
  /** Called with each draft that the server has stored. */
  saved: (draft: SavedDraft) => void;
}

/**
 * Begins to edit a workflow. The client has no cache: a cache would combine the results of two reads of different versions of a draft, and
 * the page would take the mixture for a draft that somebody else has saved.
 */
export function openDraft(client: Client, { tenant, user, workflow, saved }: Opened): DraftSession {
  const save = async (sent: DraftToSave): Promise<SaveAnswer> => {
    const input = { workflowId: workflow.id, ...sent };
    const { data, error } = await client.mutation(SaveDraft, { input }).toPromise();
    const result = data?.saveWorkflowDraft;
    if (!result) return unsaved(error);
    if (result.__typename === 'SaveWorkflowDraftPayload') {
      saved(result.draft);
      return { kind: 'saved', draft: result.draft, isMerged: result.isMerged };
    }
    if (result.__typename === 'DraftConflict') {
      const { version, baseRevision, base, theirs: blob } = result;
      const stored = { version, baseRevision, blob };
      // The draft is the same, and with it its pins; the workflow has a newer revision.
      if (version === sent.version) return { kind: 'stale', stored, base };
      const { data: read } = await client.query(DraftPins, { id: workflow.id }).toPromise();
      if (!read?.workflow) return { kind: 'unreachable' };
      return { kind: 'stale', stored: { ...stored, pins: read.workflow.draft?.pins ?? {} }, base };
    }
    const faults = 'fields' in result ? result.fields.flatMap(({ messages }) => messages) : [];
    return { kind: 'refused', message: faults.length > 0 ? faults.join(' ') : result.message };
  };
  return new DraftSession(
    storedDraft(workflow),
    save,
    workflow.viewerCan.saveDraft
      ? keptDrafts(() => localStorage, { tenant, workflowId: workflow.id, user })
      : nothingKept,
  );
}
