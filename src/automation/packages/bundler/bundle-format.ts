/**
 * What a node's built code is: the bundler writes it, the sandbox runs it. One script without imports, that leaves the
 * module's exports (`execute`, optionally `resolve` and `test`) in a global variable. A script instead of a module,
 * because V8 can share a script's compiled code between the fresh contexts of one isolate.
 *
 * The first four are esbuild options and can be spread into a build. `neutral`, because neither Node's nor a browser's
 * modules exist in the sandbox.
 */
export const nodeBundleFormat = {
  format: 'iife',
  globalName: '__node',
  platform: 'neutral',
  target: 'es2024',
  /** Characters of a whole bundle; larger ones are refused by the sandbox. */
  maxSourceChars: 4 * 1024 * 1024,
} as const;

/** The functions that the sandbox can call. */
export const nodeEntries = ['execute', 'resolve', 'test'] as const;

export type NodeEntry = (typeof nodeEntries)[number];
