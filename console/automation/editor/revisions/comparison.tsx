import { useMemo } from 'react';
import { useClient } from 'urql';
import type { Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import { ChangeList } from '#console/automation/editor/compare/change-list.tsx';
import { useLead } from '#console/automation/editor/compare/use-lead.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { replaceBy } from '#console/automation/editor/model/replace.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { ComparedCanvas } from './compared-canvas.tsx';
import { compareGraphs } from './compared-elements.ts';
import { RevisionList } from './revision-list.tsx';
import { EditorRevision } from './revisions.documents.ts';
import { revisionWords as w } from './revisions.words.ts';
import { type SideName, useSides } from './use-sides.ts';

interface Props {
  workflow: Workflow;
  editing: Editing;
  compare: (from: SideName, to: SideName) => void;
  close: () => void;
}

/** The revisions of a workflow: two of them, or one and the draft, on the canvas and in words; any of them can become the draft. */
export function Comparison({ workflow, editing, compare, close }: Props) {
  const { graph, triggers, definitions, canEdit, perform, undo } = editing;
  const client = useClient();
  const { from, to } = useSides(workflow, graph);
  const compared = useMemo(
    () => from.graph && to.graph && compareGraphs({ from: from.graph, to: to.graph, triggers, definitions }),
    [from.graph, to.graph, triggers, definitions],
  );
  const lead = useLead({ places: compared?.places ?? new Map(), select: () => undefined });
  const name = (side: SideName) => (side === 'draft' ? w.draft : w.revision(side));
  const label = w.compared(name(from.name), name(to.name));
  const take = async (revision: number) => {
    const { data } = await client.query(EditorRevision, { workflowId: workflow.id, revision }).toPromise();
    const found = data?.workflowRevision;
    if (!found) {
      notify({ kind: 'failed', text: w.notKept });
      return;
    }
    perform(w.taken(revision), replaceBy(readBlob(found.blob)));
    notify({ kind: 'done', text: w.tookOver(revision), action: { label: w.undo, run: undo } });
  };
  const isMissing = from.isMissing || to.isMissing;
  return (
    <>
      <div className="editor-main">{compared && <ComparedCanvas key={label} compared={compared} label={label} />}</div>
      <Panel title={w.revisions} close={close}>
        <div className="panel-body">
          <h3>{label}</h3>
          {isMissing && <p className="refusal">{w.notKept}</p>}
          {!isMissing && !compared && <Skeleton rows={4} />}
          {compared && <ChangeList summary={compared.summary} {...{ definitions, triggers, lead }} />}
          <RevisionList
            workflowId={workflow.id}
            running={workflow.revision}
            compare={compare}
            {...(canEdit && { take: (revision: number) => void take(revision) })}
          />
        </div>
      </Panel>
    </>
  );
}
