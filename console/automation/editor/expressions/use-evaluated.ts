import { useEffect, useSyncExternalStore } from 'react';
import type { Evaluation, Evaluator } from './evaluator.ts';

/** The results of a field's texts, updated as the evaluator answers. */
export function useEvaluated(
  evaluator: Evaluator,
  field: string,
  texts: readonly string[],
): (Evaluation | undefined)[] {
  useSyncExternalStore(evaluator.subscribe, evaluator.version);
  const key = JSON.stringify(texts);
  useEffect(() => {
    evaluator.want(field, JSON.parse(key) as string[]);
  }, [evaluator, field, key]);
  useEffect(() => () => evaluator.want(field, []), [evaluator, field]);
  return texts.map((text) => evaluator.result(text));
}
