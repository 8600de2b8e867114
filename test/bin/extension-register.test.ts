import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';
import { serveExtension } from '#test/themes/extension-site.ts';

test('registering says what to do next, and names the faults of the site', async ({ api }) => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
  const site = await serveExtension(api);
  const { name, blocks } = site.manifest;
  const register = async (...more: string[]) => registerAt(site.url, ...more);
  const registerAt = async (address: string, ...more: string[]) => {
    const outcome = { out: '', err: '' };
    const io = {
      out: (text: string) => void (outcome.out += text),
      err: (text: string) => void (outcome.err += text),
      env: { CAUSEWAY_URL: url, CAUSEWAY_TOKEN: await api.token({ roles: ['admin'] }), CAUSEWAY_TENANT: 'acme-shop' },
      cwd: '/',
    };
    const code = await runCauseway(['extension', 'register', address, ...more], io);
    return { code, ...outcome };
  };
  const { out, code } = await register();
  expect([code, out]).toEqual([0, expect.stringContaining(`acme/${name} 1.0.0 is registered: `)]);
  expect(out).toMatch(/EXTENSION_SECRET=whsec_\S+,[^]*publishExtension[^]*installExtension/);
  expect(JSON.parse((await register('--json')).out)).toMatchObject({ extension: { name, status: 'DRAFT' } });
  // The same version from elsewhere is the one that was registered.
  expect(out).not.toContain('registered before');
  const { port } = new URL(site.url);
  api.egressAllow.add(`localhost:${port}`);
  const moved = await registerAt(`http://localhost:${port}`);
  expect(moved.out).toContain(`go on being rendered at ${site.url}. To move it, register another version.`);
  site.manifest.blocks = [...blocks, ...blocks];
  expect(await register()).toMatchObject({
    code: 1,
    err: expect.stringContaining('  /blocks/2/id repeats that of /blocks/0.'),
  });
});
