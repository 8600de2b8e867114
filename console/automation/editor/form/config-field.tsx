import type { EditorView } from '@codemirror/view';
import { useCallback, useContext, useEffect, useRef, useState } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { expressionWords } from '#console/automation/editor/expressions/expressions.words.ts';
import { insertInto } from '#console/automation/editor/expressions/insert-into.ts';
import { pathKind } from '#console/automation/editor/expressions/scope-tree.tsx';
import { insertPath, withInsertion } from '#console/automation/editor/expressions/template.ts';
import { HelpText } from '#console/ui/help-text.tsx';
import { fromText, hasExpressions, toText, type Writing } from './config-value.ts';
import { ExpressionField, type Expressed } from './expression-field.tsx';
import { type FieldTarget, type FormData, FormDataContext } from './field-target.ts';
import { type ConfigFieldProps as Props, type Field, FixedControl } from './fixed-control.tsx';
import { StructuredField } from './table/structured-field.tsx';

/** The notation of what stands between expressions. */
const expressionWriting: Readonly<Partial<Record<Field['type'], Writing>>> = {
  JSON: 'json',
  LIST: 'json',
  OBJECT: 'json',
  VARIANT: 'json',
};

/** A field of a config: a fixed value, or an expression in its place. */
export function ConfigField(props: Props) {
  const { field, value, set, problem, id, isDisabled, hasBranches, children } = props;
  const { label, required, help, key, type } = field;
  const isBare = type === 'EXPRESSION';
  const writing = expressionWriting[type] ?? 'text';
  const isAlways = isBare || hasExpressions(value);
  const [expressed, setExpressed] = useState<Expressed | undefined>(isAlways ? {} : undefined);
  if (isAlways && !expressed) setExpressed({});
  const view = useRef<EditorView>(null);
  const box = useRef<HTMLDivElement>(null);
  /** The value that the field had before it was switched, for a user who switches back. */
  const other = useRef<unknown>(undefined);
  const express = (text: string, focusAt: number) => {
    if (!hasExpressions(value)) other.current = value;
    const read = fromText(text, writing);
    if (!('fault' in read) && read.value !== value) set(read.value);
    setExpressed({ text, focusAt });
  };
  const fix = () => {
    const before = other.current;
    other.current = value;
    set(hasExpressions(before) ? undefined : before);
    setExpressed(undefined);
  };
  const target: FieldTarget = {
    insert(path, dropped) {
      // A table inserts the path into its focused cell itself.
      if (isDisabled || box.current?.querySelector('.table-field tbody')) return;
      const editor = view.current;
      if (editor) insertInto(editor, { path, isJson: writing === 'json', isBare }, dropped);
      else {
        const written = textFields.has(type) ? toText(value, writing) : '';
        const input = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input.input, textarea');
        const at = written === '' ? 0 : Math.min(input?.selectionStart ?? written.length, written.length);
        const change = insertPath(written, { from: at, to: at }, { path, isJson: writing === 'json', isBare });
        express(withInsertion(written, change), change.from + change.insert.length);
      }
    },
  };
  const latest = useRef(target);
  useEffect(() => {
    latest.current = target;
  });
  const { offer } = useContext(FormDataContext) as FormData;
  const offerThis = useCallback(
    (hasFocus: boolean) => offer({ insert: (...given) => latest.current.insert(...given) }, hasFocus),
    [offer],
  );
  useEffect(() => offerThis(false), [offerThis]);
  const holds = hasBranches ? 'branches' : type === 'LIST' ? 'list' : 'json';
  const control = expressed ? (
    <ExpressionField {...{ id, label, value, set, writing, isBare, isDisabled, problem, view }} start={expressed} />
  ) : (
    <FixedControl {...props} express={express} />
  );
  return (
    <div
      ref={box}
      className="field"
      data-field={key}
      onFocus={() => offerThis(true)}
      onDragOver={(event) => (event.dataTransfer.types.includes(pathKind) ? event.preventDefault() : undefined)}
      onDropCapture={(event) => {
        const path = event.dataTransfer.getData(pathKind);
        // Into a cell the browser puts the text itself.
        if (path === '' || (event.target instanceof Element && event.target.closest('.table-field'))) return;
        event.preventDefault();
        event.stopPropagation();
        target.insert(path, { x: event.clientX, y: event.clientY });
      }}
    >
      <div className="field-head">
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- a label focuses its field, which an editor is not for browsers */}
        <label className="field-label" id={`${id}-label`} htmlFor={id} onClick={() => view.current?.focus()}>
          {label}
          {required && <span className="quiet"> {w.required}</span>}
        </label>
        {!isBare && (
          <label className="field-switch">
            <input
              type="checkbox"
              role="switch"
              aria-label={expressionWords.expressionFor(label)}
              disabled={isDisabled}
              checked={expressed !== undefined}
              aria-checked={expressed !== undefined}
              onChange={(event) => {
                if (!event.target.checked) return fix();
                const text = startText(value, other.current, writing);
                express(text, text.length);
              }}
            />{' '}
            {expressionWords.expression}
          </label>
        )}
      </div>
      {writing === 'json' ? (
        <StructuredField {...{ id, value, set, isDisabled }} fieldKey={key} holds={holds}>
          {control}
        </StructuredField>
      ) : (
        control
      )}
      {help && (
        <p className="field-help" id={`${id}-help`}>
          <HelpText text={help} />
        </p>
      )}
      {problem && (
        <p className="field-error" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {children}
    </div>
  );
}

/** The text of an expression: the one that was there before, else the fixed value. */
function startText(value: unknown, before: unknown, writing: Writing): string {
  if (hasExpressions(before)) return toText(before, writing);
  return writing === 'json' || typeof value === 'string' || value === undefined
    ? toText(value, writing)
    : `{{ ${JSON.stringify(value)} }}`;
}

/** Fields whose fixed value is text to which an expression can be added. */
const textFields: ReadonlySet<Field['type']> = new Set(['STRING', 'TEXT', 'JSON', 'LIST', 'OBJECT', 'VARIANT']);
