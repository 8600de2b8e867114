import { useId, useState } from 'react';
import { ChangeList } from '#console/automation/editor/compare/change-list.tsx';
import {
  changedBy,
  type ConflictGroup,
  groupConflicts,
  isRemovedBy,
  type Side,
} from '#console/automation/editor/compare/conflict-groups.ts';
import { FieldChangeView } from '#console/automation/editor/compare/field-change-view.tsx';
import { useLead } from '#console/automation/editor/compare/use-lead.ts';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { idOf, nodeAt } from '#console/automation/editor/model/graph.ts';
import { summarizeChanges } from '#console/automation/editor/model/summary.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Button } from '#console/ui/button.tsx';

/** Shows both sides of each conflict of two edits and asks which holds. Nothing is saved until somebody has chosen. */
export function ConflictPanel({ editing, session }: { editing: Editing; session: DraftSession }) {
  const { state, definitions, graph, triggers } = editing;
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const lead = useLead(editing);
  const groups = groupConflicts(state.conflicts);
  const decide = (takes: (group: string) => Side) => session.decide((key) => takes(key.replace(/^place:/, 'node:')));
  const choose = (key: string, side: Side) => {
    const next = new Set(theirs);
    if (side === 'theirs') next.add(key);
    else next.delete(key);
    setTheirs(next);
  };
  return (
    <section className="editor-conflict" aria-label={w.conflict}>
      <div role="alert">
        <h2>{w.conflict}</h2>
        <p>{w.conflictHelp(groups.length)}</p>
      </div>
      {groups.map((group) => (
        <ConflictSides
          key={group.key}
          group={group}
          definition={definitions.get(nodeAt(graph, group.name)?.node ?? '')}
          side={theirs.has(group.key) ? 'theirs' : 'mine'}
          choose={(side) => choose(group.key, side)}
        />
      ))}
      <div className="panel-actions">
        <Button kind="main" onPress={() => decide((key) => (theirs.has(key) ? 'theirs' : 'mine'))}>
          {w.takeChosen}
        </Button>
        <Button onPress={() => decide(() => 'mine')}>{w.takeMine}</Button>
        <Button onPress={() => decide(() => 'theirs')}>{w.takeTheirs}</Button>
      </div>
      {state.received.length > 0 && (
        <>
          <h3>{w.received}</h3>
          <ChangeList summary={summarizeChanges(state.received)} {...{ definitions, triggers, lead }} />
        </>
      )}
    </section>
  );
}

/** Words for the kinds of conflicts; a conflict of any other kind is called by its name. */
const titles: Readonly<Record<string, (name: string) => string>> = { node: idOf, pin: w.pinnedOf };

interface SidesProps {
  group: ConflictGroup;
  definition: Definition | undefined;
  side: Side;
  choose: (side: Side) => void;
}

/** What each side did to one thing, side by side. Arrow keys go from one to the other. */
function ConflictSides({ group, definition, side, choose }: SidesProps) {
  const id = useId();
  const title = titles[group.kind]?.(group.name) ?? group.name;
  const sides = [
    { each: 'mine', label: w.mine },
    { each: 'theirs', label: w.theirs },
  ] as const;
  return (
    <fieldset className="editor-conflict-item">
      <legend>
        {title} {definition && <span className="quiet">{definition.name}</span>}
      </legend>
      {sides.map(({ each, label }) => (
        <div key={each} className={`editor-conflict-side${side === each ? ' is-chosen' : ''}`}>
          <label>
            <input type="radio" name={id} checked={side === each} onChange={() => choose(each)} /> {label}
          </label>
          {isRemovedBy(group, each) ? (
            <p>{w.isRemoved}</p>
          ) : (
            changedBy(group, each).map((change) => (
              <FieldChangeView key={change.path.join('.')} {...{ change, definition }} />
            ))
          )}
        </div>
      ))}
    </fieldset>
  );
}
