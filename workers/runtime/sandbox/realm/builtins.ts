/**
 * Built-ins as they are before the node's code runs. Node code may replace any of them, so whatever decides over an
 * execution reaches them through these captures only.
 */
export const { parse, stringify } = JSON;
export const { create, defineProperty, freeze } = Object;
export const { apply } = Reflect;
export const { isFinite, floor, now } = { isFinite: Number.isFinite, floor: Math.floor, now: Date.now };
export const NativePromise = Promise;
export const NativeString = String;
export const NativeError = Error;
export const NativeTypeError = TypeError;
export const NativeRangeError = RangeError;

const { slice: sliceString } = String.prototype as { slice: (this: void, end: number) => string };
export const slice = (text: string, end: number): string => apply(sliceString as () => string, text, [0, end]);

export const scope = globalThis as unknown as Record<string, unknown>;
export const provide = (name: string, value: unknown): void => {
  defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });
};

// Shared memory and finalizers let code of one execution act in another's time; WebAssembly is attack surface.
for (const name of ['SharedArrayBuffer', 'Atomics', 'WebAssembly', 'FinalizationRegistry']) delete scope[name];
