/**
 * The format of a node's built code: the bundler writes it, the sandbox runs it. It is one script without imports that
 * assigns the module's exports (`execute` and optionally `resolve` and `migrate`, or `test`) to a global variable. It is a script instead of
 * a module because V8 can share a script's compiled code between the fresh contexts of one isolate.
 *
 * The first four are esbuild options and can be spread into a build. `neutral`, because the sandbox has neither Node's nor a
 * browser's modules.
 */
export const nodeBundleFormat = {
  format: 'iife',
  globalName: '__node',
  platform: 'neutral',
  target: 'es2024',
  /** Characters of a whole bundle; the sandbox refuses larger ones. */
  maxSourceChars: 4 * 1024 * 1024,
} as const;

/** The functions that the sandbox can call. */
export const nodeEntries = ['execute', 'run', 'resolve', 'migrate', 'test'] as const;

export type NodeEntry = (typeof nodeEntries)[number];
