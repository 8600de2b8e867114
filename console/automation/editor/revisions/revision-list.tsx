import { useState } from 'react';
import { useQuery } from 'urql';
import { Age } from '#console/ui/age.tsx';
import { Button } from '#console/ui/button.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { EditorRevisions } from './revisions.documents.ts';
import { revisionWords as w } from './revisions.words.ts';
import type { SideName } from './use-sides.ts';

interface Props {
  workflowId: string;
  /** The one that runs. */
  running: number;
  compare: (from: SideName, to: SideName) => void;
  /** Absent for those who may only look. */
  take?: (revision: number) => void;
}

/** The revisions, newest first: who made each, when and why, and what can be done with it. */
export function RevisionList({ workflowId, running, compare, take }: Props) {
  const [after, setAfter] = useState<string | null>(null);
  const [{ data }] = useQuery({
    query: EditorRevisions,
    variables: { id: workflowId, after },
    requestPolicy: 'cache-and-network',
  });
  const page = data?.workflow?.revisions;
  if (!page) return <Skeleton rows={4} />;
  return (
    <>
      <ul className="revisions">
        {page.edges.map(({ node: { id, revision, note, createdBy, createdAt } }) => (
          <li key={id}>
            <p>
              <strong>{w.revision(revision)}</strong>{' '}
              {revision === running && <span className="quiet">({w.runs})</span>}
            </p>
            {note !== null && <p>{note}</p>}
            <p className="quiet">
              {createdBy === null ? w.bySystem : w.by(createdBy)}, <Age at={createdAt} />
            </p>
            <div className="revision-actions" role="group" aria-label={w.revision(revision)}>
              <Button onPress={() => compare(revision, 'draft')}>{w.withDraft}</Button>
              {revision > 1 && <Button onPress={() => compare(revision - 1, revision)}>{w.withPrevious}</Button>}
              {take && <Button onPress={() => take(revision)}>{w.take}</Button>}
            </div>
          </li>
        ))}
      </ul>
      <div className="panel-actions">
        {after !== null && <Button onPress={() => setAfter(null)}>{w.newest}</Button>}
        {page.pageInfo.hasNextPage && <Button onPress={() => setAfter(page.pageInfo.endCursor)}>{w.older}</Button>}
      </div>
    </>
  );
}
