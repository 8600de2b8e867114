import ivm from 'isolated-vm';
import type { RealmLimits } from '#workers/runtime/sandbox/realm/host.ts';
import { answer } from './asks.ts';

/** The modules of `realm/` in one text that declares `realm`, put here by the bundler. */
declare const realmSource: string;

const prelude = `(function (hostPost, hostAsk, hostLimits) {
  'use strict';
  ${realmSource}
  return realm.dispatch;
})`;

const prepareTimeoutMs = 2000;
/**
 * The cost of waking two threads for a synchronous call, without the work itself: 13 to 15 µs, measured over 1.7
 * million calls.
 */
const askOverheadMs = 0.015;

export type Message = { kind: string; a: string; b: string; c: string };

/** Compiled code shared by a child's isolates: parsing is most of the cost of a new one. */
export type CompiledCode = { source: string; cache: ivm.ExternalCopy<ArrayBuffer> | undefined };

const compiledPrelude: CompiledCode = { source: prelude, cache: undefined };

async function compile(isolate: ivm.Isolate, code: CompiledCode, filename: string): Promise<ivm.Script> {
  if (code.cache !== undefined) return isolate.compileScript(code.source, { cachedData: code.cache, filename });
  const script = await isolate.compileScript(code.source, { produceCachedData: true, filename });
  code.cache = (script as ivm.Script & ivm.CachedDataResult).cachedData;
  return script;
}

/** A fresh context with the node's code loaded, waiting for its one execution. */
export type Slot = {
  /** Messages that the code posted while it loaded, then live ones. Set to undefined to stop listening. */
  onMessage: ((message: Message) => void) | undefined;
  early: Message[];
  /** Processor time that this process spent on its synchronous calls, which the isolate's own clock leaves out. */
  hostMs: number;
  dispatch(kind: string, a?: string, b?: string, c?: string): Promise<void>;
  release(): void;
};

/**
 * One V8 isolate holding one version of a node's code, running one execution at a time, each in a context of its own.
 * While the isolate is idle, it makes the next context and runs the code's top level in it, which saves the next
 * execution 0.3 ms or more. V8 start-up snapshots would do the same, but isolated-vm warns against them.
 */
export class WarmIsolate {
  readonly hash: string;
  readonly isolate: ivm.Isolate;
  executions = 0;
  /** `performance.now()` when it last became idle. */
  idleSince = 0;
  /** True when the next execution's context is ready. */
  isPrepared = false;
  /** Called when V8 lost control over the isolate. Nothing in the process can be trusted then. */
  onCatastrophe: () => void = () => undefined;
  #next: Promise<Slot> | undefined;
  readonly #code: CompiledCode;
  readonly #limits: RealmLimits;
  #scripts: Promise<[ivm.Script, ivm.Script]> | undefined;

  constructor(hash: string, code: CompiledCode, memoryMiB: number, limits: RealmLimits) {
    this.hash = hash;
    this.#code = code;
    this.#limits = limits;
    this.isolate = new ivm.Isolate({ memoryLimit: memoryMiB, onCatastrophicError: () => this.onCatastrophe() });
  }

  prepare(): void {
    if (this.#next !== undefined) return;
    const next = this.#prepareSlot();
    this.#next = next;
    // The node's top level runs before any execution, so it has a time limit of its own.
    let guard = setTimeout(() => {
      if (this.#next !== next) return;
      this.dispose();
      guard = setTimeout(() => this.onCatastrophe(), prepareTimeoutMs);
    }, prepareTimeoutMs);
    this.isPrepared = false;
    const settled = (): void => {
      clearTimeout(guard);
      this.isPrepared = true;
    };
    next.then(settled, settled);
  }

  /** Rejects with what the node's top level threw, or with the isolate's end. */
  takeSlot(): Promise<Slot> {
    this.prepare();
    const slot = this.#next as Promise<Slot>;
    this.#next = undefined;
    return slot;
  }

  dispose(): void {
    this.#next = undefined;
    if (!this.isolate.isDisposed) this.isolate.dispose();
  }

  async #prepareSlot(): Promise<Slot> {
    this.#scripts ??= Promise.all([
      compile(this.isolate, compiledPrelude, 'sandbox:prelude'),
      compile(this.isolate, this.#code, 'node.js'),
    ]);
    const [preludeScript, nodeScript] = await this.#scripts;
    const context = await this.isolate.createContext();
    const install = await preludeScript.run(context, { reference: true });
    const slot: Slot = {
      onMessage: undefined,
      early: [],
      hostMs: 0,
      dispatch: async () => undefined,
      release: () => undefined,
    };
    slot.onMessage = (message) => {
      if (slot.early.length <= this.#limits.logLines + this.#limits.timers) slot.early.push(message);
    };
    const post = (kind: unknown, a: unknown, b: unknown, c: unknown): void => {
      const areStrings = [kind, a, b, c].every((value) => typeof value === 'string');
      if (areStrings) slot.onMessage?.({ kind: kind as string, a: a as string, b: b as string, c: c as string });
    };
    const ask = (...call: [unknown, unknown, unknown, unknown]): string => {
      const startedAt = performance.now();
      const answered = answer(...call);
      slot.hostMs += performance.now() - startedAt + askOverheadMs;
      return answered;
    };
    const installed = install.apply(
      undefined,
      [
        // Posting does not wait: the prelude bounds how much can be under way.
        new ivm.Callback(post, { ignored: true }),
        new ivm.Callback(ask, { sync: true }),
        JSON.stringify(this.#limits),
      ],
      { result: { reference: true } },
    );
    // Both are queued before either is awaited, which saves the isolate's thread a sleep; they run in this order.
    const loaded = nodeScript.run(context);
    const dispatch = (await Promise.all([installed, loaded]))[0] as unknown as ivm.Reference;
    install.release();

    slot.dispatch = async (kind, a = '', b = '', c = '') => {
      await dispatch.apply(undefined, [kind, a, b, c]);
    };
    slot.release = () => {
      slot.onMessage = undefined;
      dispatch.release();
      context.release();
    };
    return slot;
  }
}
