import type { ReactNode } from 'react';
import { idOf, isTrigger } from '#console/automation/editor/model/graph.ts';
import { type ChangeKind, isEmpty, type NodeChange, type Summary } from '#console/automation/editor/model/summary.ts';
import type { Definitions } from '#console/automation/editor/node-shape.ts';
import { compareWords as w } from './compare.words.ts';
import { FieldChangeView } from './field-change-view.tsx';
import { endName, startName, type TriggerNames } from './summary-text.ts';

interface Props {
  summary: Summary;
  definitions: Definitions;
  triggers: TriggerNames;
  /** What shows a node or a trigger; nothing where it is not drawn. */
  lead: Lead;
}

export type Lead = (path: string) => (() => void) | undefined;

/** The difference of two graphs: a line for each node, edge and setting. A line leads to its node. */
export function ChangeList({ summary, definitions, triggers, lead }: Props) {
  const { nodes, edges, members, notes, moved } = summary;
  if (isEmpty(summary)) return <p className="quiet">{w.none}</p>;
  return (
    <ul className="changes" aria-label={w.differences}>
      {nodes.map((change) => (
        <NodeLine key={change.path} {...{ change, definitions, lead }} />
      ))}
      {edges.map(({ kind, edge }) => (
        <Line key={`${edge.from}.${edge.branch}>${edge.to}`} kind={kind}>
          <Name path={edge.to} lead={lead}>
            {(kind === 'added' ? w.edgeAdded : w.edgeRemoved)(startName(edge, triggers), endName(edge.to, triggers))}
          </Name>
        </Line>
      ))}
      {members.map((change) => (
        <Line key={change.path.join('.')} kind="changed">
          <FieldChangeView change={change} definition={undefined} />
        </Line>
      ))}
      {moved.length > 0 && (
        <Line kind="changed">
          <Name path={moved.find((path) => !isTrigger(path)) ?? ''} lead={lead}>
            {w.moved(moved.length)}
          </Name>
        </Line>
      )}
      {notes > 0 && <Line kind="changed">{w.notes(notes)}</Line>}
    </ul>
  );
}

/** The sign of a change beside its colour. */
const signs: Readonly<Record<ChangeKind, string>> = { added: '+', removed: '−', changed: '~' };

const Line = ({ kind, children }: { kind: ChangeKind; children: ReactNode }) => (
  <li className={`change is-${kind}`}>
    <span className="change-sign" aria-hidden>
      {signs[kind]}
    </span>
    <div>{children}</div>
  </li>
);

/** A node that is on both sides, with its values that differ; or one that is on one side alone. */
function NodeLine({ change, definitions, lead }: Omit<Props, 'summary' | 'triggers'> & { change: NodeChange }) {
  const { kind, path, was, slug, fields } = change;
  const definition = definitions.get(slug);
  return (
    <Line kind={kind}>
      <p>
        <Name path={path} lead={lead}>
          {idOf(path)}
        </Name>{' '}
        <span className="quiet">
          {definition?.name ?? slug} · {was === undefined ? w[kind] : w.renamed(idOf(was))}
        </span>
      </p>
      {kind === 'changed' &&
        fields.map((field) => <FieldChangeView key={field.path.join('.')} change={field} definition={definition} />)}
    </Line>
  );
}

function Name({ path, lead, children }: { path: string; lead: Lead; children: ReactNode }) {
  const show = lead(path);
  if (!show) return <span className="change-name">{children}</span>;
  return (
    <button type="button" className="bare change-name" onClick={show}>
      {children}
    </button>
  );
}
