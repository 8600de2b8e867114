import { useEffect, useState } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { canConnect, connect } from '#console/automation/editor/model/commands.ts';
import { edgesOf, idOf, nodeAt, nodesOf, triggerPath } from '#console/automation/editor/model/graph.ts';
import { branchesOf } from '#console/automation/editor/node-shape.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Panel } from '#console/ui/panel.tsx';

interface Props {
  editing: Editing;
  from: string;
  /** Brings a node into view. */
  point: (path: string | undefined) => void;
  close: () => void;
}

/** Draws an edge without a mouse: the branch that it leaves along, and the nodes that fit. */
export function ConnectPanel({ editing, from, point, close }: Props) {
  const { graph, triggers, definitions, perform } = editing;
  const unit = nodeAt(graph, from);
  const branches = unit ? branchesOf(unit, definitions.get(unit.node)) : ['default'];
  const [branch, setBranch] = useState(branches[0] ?? 'default');
  const drawn = new Set(
    edgesOf(graph)
      .filter((edge) => edge.from === from && edge.branch === branch)
      .map(({ to }) => to),
  );
  const kindOf = (path: string) => {
    const slug = nodeAt(graph, path)?.node ?? '';
    return definitions.get(slug)?.name ?? slug;
  };
  const fitting = [...nodesOf(graph).keys()].filter((to) => !drawn.has(to) && canConnect(graph, { from, to }));
  useEffect(() => () => point(undefined), [point]);
  const name = triggers.find(({ handle }) => triggerPath(handle) === from)?.name ?? idOf(from);
  return (
    <Panel title={w.connectFrom(name)} close={close}>
      <div className="panel-body">
        {branches.length > 1 && (
          <div className="field" role="radiogroup" aria-label={w.branch}>
            {branches.map((each) => (
              <label key={each}>
                <input type="radio" name="branch" checked={each === branch} onChange={() => setBranch(each)} /> {each}
              </label>
            ))}
          </div>
        )}
        {fitting.length === 0 && <p className="quiet">{w.nothingFits}</p>}
        <ul className="editor-palette">
          {fitting.map((to) => (
            <li key={to}>
              <button
                type="button"
                className="editor-palette-node"
                onFocus={() => point(to)}
                onClick={() => {
                  perform(w.connected, connect({ from, branch, to }));
                  close();
                }}
              >
                <span className="editor-node-name">{idOf(to)}</span>
                <span className="quiet">{kindOf(to)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}
