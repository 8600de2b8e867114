import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';

const page = await readFile(new URL('../../../docs/sign-in.md', import.meta.url), 'utf8');

/** The script of the page, with other constants at its beginning. */
function readScript(constants: Record<string, string>): string {
  let [, script = ''] = /^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  for (const [name, value] of Object.entries(constants)) {
    const declared = new RegExp(`^const ${name} = '.*';$`, 'm');
    expect(script).toMatch(declared);
    script = script.replace(declared, `const ${name} = '${value}';`);
  }
  return script;
}

test('the script of the page signs in, refreshes its token, and reads who it is', async ({ api }) => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const file = join(api.dataDir, 'sign-in.mjs');
  await writeFile(file, readScript({ base: `http://127.0.0.1:${port}`, place: 'acme/acme-shop' }));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 });
  expect(JSON.parse(stdout)).toEqual({
    data: { me: { claims: { sub: 'dev-admin' }, context: { tenantId: 'acme-shop', roles: ['admin'] } } },
  });
});
