import {
  workflowNoticeKinds,
  workflowsChannel,
  type WorkflowNotice,
} from '#src/automation/workflows/workflow-notices.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive, Superseding } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { EditorPresence } from './workflow-editors.service.ts';

export const workflowChanges = ['current', ...workflowNoticeKinds] as const;

export interface WorkflowChange extends Superseding {
  change: (typeof workflowChanges)[number];
  tenantId: string;
  workflowId: number;
  by: string | null;
  draftVersion: number | null;
  revision: number | null;
  /** ISO 8601. */
  at: string;
}

export interface WorkflowWatchDeps extends Pick<Deps, 'database' | 'live' | 'log'> {
  editors: EditorPresence;
}

const changesOfNotices = new WeakMap<WorkflowNotice, WorkflowChange>();

/** The same object for the same notice, so that its execution is shared. */
function readNotice(notice: WorkflowNotice): WorkflowChange {
  const known = changesOfNotices.get(notice);
  if (known) return known;
  const [tenantId, workflowId, kind, by, number, at] = notice;
  const change: WorkflowChange = {
    change: kind,
    tenantId,
    workflowId,
    by,
    draftVersion: kind.startsWith('draft') ? number : null,
    revision: kind === 'published' ? number : null,
    at: new Date(at).toISOString(),
    supersedes: kind,
  };
  changesOfNotices.set(notice, change);
  return change;
}

/**
 * The workflow as it is, then each change of it, until it is deleted; after a lost connection, the workflow as it is again. With `editor`, that
 * person has the editor open for as long. Throws NotFoundError for a workflow that the tenant does not have.
 */
export async function watchWorkflow(
  deps: WorkflowWatchDeps,
  tenantId: string,
  id: bigint,
  { editor }: { editor: string | null },
): Promise<OpenLive<WorkflowChange>> {
  const workflowId = Number(id);
  const at = () => new Date().toISOString();
  const build = (change: 'current' | 'deleted', draftVersion: number | null, revision: number | null) =>
    ({ change, tenantId, workflowId, by: null, draftVersion, revision, at: at(), supersedes: change }) as const;
  /** The event that says how the workflow is. */
  const read = async (): Promise<WorkflowChange> => {
    const workflow = await deps.database.reader(tenantId).workflow.findFirst({
      where: { tenantId, id, deletedAt: null },
      select: { revision: true, draft: { select: { version: true } } },
    });
    if (!workflow) return build('deleted', null, null);
    return build('current', workflow.draft?.version ?? null, workflow.revision);
  };
  if ((await read()).change === 'deleted') throw new NotFoundError();
  return (sink) => {
    let isClosed = false;
    /** Changes before the first event, which is the workflow as it is: the latest of each kind. */
    let early: Map<WorkflowChange['change'], WorkflowChange> | undefined = new Map();

    function close(): void {
      if (isClosed) return;
      isClosed = true;
      detach();
      closeEditor?.();
      unwatch();
    }

    function pass(change: WorkflowChange): void {
      if (isClosed) return;
      sink.event(change);
      if (change.change !== 'deleted') return;
      close();
      sink.end();
    }

    function receive(notice: WorkflowNotice): void {
      const change = readNotice(notice);
      if (early) early.set(change.change, change);
      else pass(change);
    }

    async function reread(): Promise<void> {
      const now = await readUntilAnswered(
        read,
        () => isClosed,
        (error) => deps.log.warn({ err: error }, 'a watched workflow could not be read'),
      );
      if (now === undefined) return;
      pass(now);
      const waiting = [...(early?.values() ?? [])];
      early = undefined;
      waiting.forEach(pass);
    }

    const detach = deps.live.subscribe(workflowsChannel, `${tenantId}/${workflowId}`, {
      onEntry: receive,
      onResync: (hasMissed) => void (hasMissed && reread()),
    });
    const unwatch = deps.editors.watch(tenantId);
    const closeEditor = editor === null ? undefined : deps.editors.open(tenantId, workflowId, editor);
    // Otherwise it is read as soon as changes are heard.
    if (deps.live.isListening(workflowsChannel)) void reread();
    return { close };
  };
}
