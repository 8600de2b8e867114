import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';

/** Folders of tests that are of the whole product, and of no folder of it. */
const ofTheWhole = ['canaries', 'chaos', 'checks', 'contract', 'releases'];
/** The same below `test/console`: of every screen. */
const ofTheConsole = 'test/console/every-screen/';
/** Product folders beside `src`, whose tests keep the name. */
const besideSrc = ['bench', 'bin', 'console', 'deploy', 'examples', 'packages', 'rest-compat', 'scripts', 'workers'];

const root = new URL('../../', import.meta.url).pathname;
const product = globSync(
  ['src', ...besideSrc].map((folder) => `${folder}/**/*.{ts,tsx,mjs,yaml}`),
  {
    cwd: root,
    exclude: ['**/node_modules/**'],
  },
);
const tests = globSync('test/**/*.test.ts', { cwd: root });

/** The product's folder that a test file is of. */
function mirrored(file: string): string {
  const folder = dirname(file).replace(/^test\/?/, '');
  // `src/console` builds and serves `console`.
  if (product.some((path) => path.startsWith(`src/${folder}/`))) return `src/${folder}`;
  return besideSrc.includes(folder.split('/')[0] as string) ? folder : `src/${folder}`;
}

/** Why a test file is not where its subject is, or nothing. */
function misplaced(file: string): string | undefined {
  if (ofTheWhole.includes(file.split('/')[1] as string)) return undefined;
  if (file.startsWith(ofTheConsole)) return undefined;
  const folder = mirrored(file);
  const inside = product.filter((path) => path.startsWith(`${folder}/`));
  if (inside.length === 0) return `${file}: there is no ${folder}. Move it where its subject is.`;
  const name = basename(file).replace(/\.test\.ts$/, '.ts');
  // Without a role a name may be of a behaviour, and by chance of a file elsewhere as well.
  if (!/^[^.]+\.[^.]+\.ts$/.test(name)) return undefined;
  const homes = product.filter((path) => basename(path) === name);
  if (homes.length === 0 || homes.some((path) => inside.includes(path))) return undefined;
  return `${file}: ${name} is in ${homes.map((path) => dirname(path)).join(' and ')}. Move it there, or name it for what it tests.`;
}

test('every test mirrors the folder of its subject: test/a/b/x.test.ts tests src/a/b', () => {
  expect(tests.length).toBeGreaterThan(100);
  expect(tests.flatMap((file) => misplaced(file) ?? [])).toEqual([]);
});

test('a misplaced test is found, and a correct one accepted', () => {
  expect(misplaced('test/automation/nowhere/x.test.ts')).toContain('there is no src/automation/nowhere');
  expect(misplaced('test/infra/egress/run-finishing.service.test.ts')).toContain('is in src/automation/runs');
});
