import { useParams } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { useContext, useEffect, useState } from 'react';
import { type Client, useQuery } from 'urql';
import { UncachedClient } from '#console/graph/uncached.ts';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { fromAddressId } from '#console/ui/address-id.ts';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Missing } from '#console/ui/screens/detail-page.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import type { Workflow } from './canvas/canvas-elements.ts';
import type { DraftSession } from './draft/draft-session.ts';
import { openDraft, type SavedDraft, storedDraft } from './draft/open-draft.ts';
import { EditorWorkflow } from './editor.documents.ts';
import { Editor } from './editor.tsx';
import { editorWords as w } from './editor.words.ts';

/** Draws, tries and publishes a workflow. */
export function EditorPage({ id }: { id: string }) {
  const workflowId = fromAddressId(id);
  const [{ data, error }, reload] = useQuery({
    query: EditorWorkflow,
    variables: { id: workflowId },
    requestPolicy: 'network-only',
  });
  const [opened, setOpened] = useState<{ workflow: Workflow; session: DraftSession }>();
  const [draft, setDraft] = useState<SavedDraft | null>(null);
  const client = useContext(UncachedClient) as Client;
  const [{ data: viewer }] = useQuery({ query: Viewer });
  const { tenant = '' } = useParams({ strict: false });
  const workflow = data?.workflow;
  useEffect(() => {
    if (!workflow || !viewer) return;
    // The graph of a deleted workflow stays on the screen, so that its reader can still copy from it.
    if (opened && workflow.deletedAt !== null) return;
    setDraft(workflow.draft);
    if (opened) opened.session.receive(storedDraft(workflow));
    else
      setOpened({
        workflow,
        session: openDraft(client, { tenant, user: viewer.me.user?.idpId ?? '', workflow, saved: setDraft }),
      });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the session lives as long as the page
  }, [workflow, viewer === undefined]);
  useEffect(() => () => opened?.session.close(), [opened]);
  if (error && !opened) return <LoadFailed error={error} retry={() => reload({ requestPolicy: 'network-only' })} />;
  if (workflow === null) return <Missing noun="workflows" title={w.workflows} />;
  if (!workflow || !opened) return <Skeleton rows={12} />;
  return (
    <ReactFlowProvider>
      <Editor
        {...{ workflow, draft, session: opened.session }}
        reload={() => reload({ requestPolicy: 'network-only' })}
      />
    </ReactFlowProvider>
  );
}
