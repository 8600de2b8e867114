import { createHash } from 'node:crypto';
import { transformSync } from 'esbuild';
import type { NodeCallOutcome, NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';
import type { NodeEntry } from '#src/automation/packages/bundler/bundle-format.ts';
import type { Execution } from '#workers/runtime/active-execution.ts';
import type { Broker } from '#workers/runtime/broker.ts';
import type { Runtime } from '#workers/runtime/runtime.ts';
import { createOfflineBroker } from '#workers/runtime/tenant-broker.ts';

export type NodeCode = Pick<Execution, 'codeHash' | 'source'>;

export const nodeCode = (codeHash: string, source: string): NodeCode => ({ codeHash, source: async () => source });

/** An ES module's text as the bundler would hand it over. */
export function compileCode(module: string): NodeCode {
  const { format, globalName, platform, target } = nodeBundleFormat;
  const source = transformSync(module, { format, globalName, platform, target }).code;
  return nodeCode(createHash('sha256').update(source).digest('hex'), source);
}

/** The body of `execute(ctx)` as a module. */
export const executing = (body: string): NodeCode => compileCode(`export async function execute(ctx) {\n${body}\n}`);

/** Answers everything plainly and remembers what it was asked. */
export function memoryBroker(overrides: Partial<Broker> = {}): Broker & { calls: string[]; lines: NodeLogLine[] } {
  const calls: string[] = [];
  const lines: NodeLogLine[] = [];
  const entries = new Map<string, { value: unknown; version: number }>();
  return {
    calls,
    lines,
    http: async (request) => {
      calls.push(`${request.method} ${request.url}`);
      return { status: 200, headers: {}, body: request };
    },
    state: {
      get: async (namespace, key) => entries.get(`${namespace}/${key}`) ?? null,
      set: async (namespace, key, value) => {
        const version = (entries.get(`${namespace}/${key}`)?.version ?? 0) + 1;
        entries.set(`${namespace}/${key}`, { value, version });
        return { version };
      },
      delete: async (namespace, key) => void entries.delete(`${namespace}/${key}`),
    },
    files: createOfflineBroker(undefined).files,
    credential: async (reference, field) => {
      calls.push(`credential ${reference}.${field}`);
      return 'hunter2-secret-value';
    },
    log: (line) => void lines.push(line),
    ...overrides,
  };
}

export type RunOptions = Partial<Omit<Execution, 'codeHash' | 'source' | 'entry'>> & { entry?: NodeEntry };

export const runIn = (runtime: Runtime, code: NodeCode, options: RunOptions = {}): Promise<NodeCallOutcome> =>
  runtime.execute({
    owner: 'tenant-a',
    ...code,
    entry: 'execute',
    input: { config: {}, inputs: {} },
    timeoutMs: 20_000,
    broker: memoryBroker(),
    ...options,
  });

/** The outputs of a successful execution; fails the test with the outcome otherwise. */
export function requireOutputs(outcome: NodeCallOutcome): Record<string, unknown> {
  if (!outcome.ok) throw new Error(`Expected success, got ${JSON.stringify(outcome)}`);
  return (outcome.value as { outputs: Record<string, unknown> }).outputs;
}

export const describeError = (outcome: NodeCallOutcome): string =>
  outcome.ok ? 'ok' : `${outcome.kind}: ${outcome.error.message}`;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
