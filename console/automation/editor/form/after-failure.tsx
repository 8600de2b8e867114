import { useId } from 'react';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import { edit } from '#console/automation/editor/model/commands.ts';
import { idOf, isObject, type NodeUnit } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { formWords as w } from './form.words.ts';

const onErrors = ['fail', 'continue', 'branch'] as const;
const onErrorWords = { fail: editorWords.fail, continue: editorWords.continue, branch: editorWords.branchOnError };

const mostRetries = 100;
const firstDelayMs = 1_000;

/** How often a failed attempt of a node is tried again, and what follows once all have failed. */
export function AfterFailure({ path, unit, editing }: { path: string; unit: NodeUnit; editing: Editing }) {
  const { perform, canEdit } = editing;
  const id = useId();
  const retry = isObject(unit['retry']) ? unit['retry'] : undefined;
  const limit = Number(retry?.['limit'] ?? 0);
  const change = (members: Readonly<Record<string, unknown>>, kind?: string) =>
    perform(editorWords.changed(idOf(path)), edit(path, members), kind && `${path}.${kind}`);
  return (
    <fieldset className="field-group">
      <legend>{editorWords.onError}</legend>
      <div className="field">
        <label className="field-label" htmlFor={`${id}-retry`}>
          {w.retries}
        </label>
        <input
          id={`${id}-retry`}
          className="input"
          type="number"
          min={0}
          max={mostRetries}
          disabled={!canEdit}
          aria-describedby={`${id}-retry-help`}
          value={limit}
          onChange={({ target }) => {
            const next = Math.min(Math.max(0, Math.trunc(Number(target.value))), mostRetries);
            change({ retry: next === 0 ? undefined : { ...retry, limit: next } }, 'retry');
          }}
        />
        <p className="field-help" id={`${id}-retry-help`}>
          {w.retriesHelp}
        </p>
      </div>
      {limit > 0 && (
        <div className="field">
          <label className="field-label" htmlFor={`${id}-delay`}>
            {w.retryDelay}
          </label>
          <input
            id={`${id}-delay`}
            className="input"
            type="number"
            min={0}
            disabled={!canEdit}
            aria-describedby={`${id}-delay-help`}
            value={Number(retry?.['delay_ms'] ?? firstDelayMs)}
            onChange={({ target }) =>
              change({ retry: { ...retry, delay_ms: Math.max(0, Math.trunc(Number(target.value))) } }, 'retry')
            }
          />
          <p className="field-help" id={`${id}-delay-help`}>
            {retry?.['backoff'] === 'fixed' ? w.retryFixed : w.retryDoubled}
          </p>
        </div>
      )}
      <div className="field">
        <label className="field-label" htmlFor={`${id}-error`}>
          {w.atLast}
        </label>
        <select
          id={`${id}-error`}
          className="input"
          disabled={!canEdit}
          value={typeof unit['on_error'] === 'string' ? unit['on_error'] : 'fail'}
          onChange={(event) => change({ on_error: event.target.value })}
        >
          {onErrors.map((policy) => (
            <option key={policy} value={policy}>
              {onErrorWords[policy]}
            </option>
          ))}
        </select>
      </div>
    </fieldset>
  );
}
