import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { productFlags, root } from '#test/setup/product-flags.ts';

const specifiers = [
  '#src/server.ts',
  '#workers/main.ts',
  '#rest/faces.ts',
  '#prisma/client.ts',
  './src/process/../server.ts',
  '../server.ts',
  'zod',
  'node:fs',
  '@causeway/node-kit',
];

test('imports lead to the files that Node comes to by itself', async () => {
  const code = `console.log(JSON.stringify(${JSON.stringify(specifiers)}.map((one) => import.meta.resolve(one))))`;
  const resolved = async (flags: readonly string[]) => {
    const args = [...flags, '--input-type=module', '-e', code];
    return JSON.parse((await promisify(execFile)(process.execPath, args, { cwd: root })).stdout) as string[];
  };
  const byNode = await resolved([]);
  expect(await resolved(productFlags)).toEqual(byNode);
  expect(byNode[0]).toBe(`file://${root}src/server.ts`);
});

test('a module that is missing is named, with who imports it', async () => {
  const args = [...productFlags, '--input-type=module', '-e', `await import('#src/nothing.ts')`];
  const failure = (await promisify(execFile)(process.execPath, args, { cwd: root }).catch(
    (error: unknown) => error,
  )) as {
    stderr: string;
  };
  expect(failure.stderr).toContain(`Cannot find module '${root}src/nothing.ts' imported from ${root}[eval1]`);
});
