import { useEffect, useRef, useState } from 'react';
import { useSubscription } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import type { Workflow } from './canvas/canvas-elements.ts';
import type { DraftSession } from './draft/draft-session.ts';
import { WorkflowFollowed } from './editor.documents.ts';

type Update = ResultOf<typeof WorkflowFollowed>['workflowUpdated'];

interface Follower {
  session: DraftSession;
  /** Reads the workflow again. */
  reload: () => void;
  published: (update: Update) => void;
  discarded: (by: string | null) => void;
}

/** Follows what others do to the workflow, and reads it again where the page has not seen it yet. Returns who edits it. */
export function useFollowed(
  workflow: Workflow,
  { session, reload, published, discarded }: Follower,
): readonly string[] {
  const { id, revision } = workflow;
  const [editors, setEditors] = useState<readonly string[]>([]);
  const discardedBy = useRef<string | null>(null);
  const before = useRef(workflow);
  const follow = async (update: Update) => {
    // A save of our own is announced before it is answered.
    if (update.change === 'DRAFT_SAVED') await untilAnswered(session);
    if (isKnown(update, { version: session.state().version, revision })) return;
    if (update.change === 'DRAFT_DISCARDED') discardedBy.current = update.by;
    reload();
  };
  // Told by what was read, not by the event: a draft that is discarded before the first event has none of its own. An effect of this
  // component runs before the page's, which hands the workflow to the session.
  useEffect(() => {
    const isSameRevision = before.current.revision === workflow.revision;
    // A publication is answered with the number of its revision alone, so that number is read before the draft is read to be gone.
    if (!workflow.draft || workflow.draft.version !== before.current.draft?.version) before.current = workflow;
    if (workflow.draft || session.state().version === 0 || !isSameRevision) return;
    discarded(discardedBy.current);
    discardedBy.current = null;
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- runs once per read of the workflow; `discarded` is a new function on every render
  }, [workflow]);
  useSubscription({ query: WorkflowFollowed, variables: { id } }, (_, event) => {
    const update = event.workflowUpdated;
    setEditors(update.editors.map(({ name }) => name));
    void follow(update);
    // The first event, and that after a lost connection, tell of a publication that no event told of.
    if (update.change === 'PUBLISHED' || update.change === 'CURRENT') published(update);
    return event;
  });
  return editors;
}

/** Whether the page has what an event tells of: the draft with version 0 is none. */
function isKnown({ change, draftVersion, revision }: Update, page: { version: number; revision: number }): boolean {
  if (change === 'EDITORS' || change === 'BUNDLE') return true;
  if (change === 'CURRENT') return (draftVersion ?? 0) === page.version && revision === page.revision;
  if (change === 'DRAFT_DISCARDED') return page.version === 0;
  return change === 'DRAFT_SAVED' && (draftVersion ?? 0) <= page.version;
}

/** Waits while a save is on its way. */
const untilAnswered = (session: DraftSession) =>
  new Promise<void>((done) => {
    const look = () => {
      if (session.state().saving === 'saving') return;
      leave();
      done();
    };
    const leave = session.subscribe(look);
    look();
  });
