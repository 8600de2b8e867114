import { createContext, runInContext } from 'node:vm';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';

const loadTimeoutMs = 2_000;
/** Exports that a module may leave out; without the others it does not bundle. */
const optional = ['resolve', 'migrate'];

/** What the sandbox has beside the language, as far as a module can use it while it loads. */
const globals = () => ({
  TextEncoder,
  TextDecoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  crypto,
  queueMicrotask,
  structuredClone,
  performance,
  console: Object.fromEntries(
    ['log', 'debug', 'info', 'warn', 'error', 'trace'].map((name) => [name, () => undefined]),
  ),
  setTimeout: () => 0,
  clearTimeout: () => undefined,
});

/**
 * Loads a bundle, which is its author's own code, to see what the bundler cannot: whether it loads, and exports functions.
 * The problem, if there is one.
 */
export function findExportProblem(code: string): string | undefined {
  try {
    const source = `${code}\n;${JSON.stringify(optional)}.find((name) => !['function', 'undefined'].includes(typeof ${nodeBundleFormat.globalName}[name]))`;
    const wrong: unknown = runInContext(source, createContext(globals()), { timeout: loadTimeoutMs });
    return typeof wrong === 'string' ? `the export "${wrong}" must be a function.` : undefined;
  } catch (error) {
    // An error of the context is no instance of this realm's Error.
    return `the module does not load: ${String((error as { message?: unknown } | null)?.message ?? error).slice(0, 500)}`;
  }
}
