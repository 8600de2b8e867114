import type { FieldChange } from '#console/automation/editor/model/summary.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import { compareWords as w } from './compare.words.ts';
import { fieldName, valueText } from './summary-text.ts';
import { textParts } from './text-parts.ts';

/** A value before and after; what differs within a text is marked. */
export function FieldChangeView({ change, definition }: { change: FieldChange; definition: Definition | undefined }) {
  const { from, to } = change;
  const [before, after] = [valueText(from), valueText(to)];
  const isText = from !== undefined && to !== undefined;
  const { start, end, ...middle } = isText ? textParts(before, after) : { start: '', before, after, end: '' };
  return (
    <div className="change-field">
      <span className="field-label">{fieldName(change, definition)}</span>
      {from !== undefined && (
        <del>
          <span className="sr-only">{w.before}: </span>
          {start}
          <mark>{middle.before}</mark>
          {end}
        </del>
      )}
      <ins className={to === undefined ? 'is-nothing' : ''}>
        <span className="sr-only">{w.after}: </span>
        {start}
        <mark>{middle.after}</mark>
        {end}
      </ins>
    </div>
  );
}
