import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import type { Column } from '#console/ui/screens/screen.ts';
import { Table } from '#console/ui/screens/table.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { BlobOfRevision, DifferenceOfRevisions } from './workflow-lists.documents.ts';
import { workflowWords as w } from './workflows.words.ts';

type Diff = NonNullable<ResultOf<typeof DifferenceOfRevisions>['workflowDiff']>;
type View = 'text' | 'json' | 'whole';
const views: readonly [View, string][] = [
  ['text', w.asText],
  ['json', w.asJson],
  ['whole', w.wholeRevision],
];

/** Compares two revisions, which the address names: `?compare=3-5`, and how they are shown. */
export function Difference({ workflowId, latest }: { workflowId: string; latest: number }) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [from = Math.max(1, latest - 1), to = latest] = address['compare']?.split('-').map(Number) ?? [];
  const view = (address['view'] ?? 'text') as View;
  const set = (changes: Record<string, string>) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace: true });
  const choose = (label: string, value: number, compare: (revision: string) => string) => (
    <label className="compare-field">
      {label}
      <input
        className="input"
        type="number"
        min={1}
        max={latest}
        value={value}
        onChange={(event) => set({ compare: compare(event.target.value) })}
      />
    </label>
  );
  return (
    <>
      <div className="compare">
        {choose(w.from, from, (revision) => `${revision}-${to}`)}
        {choose(w.to, to, (revision) => `${from}-${revision}`)}
        <fieldset className="compare-views">
          {views.map(([name, label]) => (
            <label key={name}>
              <input type="radio" name="view" checked={view === name} onChange={() => set({ view: name })} />
              {label}
            </label>
          ))}
        </fieldset>
      </div>
      {view === 'whole' ? (
        <WholeRevision {...{ workflowId }} revision={to} />
      ) : (
        <Changes {...{ workflowId, from, to }} isJson={view === 'json'} />
      )}
    </>
  );
}

function WholeRevision(variables: { workflowId: string; revision: number }) {
  const [{ data, fetching }] = useQuery({ query: BlobOfRevision, variables });
  if (fetching && !data) return <Skeleton rows={4} />;
  if (!data?.workflowRevision) return <p className="quiet">{w.noRevision}</p>;
  return <JsonTree value={data.workflowRevision.blob} />;
}

function Changes({ isJson, ...variables }: { workflowId: string; from: number; to: number; isJson: boolean }) {
  const [{ data, fetching }] = useQuery({ query: DifferenceOfRevisions, variables });
  if (fetching && !data) return <Skeleton rows={4} />;
  const diff = data?.workflowDiff;
  if (!diff) return <p className="quiet">{w.noRevision}</p>;
  if (isJson) return <JsonTree value={diff} />;
  return (
    <>
      {diff.summary.length === 0 && <p className="quiet">{w.noDifference}</p>}
      <ul className="plain-list">
        {diff.summary.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {diff.truncated && <p className="quiet">{w.truncated}</p>}
      {changesOf(diff).length > 0 && <Table rows={changesOf(diff)} columns={columns} label={w.difference} />}
    </>
  );
}

interface Change {
  path: string;
  from: unknown;
  to: unknown;
}

const changesOf = ({ nodes, settings, state }: Diff): Change[] => [
  ...nodes.changed.flatMap(({ id, changes }) => changes.map((change) => ({ ...change, path: `${id}.${change.path}` }))),
  ...settings,
  ...state,
];

const shown = (value: unknown) => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2));

const columns: readonly Column<Change>[] = [
  { key: 'path', label: w.path, show: format.handle((change) => change.path) },
  {
    key: 'before',
    label: w.before,
    show: { text: ({ from }) => shown(from), draw: ({ from }) => <pre>{shown(from)}</pre> },
  },
  { key: 'after', label: w.after, show: { text: ({ to }) => shown(to), draw: ({ to }) => <pre>{shown(to)}</pre> } },
];
