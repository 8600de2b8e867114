import { expect, test } from 'vitest';
import { toPlainModule } from '#scripts/archive/plain-modules.ts';

const toJs = (name: string) => name.replace(/\.ts$/, '.js');

test('a module without types names the same modules under their new names', () => {
  const source = [
    `import { type Shape, read } from './shapes.ts';`,
    `import type { Only } from './only.ts';`,
    `export * from "#src/all.ts";`,
    `export { one as two } from './one.ts';`,
    `const later = (): Promise<unknown> => import('./later.ts');`,
    `const thread: URL = new URL('./thread.ts', import.meta.url);`,
    `const told: string = 'write ./told.ts';`,
    `export const scaffold = { 'nodes/greet.ts': \`import x from '../greet.ts';\` } satisfies Record<string, string>;`,
  ].join('\n');
  const plain = toPlainModule(source, toJs);
  expect(plain.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim())).toEqual([
    `import { read } from "./shapes.js";`,
    ``,
    `export * from "#src/all.js";`,
    `export { one as two } from "./one.js";`,
    `const later = () => import("./later.js");`,
    `const thread = new URL("./thread.js", import.meta.url);`,
    `const told = 'write ./told.ts';`,
    `export const scaffold = { 'nodes/greet.ts': \`import x from '../greet.ts';\` } ;`,
  ]);
});
