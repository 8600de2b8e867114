import type { EditorView } from '@codemirror/view';
import { useCallback, useContext, useEffect, useRef, useState } from 'react';
import { expressionWords } from '#console/automation/editor/expressions/expressions.words.ts';
import { insertInto } from '#console/automation/editor/expressions/insert-into.ts';
import { pathKind } from '#console/automation/editor/expressions/scope-tree.tsx';
import { insertPath, withInsertion } from '#console/automation/editor/expressions/template.ts';
import { fromText, hasExpressions, isExpression, toText, type Writing } from './config-value.ts';
import { type Expressed, ExpressionField } from './expression-field.tsx';
import { FieldSwitch, RequiredMark } from './field-head.tsx';
import { FieldNotes } from './field-notes.tsx';
import { type FieldTarget, type Offer, OfferContext } from './field-target.ts';
import { FixedControl } from './fixed-control.tsx';
import { type Field, hasInner } from './nested/field.ts';
import { type ConfigFieldProps, type FormLevels, FormLevelsContext } from './nested/form-levels.ts';
import { isFormable } from './nested/formable.ts';
import { Group } from './nested/group.tsx';
import { NestedBody } from './nested/nested-body.tsx';
import { nestedWords as w } from './nested/nested.words.ts';
import { problemAt } from './nested/places.ts';
import { preview } from './nested/preview.ts';
import { startValue } from './nested/start-value.ts';
import { StructuredField } from './table/structured-field.tsx';

/** The notation of what stands between expressions. */
const expressionWriting: Readonly<Partial<Record<Field['type'], Writing>>> = {
  JSON: 'json',
  LIST: 'json',
  OBJECT: 'json',
  VARIANT: 'json',
};

