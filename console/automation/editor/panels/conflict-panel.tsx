import { useState } from 'react';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import type { Conflict } from '#console/automation/editor/model/merge.ts';
import { Button } from '#console/ui/button.tsx';

const text = (value: unknown): string => (value === undefined ? w.isRemoved : JSON.stringify(value, null, 2));

/** Shows both sides of each conflict of two edits and asks which holds. Nothing is saved until somebody has chosen. */
export function ConflictPanel({ conflicts, session }: { conflicts: readonly Conflict[]; session: DraftSession }) {
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const take = (key: string, isTheirs: boolean) => {
    const next = new Set(theirs);
    if (isTheirs) next.add(key);
    else next.delete(key);
    setTheirs(next);
  };
  return (
    <section className="editor-conflict" role="alertdialog" aria-label={w.conflict}>
      <h2>{w.conflict}</h2>
      <p>{w.conflictHelp(conflicts.length)}</p>
      {conflicts.map(({ key, mine, theirs: other }) => (
        <fieldset key={key} className="editor-conflict-item">
          <legend>{key.replace(/^\w+:/, '')}</legend>
          {[
            { isTheirs: false, label: w.mine, value: mine },
            { isTheirs: true, label: w.theirs, value: other },
          ].map(({ isTheirs, label, value }) => (
            <label key={label} className="editor-conflict-side">
              <span>
                <input
                  type="radio"
                  name={key}
                  checked={theirs.has(key) === isTheirs}
                  onChange={() => take(key, isTheirs)}
                />{' '}
                {label}
              </span>
              <pre>{text(value)}</pre>
            </label>
          ))}
        </fieldset>
      ))}
      <Button kind="main" onPress={() => session.decide((key) => (theirs.has(key) ? 'theirs' : 'mine'))}>
        {w.takeChosen}
      </Button>
    </section>
  );
}
