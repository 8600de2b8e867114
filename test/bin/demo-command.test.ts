import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { rememberIssuer } from '#src/identity/dev-issuer.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'demo-command-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

/** The command's output; nothing listens on port 1. */
async function demo(...more: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    env: { DATA_DIR: dataDir, PORT: '1' },
    cwd: '/',
  };
  return { code: await runCauseway(['demo', ...more], io), out, err };
}

test('without a server the demo says what to run first, before and after a first start', async () => {
  expect(await demo()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Run npm start first') });
  await rememberIssuer(dataDir, 'http://localhost:1/dev/oidc');
  const { code, out, err } = await demo();
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('Nothing answers at http://localhost:1. Run npm start first');
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(await demo('theme')).toEqual({ code, out, err });
});
