import { NativeRangeError, NativeString, NativeTypeError, apply, create, floor, isFinite } from './builtins.ts';
import { limits, post } from './host.ts';
import { describe, fail, hasEnded } from './outcome.ts';

type Timer = { callback: (...args: unknown[]) => unknown; args: unknown[] };

/** By the number of the timer, which setTimeout returns. */
const pending = create(null) as Record<string, Timer>;
let pendingCount = 0;
let timerCount = 0;

/** Timers that the code set while it loaded. They start with the execution. */
const setBeforeStart: { id: string; milliseconds: string }[] = [];
let started = false;

export function setTimer(callback: unknown, delay: unknown, ...args: unknown[]): number {
  if (typeof callback !== 'function') throw new NativeTypeError('setTimeout takes a function.');
  if (pendingCount >= limits.timers) throw new NativeRangeError(`More than ${limits.timers} timers are pending.`);
  timerCount += 1;
  pendingCount += 1;
  const id = NativeString(timerCount);
  const milliseconds = NativeString(typeof delay === 'number' && isFinite(delay) && delay > 0 ? floor(delay) : 0);
  pending[id] = { callback: callback as Timer['callback'], args };
  if (started) post('timer', id, milliseconds, '');
  else setBeforeStart[setBeforeStart.length] = { id, milliseconds };
  return timerCount;
}

export function clearTimer(id: unknown): void {
  const key = NativeString(id);
  if (pending[key] === undefined) return;
  delete pending[key];
  pendingCount -= 1;
}

export function fireTimer(id: string): void {
  const timer = pending[id];
  if (timer === undefined || hasEnded()) return;
  clearTimer(id);
  try {
    apply(timer.callback, undefined, timer.args);
  } catch (error) {
    fail('threw', describe(error));
  }
}

export function startTimers(): void {
  started = true;
  for (let index = 0; index < setBeforeStart.length; index += 1) {
    const timer = setBeforeStart[index];
    if (timer !== undefined) post('timer', timer.id, timer.milliseconds, '');
  }
}
