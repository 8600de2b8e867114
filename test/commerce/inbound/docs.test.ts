import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { verifiers } from '#src/infra/signing/verifier-configs.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { makeEndpoint, secret } from './senders.ts';

const run = promisify(execFile);

const page = await readFile(new URL('../../../docs/inbound-endpoints.md', import.meta.url), 'utf8');

test('the examples of the page on inbound endpoints create endpoints', async ({ api }) => {
  const examples = [...page.matchAll(/^```http\n(\S+) \/v1(\S+)\n([\s\S]*?)^```$/gm)];
  expect(examples.length).toBeGreaterThan(1);
  for (const [, method = '', path = '', body = ''] of examples) {
    expect(await callPlatform(api, method, path, { body })).toMatchObject({ status: 201, body: { status: 'enabled' } });
  }
});

test('the manual calls of the page get the shown responses', async ({ api, skip }) => {
  const isThere = await run('sh', ['-c', 'command -v curl openssl']).catch(() => null);
  if (!isThere) skip('There is no curl or openssl here.');
  const [generic = ''] = [...page.matchAll(/^```http\n\S+ \S+\n([^`]*"verifier": "hmac"[^`]*)^```$/gm)].map(
    ([, body]) => body,
  );
  const endpoints = [await makeEndpoint(api), await makeEndpoint(api, JSON.parse(generic) as object)];
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const calls = [...page.matchAll(/^```sh\n([\s\S]*?)^```\n\n```json\n(.*)\n```$/gm)];
  expect(calls.length).toBe(endpoints.length);
  for (const [index, [, script = '', answer = '']] of calls.entries()) {
    const env = {
      ...inheritedEnv,
      SECRET: secret,
      URL: `http://127.0.0.1:${port}/in/${endpoints[index]?.endpoint_id}`,
    };
    expect((await run('sh', ['-euc', script], { env })).stdout).toBe(answer);
  }
});

test('the page has every verifier', () => {
  expect([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(['verifier', ...verifiers]);
});
