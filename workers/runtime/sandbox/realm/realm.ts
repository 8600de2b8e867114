/** The entry of the realm's modules. The node's code leaves its exports in `__node`. */
import './web-globals.ts';
import { abort } from './abort-signal.ts';
import { apply, freeze, now, parse, provide, scope } from './builtins.ts';
import { settleCall } from './calls.ts';
import type { Dispatch } from './host.ts';
import { log } from './log.ts';
import { nodeContext } from './node-context.ts';
import { describe, fail, finish } from './outcome.ts';
import { clearTimer, fireTimer, setTimer, startTimers } from './timers.ts';

provide('console', { ...log, log: log.info, trace: log.debug });
provide('setTimeout', setTimer);
provide('clearTimeout', clearTimer);
provide('performance', freeze({ now: () => now() }));

/** A migration is given no `ctx`, through which alone the host can be called. */
const callArguments = (entry: string, input: Record<string, unknown>): unknown[] =>
  entry === 'migrate' ? [input['config'], input['fromVersion']] : [nodeContext(input)];

async function run(entry: string, input: string): Promise<void> {
  try {
    const exported = (scope['__node'] ?? {}) as Record<string, unknown>;
    const main = exported[entry];
    if (main === undefined) {
      fail('threw', { message: `The node's code exports no ${entry}().`, code: 'NO_SUCH_ENTRY' });
    } else if (typeof main !== 'function') {
      fail('threw', { message: `The node's code exports ${entry}, which is no function.`, code: 'NOT_A_FUNCTION' });
    } else {
      finish(await apply(main as (...args: unknown[]) => unknown, undefined, callArguments(entry, parse(input))));
    }
  } catch (error) {
    fail('threw', describe(error));
  }
}

export const dispatch: Dispatch = (kind, a, b, c) => {
  if (kind === 'start') {
    startTimers();
    void run(a, b);
  } else if (kind === 'reply') settleCall(a, b, c);
  else if (kind === 'timer') fireTimer(a);
  else if (kind === 'abort') abort(a, b);
};
