import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { verifyWebhook, WebhookError } from '@causeway/webhook-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyCall } from '#src/infra/signing/verify-call.ts';
import { signBody, signMessage } from '#src/infra/signing/webhook-signatures.ts';

interface Vector {
  name: string;
  secrets: string[];
  headers: Record<string, string>;
  body: string;
  now: number;
  tolerance_seconds: number;
  valid: boolean;
  error?: string;
}

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../packages/webhook-kit/', import.meta.url));
const { vectors } = JSON.parse(await readFile(join(folder, 'vectors.json'), 'utf8')) as { vectors: Vector[] };

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'webhook-kit-'));
});
afterAll(() => rm(scratch, { recursive: true }));

const verifyVector = ({ body, headers, secrets, now, tolerance_seconds: toleranceSeconds }: Vector): string => {
  try {
    verifyWebhook({ body, headers, secret: secrets, now: now * 1_000, toleranceSeconds });
    return 'valid';
  } catch (error) {
    return error instanceof WebhookError ? error.code : String(error);
  }
};

describe('the test vectors', () => {
  test.each(vectors)('$name', (vector) => {
    expect(verifyVector(vector)).toBe(vector.valid ? 'valid' : vector.error);
  });

  test.each(vectors)(
    'for an inbound endpoint: $name',
    ({ name, body, headers, secrets, now, tolerance_seconds, valid }) => {
      const verifier = name.startsWith('platform') ? 'platform_v0' : 'standard_webhooks';
      const call = {
        body: Buffer.from(body),
        headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])),
      };
      const verdict = verifyCall({ verifier, config: { tolerance_seconds }, secrets }, call, now * 1_000);
      expect(verdict.fault === null).toBe(valid);
    },
  );
});

describe('the kit', () => {
  const body = '{"id":"e-1","topic":"order.created","data":{}}';
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signed = {
    'x-platform-id': 'e-1',
    'x-platform-topic': 'order.created',
    'x-platform-timestamp': timestamp,
    'x-platform-signature': signBody(Buffer.from(body), ['new-secret', 'old-secret']),
    'webhook-id': 'e-1',
    'webhook-timestamp': timestamp,
    'webhook-signature': signMessage({ id: 'e-1', timestamp, body: Buffer.from(body) }, ['new-secret', 'old-secret']),
  };

  test('accepts signatures of this system, with either secret of a rotation, from headers of Node and of fetch', () => {
    const event = JSON.parse(body) as object;
    for (const headers of [signed, new Headers(signed)]) {
      for (const secret of ['new-secret', 'old-secret']) {
        expect(verifyWebhook({ body, headers, secret })).toEqual({
          id: 'e-1',
          timestamp: Number(timestamp),
          topic: 'order.created',
          event,
        });
      }
    }
  });

  test('refuses to work without a secret', () => {
    for (const secret of ['', [], ['']])
      expect(() => verifyWebhook({ body, headers: signed, secret })).toThrow(TypeError);
  });

  test('works as published, without dependencies', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: folder });
    const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    const shipped = ['README.md', 'package.json', 'src/verify.d.ts', 'src/verify.js', 'vectors.json'];
    expect(files.map(({ path }) => path).toSorted()).toEqual(shipped);
    await run('mkdir', ['-p', 'node_modules/@causeway/webhook-kit'], { cwd: scratch });
    await run('tar', ['xzf', filename, '--strip-components=1', '-C', 'node_modules/@causeway/webhook-kit'], {
      cwd: scratch,
    });
    const program = `import { verifyWebhook } from '@causeway/webhook-kit';
      console.log(verifyWebhook(${JSON.stringify({ body, headers: signed, secret: 'new-secret' })}).id);`;
    await writeFile(join(scratch, 'receive.mjs'), program);
    expect((await run(process.execPath, ['receive.mjs'], { cwd: scratch })).stdout).toBe('e-1\n');
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
  });
});
