import { Age } from '#console/ui/age.tsx';
import * as format from '#console/ui/formats.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { State } from '#console/ui/state.tsx';
import type { Workflow } from './workflow-flow.tsx';
import { workflowWords as w } from './workflows.words.ts';

interface Problem {
  isError: boolean;
  path: string;
  message: string;
}

const columns: readonly Column<Problem>[] = [
  {
    key: 'severity',
    label: w.severity,
    show: {
      text: ({ isError }) => (isError ? w.error : w.warning),
      draw: ({ isError }) => <State value={isError ? 'ERROR' : 'WARNING'} tone={isError ? 'failed' : 'waiting'} />,
    },
  },
  { key: 'where', label: w.where, show: format.handle((problem) => problem.path) },
  { key: 'problem', label: w.problem, show: format.text((problem) => problem.message) },
];

/** The draft of a workflow: who saved it, and what hinders its publication. */
export function DraftState({ draft }: { draft: NonNullable<Workflow['draft']> }) {
  const { errors, warnings, valid } = draft.validation;
  const problems = [
    ...errors.map((one) => ({ ...one, isError: true })),
    ...warnings.map((one) => ({ ...one, isError: false })),
  ].flatMap(({ isError, path, messages }) => messages.map((message) => ({ isError, path, message })));
  return (
    <>
      <p>
        {w.draftSaved(draft.savedBy ?? '', draft.baseRevision)} · <Age at={draft.savedAt} />
      </p>
      {draft.isBehind && <p>{w.draftBehind}</p>}
      {valid && <p>{w.draftValid}</p>}
      {problems.length > 0 && <Table rows={problems} columns={columns} label={w.draft} />}
    </>
  );
}
