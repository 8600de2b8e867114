import { useDeferredValue, useMemo, useState } from 'react';
import { commandWords as w } from '#console/automation/editor/commands.words.ts';
import { find, type Findable } from '#console/automation/editor/model/find.ts';
import { idOf, nodesOf, triggerPath } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Panel } from '#console/ui/panel.tsx';
import { enumWord } from '#console/words/enums.ts';

const shownAtMost = 100;

/** Finds nodes; the graph moves to each that is gone to, and the focus stays in the field. */
export function FindPanel({
  editing,
  reveal,
  close,
}: {
  editing: Editing;
  reveal: (path: string) => void;
  close: () => void;
}) {
  const [text, setText] = useState('');
  const [at, setAt] = useState<number>();
  const { graph, triggers, definitions } = editing;
  const wanted = useDeferredValue(text);
  const found = useMemo(
    () => find(findables({ graph, triggers, definitions }), wanted),
    [graph, triggers, definitions, wanted],
  );
  const go = (to: number) => {
    if (found.length === 0) return;
    const next = (to + found.length) % found.length;
    setAt(next);
    reveal(found[next]?.path ?? '');
  };
  return (
    <Panel title={w.find} close={close}>
      <div className="panel-body">
        <input
          className="input"
          type="search"
          autoFocus
          aria-label={w.findLabel}
          placeholder={w.findLabel}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            const step = event.shiftKey ? -1 : 1;
            go(at === undefined ? Math.min(0, step) : at + step);
          }}
        />
        <p className="quiet" role="status">
          {wanted.trim() === ''
            ? w.findHelp
            : at === undefined
              ? w.findCount(found.length)
              : `${w.findAt(at + 1, found.length)}: ${found[at]?.name}`}
        </p>
        <ul className="editor-palette">
          {found.slice(0, shownAtMost).map(({ path, name, field }, index) => (
            <li key={path}>
              <button
                type="button"
                className="editor-palette-node"
                aria-current={index === at || undefined}
                onClick={() => go(index)}
              >
                <span className="editor-node-name">{name}</span>
                {field !== undefined && <span className="quiet">{w.inField(field)}</span>}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function* findables({
  graph,
  triggers,
  definitions,
}: Pick<Editing, 'graph' | 'triggers' | 'definitions'>): Generator<Findable> {
  for (const { handle, name, type } of triggers)
    yield { path: triggerPath(handle), name, kind: enumWord(type), unit: undefined };
  for (const [path, unit] of nodesOf(graph))
    yield { path, name: idOf(path), kind: definitions.get(unit.node)?.name ?? unit.node, unit };
}