/** A field of a config: a fixed value, or an expression in its place. */
export function ConfigField(props: ConfigFieldProps) {
  const { field, set, id, path, depth = 0, isDisabled, hasBranches, hidesProblem, acts, children } = props;
  const { required, help, type } = field;
  const label = props.label ?? field.label;
  const { problems } = useContext(FormLevelsContext) as FormLevels;
  const isNested = hasInner(field);
  const isNull = props.value === null && (depth > 0 || isNested) && type !== 'JSON';
  const value = isNull ? undefined : props.value;
  const isBare = type === 'EXPRESSION';
  const textWriting = depth > 0 && (type === 'STRING' || type === 'TEXT') ? 'exact-text' : 'text';
  const writing = expressionWriting[type] ?? textWriting;
  // In a structure, each inner field handles its own expressions.
  const isExpressed = isNested ? isExpression : hasExpressions;
  const isAlways = isBare || isExpressed(value);
  const [expressed, setExpressed] = useState<Expressed | undefined>(isAlways ? {} : undefined);
  if (isAlways && !expressed) setExpressed({});
  const [asJson, setAsJson] = useState(false);
  const view = useRef<EditorView>(null);
  const box = useRef<HTMLDivElement>(null);
  /** The value that the field had before it was switched, for a user who switches back. */
  const other = useRef<unknown>(undefined);
  const express = (text: string, focusAt: number) => {
    if (!isExpressed(value)) other.current = value;
    const read = fromText(text, writing);
    if (!('fault' in read) && read.value !== value) set(read.value);
    setExpressed({ text, focusAt });
  };
  const fix = () => {
    setExpressed(undefined);
    // The inner fields can show a structure unchanged.
    if (isNested && value !== undefined && !isExpressed(value)) return;
    const before = other.current;
    other.current = value;
    set(isExpressed(before) ? undefined : before);
  };
  const target: FieldTarget = {
    insert(inserted, dropped) {
      // A table inserts the path into its focused cell itself.
      if (isDisabled || box.current?.querySelector('.table-field tbody')) return;
      const editor = view.current;
      if (editor) insertInto(editor, { path: inserted, isJson: writing === 'json', isBare }, dropped);
      else {
        const written = textFields.has(type) ? toText(value, writing) : '';
        const input = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input.input, textarea');
        const at = written === '' ? 0 : Math.min(input?.selectionStart ?? written.length, written.length);
        const change = insertPath(
          written,
          { from: at, to: at },
          { path: inserted, isJson: writing === 'json', isBare },
        );
        express(withInsertion(written, change), change.from + change.insert.length);
      }
    },
  };
  const latest = useRef(target);
  useEffect(() => {
    latest.current = target;
  });
  const isForm = isFormable(field, value) && !expressed && !asJson;
  const offer = useContext(OfferContext) as Offer;
  const offerThis = useCallback(
    (hasFocus: boolean) => offer({ insert: (...given) => latest.current.insert(...given) }, hasFocus),
    [offer],
  );
  useEffect(() => {
    if (!isForm) offerThis(false);
  }, [offerThis, isForm]);
  const problem = hidesProblem === true ? undefined : problemAt(problems, path, isForm ? field : undefined);
  const head = (
    <>
      {depth > 0 && type !== 'JSON' && (field.nullable || isNull) && (
        <FieldSwitch
          label={w.noneFor(label)}
          word={w.none}
          isOn={isNull}
          isDisabled={isDisabled}
          change={(isOn) => {
            if (isOn) other.current = value;
            setExpressed(undefined);
            set(isOn ? null : (other.current ?? startValue(field)));
          }}
        />
      )}
      {!isBare && (
        <FieldSwitch
          label={expressionWords.expressionFor(label)}
          word={expressionWords.expression}
          isOn={expressed !== undefined}
          isDisabled={isDisabled}
          change={(isOn) => {
            if (!isOn) return fix();
            const text = startText(value, other.current, writing);
            express(text, text.length);
          }}
        />
      )}
      {isNested && depth === 0 && !expressed && isFormable(field, value) && (
        <button type="button" className="bare nest-view" onClick={() => setAsJson(!asJson)}>
          {asJson ? w.asFields : w.asJson}
        </button>
      )}
      {acts}
    </>
  );
  if (isForm) {
    return (
      <Group
        {...{ id, path, label }}
        note={<RequiredMark isRequired={required} />}
        summary={isNull ? 'null' : preview(value)}
        startsOpen={depth === 0 || props.startsOpen === true}
        acts={head}
      >
        {() => (
          <>
            <FieldNotes {...{ id, help, problem }} />
            {isNull ? (
              <code className="quiet">null</code>
            ) : (
              <NestedBody {...{ field, label, value, set, isDisabled, id, path, depth }} />
            )}
            {children}
          </>
        )}
      </Group>
    );
  }
  const isJsonWithExpressions = isNested && hasExpressions(value);
  const holds = hasBranches === true ? 'branches' : type === 'LIST' ? 'list' : 'json';
  const control =
    expressed || isJsonWithExpressions ? (
      <ExpressionField
        {...{ id, label, value, set, writing, isBare, isDisabled, problem, view }}
        start={expressed ?? {}}
      />
    ) : (
      <FixedControl {...props} {...{ value, isNull, problem, textWriting, express }} />
    );
  return (
    <div
      ref={box}
      className="field"
      data-field={path}
      onFocus={() => offerThis(true)}
      onDragOver={(event) => (event.dataTransfer.types.includes(pathKind) ? event.preventDefault() : undefined)}
      onDropCapture={(event) => {
        const dropped = event.dataTransfer.getData(pathKind);
        // Into a cell the browser puts the text itself.
        if (dropped === '' || (event.target instanceof Element && event.target.closest('.table-field'))) return;
        event.preventDefault();
        event.stopPropagation();
        target.insert(dropped, { x: event.clientX, y: event.clientY });
      }}
    >
      <div className="field-head">
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- a label focuses its field, which an editor is not for browsers */}
        <label className="field-label" id={`${id}-label`} htmlFor={id} onClick={() => view.current?.focus()}>
          {label}
          <RequiredMark isRequired={required} />
        </label>
        <div className="nest-acts">{head}</div>
      </div>
      {writing === 'json' && !isNested ? (
        <StructuredField {...{ id, value, set, isDisabled }} fieldKey={path} holds={holds}>
          {control}
        </StructuredField>
      ) : (
        control
      )}
      <FieldNotes {...{ id, help, problem }} />
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
