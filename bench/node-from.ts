/**
 * Measures the time and the memory of `causeway node from` for a description of 2 MB with a thousand operations.
 * `node bench/node-from.ts [rounds=3]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printFigure } from './lib/figure.ts';

const [rounds = 3] = process.argv.slice(2).map(Number);
const operations = 1_000;

/** Resources like those of an ERP, each with lines and a customer, and with operations that list, create, read and update it. */
function describe(): string {
  const nouns = Array.from({ length: operations / 4 }, (_, n) => `Noun${n}`);
  const text = 'What this member means to those who book, count, send and invoice.';
  const schemas = Object.fromEntries(
    nouns.map((noun, n) => {
      const scalars = (count: number) =>
        Object.fromEntries(
          Array.from({ length: count }, (__, m) => [
            `member${m}`,
            { type: 'string', maxLength: 200, description: `${text} ${n}` },
          ]),
        );
      const lines = { type: 'array', items: { type: 'object', properties: scalars(10) } };
      const properties = { ...scalars(40), lines, customer: { $ref: '#/components/schemas/Noun0' } };
      return [noun, { type: 'object', required: ['member0'], properties }];
    }),
  );
  const answers = (schema: object) => ({ 200: { description: 'Done', content: { 'application/json': { schema } } } });
  const paths = Object.fromEntries(
    nouns.flatMap((noun) => {
      const schema = { $ref: `#/components/schemas/${noun}` };
      const requestBody = { content: { 'application/json': { schema } } };
      const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
      const page = { name: 'page', in: 'query', schema: { type: 'integer' } };
      const list = { type: 'object', properties: { result: { type: 'array', items: schema } } };
      return [
        [
          `/${noun}`,
          { get: { parameters: [page], responses: answers(list) }, post: { requestBody, responses: answers(schema) } },
        ],
        [
          `/${noun}/{id}`,
          { parameters: [id], get: { responses: answers(schema) }, put: { requestBody, responses: answers(schema) } },
        ],
      ];
    }),
  );
  return JSON.stringify(
    { openapi: '3.1.0', info: { title: 'Large', version: '1' }, paths, components: { schemas } },
    undefined,
    1,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-node-from-'));
const file = join(folder, 'large.json');
const description = describe();
await writeFile(file, description);
const seconds: number[] = [];
const mebibytes: number[] = [];
try {
  for (let round = 0; round < rounds; round += 1) {
    const script = `const { runCauseway } = await import(${JSON.stringify(new URL('../bin/causeway.ts', import.meta.url).href)});
      const io = { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text), cwd: process.cwd(), env: process.env };
      process.exitCode = await runCauseway(['node', 'from', ...process.argv.slice(1)], io);
      console.error(process.resourceUsage().maxRSS);`;
    const start = performance.now();
    const out = join(folder, `nodes-${round}`);
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, '--', file, '--out', out, '--all'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`The command ended with ${code}: ${said}`);
    seconds.push((performance.now() - start) / 1_000);
    mebibytes.push(Number(said.trim().split('\n').at(-1)) / 1024);
    const made = JSON.parse(await readFile(join(out, 'causeway.json'), 'utf8')) as { nodes: string[] };
    if (made.nodes.length !== operations)
      throw new Error(`${made.nodes.length} of ${operations} operations became nodes.`);
  }
} finally {
  await rm(folder, { recursive: true });
}
const middle = (of: number[]) => of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)] ?? 0;
const detail = { operations, megabytes: description.length / 1e6, rounds };
printFigure({ figure: 'node-from-time', value: middle(seconds), unit: 's', reach: { of: 'value', atMost: 5 }, detail });
printFigure({
  figure: 'node-from-memory',
  value: Math.max(...mebibytes),
  unit: 'MiB',
  reach: { of: 'value', atMost: 300 },
  detail,
});
