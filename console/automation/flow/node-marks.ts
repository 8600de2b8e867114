import { type Tone, toneOf } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import { numberText } from '#console/words/values.ts';
import type { Mark } from './flow-graph.tsx';
import { flowWords as w } from './flow.words.ts';
import { branchesTaken } from './was-taken.ts';

type Status = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

export interface NodeCounts {
  nodePath: string;
  total: number;
  byStatus: Readonly<Record<Status, number>>;
  branches: readonly string[];
}

/**
 * The state that a node shows. Outside of loops its attempts follow each other, so a success ends them; the rounds of a loop stand side by
 * side, so a failure stays visible.
 */
export function statusOf({ byStatus }: NodeCounts, isInLoop: boolean): Status {
  const order: Status[] = isInLoop
    ? ['running', 'waiting', 'failed', 'succeeded', 'skipped']
    : ['running', 'waiting', 'succeeded', 'failed', 'skipped'];
  return order.find((status) => byStatus[status] > 0) ?? 'skipped';
}

/** How a node of the graph is marked by its steps. */
export function markOf(counts: NodeCounts, isInLoop: boolean): Mark {
  const status = statusOf(counts, isInLoop);
  const tone: Tone = toneOf(status.toUpperCase());
  const word = enumWord(status.toUpperCase());
  const { total, byStatus } = counts;
  const branches = branchesTaken(counts, isInLoop);
  if (total <= 1) return { tone, text: word, branches };
  if (!isInLoop) return { tone, text: w.attempts(word, numberText(total)), branches };
  const failed = byStatus.failed > 0 && status !== 'failed' ? w.alsoFailed(numberText(byStatus.failed)) : '';
  const share = byStatus[status] === total ? '' : `/${numberText(total)}`;
  return { tone, text: `${word} ${numberText(byStatus[status])}${share}${failed}`, branches };
}
