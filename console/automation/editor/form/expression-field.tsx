import type { EditorView } from '@codemirror/view';
import { type RefObject, useContext, useMemo } from 'react';
import { ExpressionEditor } from '#console/automation/editor/expressions/expression-editor.tsx';
import { expressionWords as w } from '#console/automation/editor/expressions/expressions.words.ts';
import { nodeWithoutData } from '#console/automation/editor/expressions/scope-rows.ts';
import { expressionPieces, faultRange, withValues } from '#console/automation/editor/expressions/template.ts';
import { useEvaluated } from '#console/automation/editor/expressions/use-evaluated.ts';
import { useLater } from '#console/ui/use-later.ts';
import type { Writing } from './config-value.ts';
import { type FormData, FormDataContext } from './field-target.ts';
import { TextFault } from './text-fault.tsx';
import { useFieldText } from './use-field-text.ts';

interface Props {
  id: string;
  label: string;
  value: unknown;
  set: (value: unknown) => void;
  writing: Writing;
  /** Whether it is an expression without braces. */
  isBare: boolean;
  isDisabled: boolean;
  problem: string | undefined;
  start: Expressed;
  view: RefObject<EditorView | null>;
}

/** How a field became an expression: with a text that may not be a value yet, and the cursor in it. */
export interface Expressed {
  text?: string;
  focusAt?: number;
}

/** A field that holds an expression, with what that yields in the sample. */
export function ExpressionField(props: Props) {
  const { id, label, value, set, writing, isBare, isDisabled, problem, start, view } = props;
  const form = useContext(FormDataContext) as FormData;
  const { text, fault, write } = useFieldText(value, writing, set, start.text);
  const isJson = writing === 'json';
  const pieces = useMemo(() => expressionPieces(text, { isJson, isBare }), [text, isJson, isBare]);
  const results = useEvaluated(
    form.data.evaluator,
    id,
    pieces.map((piece) => piece.text),
  );
  const broken = results.findIndex((result) => result?.kind === 'fault');
  const failed = results[broken];
  const faults = useMemo(
    () =>
      pieces.flatMap((piece, index) => {
        const result = results[index];
        return result?.kind === 'fault' ? [faultRange(text, piece, result.position)] : [];
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- results change with the evaluator's answers, which are texts
    [text, pieces, JSON.stringify(results)],
  );
  const values = results.map((result) =>
    result?.kind === 'value' ? result.text : result?.kind === 'nothing' ? '–' : undefined,
  );
  const isNothing = results.length === 1 && results[0]?.kind === 'nothing' && !pieces[0]?.isString;
  const unread = isNothing ? nodeWithoutData(text, form.data.entries) : undefined;
  const shown = unread !== undefined ? w.notYet(unread) : isNothing ? w.nothing : withValues(text, pieces, values);
  const note = pieces.length === 0 ? undefined : noteFor(text, form);
  const message = failed?.kind === 'fault' ? failed.message : undefined;
  const isSaid = message !== undefined && problem?.includes(message) === true;
  return (
    <>
      <ExpressionEditor
        {...{ id, text, isBare, isDisabled, faults, view }}
        focusAt={start.focusAt}
        change={write}
        isInvalid={message !== undefined || fault !== undefined || problem !== undefined}
        completed={form.data}
      />
      <TextFault {...{ text, fault }} mend={write} />
      {pieces.length > 0 && (
        <ValueLine
          id={`${id}-value`}
          {...{ label, message, isSaid, note }}
          value={note === w.ofLoop ? undefined : shown}
        />
      )}
    </>
  );
}

/** Why a value differs from that of the next run. */
function noteFor(text: string, { data, item, pinned }: FormData): string | undefined {
  if (item && /\b(?:item|index)\b/.test(text)) return data.hasRun ? w.ofItem(item.loop, item.number) : w.ofLoop;
  const isPinned = [...pinned].some((id) => new RegExp(`\\bnodes(?:\\.${id}\\b|\\[.${id}.\\])`).test(text));
  return isPinned ? w.ofPin : undefined;
}

/** Milliseconds after which a value is read out, so that not every key is. */
const readOutMs = 1_000;

function ValueLine({
  id,
  label,
  value,
  message,
  isSaid,
  note,
}: {
  id: string;
  label: string;
  value: string | undefined;
  message: string | undefined;
  /** The problem of the field says the message already. */
  isSaid: boolean;
  note: string | undefined;
}) {
  const said = note === w.ofLoop ? note : (message ?? value ?? '');
  const later = useLater(said, readOutMs);
  return (
    <div className="expression-value" id={id}>
      {message !== undefined && note !== w.ofLoop
        ? !isSaid && <p className="field-error">{message}</p>
        : value !== undefined && <output dir="auto">{value}</output>}
      {note && <p className="field-help">{note}</p>}
      <span className="sr-only" role="status">
        {later === '' ? '' : w.valueOf(label, later)}
      </span>
    </div>
  );
}
