/**
 * The overhead of running a package node in its sandbox over calling the same function in this process: object in, object out, warm,
 * sequentially. `node bench/node-runtime.ts [executions]`
 */
import { createHash } from 'node:crypto';
import { transformSync } from 'esbuild';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';

const executions = Number(process.argv[2] ?? 3000);
const warmUp = 300;
const concurrency = 16;
const reachMs = 1;

const module = `export function execute(ctx) {
  const lines = ctx.inputs.order.lines.map((line) => ({ sku: line.sku, total: line.quantity * line.price }));
  return { outputs: { id: ctx.inputs.order.id, lines, total: lines.reduce((sum, line) => sum + line.total, 0) } };
}`;
const lines = Array.from({ length: 10 }, (_, index) => ({ sku: `SKU-${index}`, quantity: index + 1, price: 995 }));
const input = { config: { currency: 'EUR' }, inputs: { order: { id: 'order-1', lines } } };

const { format, globalName, platform, target } = nodeBundleFormat;
const source = transformSync(module, { format, globalName, platform, target }).code;
const codeHash = createHash('sha256').update(source).digest('hex');
type Node = { execute: (this: void, ctx: unknown) => unknown };
const { execute } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as Node;

const never = (): never => {
  throw new Error('This node calls nothing.');
};
const broker = {
  http: never,
  state: { get: never, set: never, delete: never },
  files: { read: never, create: never, write: never, end: never, drop: never },
  credential: never,
  log: never,
};

const runtime = await createRuntime();
async function inSandbox(): Promise<void> {
  const outcome = await runtime.execute({
    owner: 'bench',
    codeHash,
    source: async () => source,
    entry: 'execute',
    input,
    timeoutMs: 10_000,
    broker,
  });
  if (!outcome.ok) throw new Error(`The node failed: ${outcome.kind}: ${outcome.error.message}`);
}
// The same copies in and out that keep a node from changing the run's data.
const inProcess = async (): Promise<unknown> => structuredClone(await execute(structuredClone(input)));

async function measure(run: () => Promise<unknown>): Promise<number[]> {
  for (let count = 0; count < warmUp; count += 1) await run();
  const times: number[] = [];
  for (let count = 0; count < executions; count += 1) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b);
}

const at = (times: number[], share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const startedAt = performance.now();
await inSandbox();
print({ figure: 'package_node_cold_start', ms: rounded(performance.now() - startedAt) });

const direct = await measure(inProcess);
const sandboxed = await measure(inSandbox);
const added = at(sandboxed, 0.5) - at(direct, 0.5);
print({
  figure: 'package_node_execution',
  p50_ms: rounded(at(sandboxed, 0.5)),
  p99_ms: rounded(at(sandboxed, 0.99)),
  in_process_p50_ms: rounded(at(direct, 0.5)),
  added_p50_ms: rounded(added),
  ok: added <= reachMs,
});

const concurrentAt = performance.now();
const perLane = Math.ceil(executions / concurrency);
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (let count = 0; count < perLane; count += 1) await inSandbox();
  }),
);
const seconds = (performance.now() - concurrentAt) / 1000;
print({ figure: 'package_node_throughput', concurrency, per_second: Math.round((perLane * concurrency) / seconds) });

await runtime.close();
