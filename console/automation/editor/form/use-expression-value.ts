import { useMemo } from 'react';
import type { Evaluation } from '#console/automation/editor/expressions/evaluator.ts';
import type { Range } from '#console/automation/editor/expressions/expression-state.ts';
import { expressionWords as w } from '#console/automation/editor/expressions/expressions.words.ts';
import { nodeWithoutData } from '#console/automation/editor/expressions/scope-rows.ts';
import { expressionPieces, faultRange, withValues } from '#console/automation/editor/expressions/template.ts';
import { useEvaluated } from '#console/automation/editor/expressions/use-evaluated.ts';
import type { FormData } from './field-target.ts';

/** What the expressions of a text yield in the sample. */
export interface ExpressionValue {
  /** Whether the text has expressions. */
  isExpression: boolean;
  /** The text with its values in the place of its expressions; undefined where only a run shows them. */
  value: string | undefined;
  /** Why the first of them that yields none fails. */
  message: string | undefined;
  /** Why the value differs from that of the next run. */
  note: string | undefined;
  faults: readonly Range[];
}

/** Evaluates a text as it is typed. `id` names the field among those of the form. */
export function useExpressionValue(
  text: string,
  { isJson, isBare, id }: { isJson: boolean; isBare: boolean; id: string },
  form: FormData,
): ExpressionValue {
  const pieces = useMemo(() => expressionPieces(text, { isJson, isBare }), [text, isJson, isBare]);
  const results = useEvaluated(
    form.data.evaluator,
    id,
    pieces.map((piece) => piece.text),
  );
  // As text, which stays the same while the results do.
  const answered = JSON.stringify(results);
  const faults = useMemo(() => {
    const known = JSON.parse(answered) as (Evaluation | null)[];
    return pieces.flatMap((piece, index) => {
      const result = known[index];
      return result?.kind === 'fault' ? [faultRange(text, piece, result.position)] : [];
    });
  }, [text, pieces, answered]);
  const failed = results.find((result) => result?.kind === 'fault');
  const values = results.map((result) =>
    result?.kind === 'value' ? result.text : result?.kind === 'nothing' ? '–' : undefined,
  );
  const isNothing = results.length === 1 && results[0]?.kind === 'nothing' && !pieces[0]?.isString;
  const unread = isNothing ? nodeWithoutData(text, form.data.entries) : undefined;
  const shown = unread !== undefined ? w.notYet(unread) : isNothing ? w.nothing : withValues(text, pieces, values);
  const note = pieces.length === 0 ? undefined : noteFor(text, form);
  return {
    isExpression: pieces.length > 0,
    value: note === w.ofLoop ? undefined : shown,
    message: failed?.kind === 'fault' && note !== w.ofLoop ? failed.message : undefined,
    note,
    faults,
  };
}

/** Why a value differs from that of the next run. */
function noteFor(text: string, { data, item, pinned }: FormData): string | undefined {
  if (item && /\b(?:item|index)\b/.test(text)) return data.hasRun ? w.ofItem(item.loop, item.number) : w.ofLoop;
  const isPinned = [...pinned].some((id) => new RegExp(`\\bnodes(?:\\.${id}\\b|\\[.${id}.\\])`).test(text));
  return isPinned ? w.ofPin : undefined;
}
