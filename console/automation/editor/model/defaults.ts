import type { Change } from './changes.ts';
import { isObject, type NodeUnit } from './graph.ts';
import { isSame } from './same.ts';

const retryDefaults = { delay_ms: 1_000, backoff: 'exponential', max_delay_ms: 300_000 };

/**
 * Changes with what the server fills in when it stores a node. Without it, what comes back would differ from what was sent, as if somebody
 * else had changed the node: it could not be undone, and would conflict with the next edit.
 */
export const fillDefaults = (changes: readonly Change[]): Change[] =>
  changes
    .map((change) => (change.key.startsWith('node:') ? { ...change, to: filled(change.to) } : change))
    .filter(({ from, to }) => !isSame(from, to));

function filled(value: unknown): unknown {
  if (!isObject(value)) return value;
  const unit = { on_error: 'fail', ...value } as unknown as NodeUnit;
  return isObject(unit['retry']) ? { ...unit, retry: { ...retryDefaults, ...unit['retry'] } } : unit;
}
