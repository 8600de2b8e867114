import { useMemo, useState } from 'react';
import { useClient } from 'urql';
import { commandWords as w } from '#console/automation/editor/commands.words.ts';
import { CreateSubWorkflow } from '#console/automation/editor/editor.documents.ts';
import { freeId } from '#console/automation/editor/model/commands.ts';
import { extract, subWorkflow } from '#console/automation/editor/model/extract.ts';
import type { Obstacle } from '#console/automation/editor/model/extracted-reads.ts';
import { idOf, joinPath, loopOf, nodeAt } from '#console/automation/editor/model/graph.ts';
import { branchesOf } from '#console/automation/editor/node-shape.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';

/** Makes a workflow of the selected nodes, and a node that runs it in their place; or says what stands in the way. */
export function ExtractPanel({ editing, close }: { editing: Editing; close: () => void }) {
  const client = useClient();
  const { graph, selected, definitions, perform, select } = editing;
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const steps = useMemo(() => [...selected].filter((path) => nodeAt(graph, path)), [graph, selected]);
  const loop = loopOf(steps[0] ?? '');
  const target = joinPath(loop, freeId(graph, loop, subWorkflow));
  const result = useMemo(
    () => extract(graph, steps, target, (unit) => branchesOf(unit, definitions.get(unit.node))),
    [graph, steps, target, definitions],
  );
  if ('obstacles' in result) {
    return (
      <Panel title={w.extract} close={close}>
        <div className="panel-body">
          <p role="alert">{w.cannot}</p>
          <ul className="editor-obstacles">
            {result.obstacles.map((obstacle, index) => (
              <li key={index}>{sentence(obstacle)}</li>
            ))}
          </ul>
        </div>
      </Panel>
    );
  }
  const make = async () => {
    setBusy(true);
    const made = await mutate(client, CreateSubWorkflow, { name, blob: result.blob });
    setBusy(false);
    if (made.refusal) {
      setRefusal([made.refusal.message, ...Object.values(made.refusal.fields)].join(' '));
      return;
    }
    const { databaseId } = made.payload['workflow'] as { databaseId: string };
    perform(w.extracted, result.replace(Number(databaseId)));
    select(new Set([target]));
    notify({ kind: 'done', text: w.made });
    close();
  };
  const payload = Object.entries(result.payload);
  return (
    <Panel title={w.extract} close={close}>
      <form
        className="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <p>{w.extractHelp(steps.length)}</p>
        {refusal && (
          <p className="refusal" role="alert">
            {refusal}
          </p>
        )}
        <label className="field">
          <span className="field-label">{w.name}</span>
          <input
            className="input"
            autoFocus
            required
            maxLength={191}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        {payload.length > 0 && (
          <div>
            <p className="quiet">{w.reads}</p>
            <dl className="editor-payload">
              {payload.map(([member, expression]) => (
                <div key={member}>
                  <dt>{member}</dt>
                  <dd>
                    <code>{expression}</code>
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        )}
        <div className="panel-actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {w.extract}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

const sentence = (obstacle: Obstacle): string =>
  obstacle.kind === 'expression'
    ? w.expression(idOf(obstacle.path), obstacle.field, obstacle.source)
    : w[obstacle.kind](idOf(obstacle.path));
