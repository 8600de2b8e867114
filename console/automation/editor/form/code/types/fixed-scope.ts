/** The name of the file with the types of node-kit, as the declarations below import it. */
export const nodeKitFile = '/node-kit.ts';

/**
 * The names in scope whose types are the same for all code: those that a package's node has in `ctx`, and the globals of the sandbox besides
 * the language. Code may set timers and read URLs, but has no DOM and nothing of Node.
 */
export const fixedScope = `
type Outputs = object | null | undefined | void;
declare const log: import('./node-kit').Log;
declare const console: import('./node-kit').Log & { log(...values: unknown[]): void; trace(...values: unknown[]): void };
declare const state: import('./node-kit').State;
declare const files: import('./node-kit').Files;
declare const signal: import('./node-kit').Signal;
declare const http: import('./node-kit').Http['request'] & import('./node-kit').Http;
declare const idempotencyKey: string;

declare function setTimeout(callback: (...values: any[]) => void, ms?: number, ...values: any[]): number;
declare function clearTimeout(timer: number | undefined): void;
declare const performance: { now(): number };
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare const crypto: { randomUUID(): string; getRandomValues<T extends ArrayBufferView>(array: T): T };
declare class TextEncoder { encode(text?: string): Uint8Array<ArrayBuffer>; readonly encoding: string; }
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
  readonly encoding: string;
}
declare class URLSearchParams {
  constructor(init?: string | URLSearchParams | Iterable<readonly [string, string]> | Record<string, string>);
  readonly size: number;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  append(name: string, value: string): void;
  set(name: string, value: string): void;
  delete(name: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}
declare class URL {
  constructor(href: string | URL, base?: string | URL);
  static canParse(href: string | URL, base?: string | URL): boolean;
  href: string; protocol: string; username: string; password: string; host: string; hostname: string; port: string;
  pathname: string; search: string; hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
`;
