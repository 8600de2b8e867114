import { execFile } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { webhookCurl } from '#console/automation/webhook-curl.ts';
import { type Verifier, verifiers } from '#src/infra/signing/verifier-configs.ts';
import { secret } from '#test/commerce/inbound/senders.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { readyWorkflow } from '#test/setup/engine.ts';

const run = promisify(execFile);

const hmac = { header: 'X-Hub-Signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' };
/** The tenant's secrets by key: plain text, and the base64 form with a prefix that Standard Webhooks uses. */
const secrets = { SHOP_HOOK: secret, SIGNED_HOOK: `whsec_${Buffer.from(secret).toString('base64')}` };
const configs: Readonly<Record<Verifier, readonly object[]>> = {
  platform_v0: [{}],
  standard_webhooks: [{}, { header_prefix: 'svix' }],
  hmac: [
    { ...hmac, id_header: 'X-GitHub-Delivery' },
    { header: 'X-Shop-Signature', algorithm: 'sha512', encoding: 'base64' },
    { ...hmac, prefix: 'a"b$c`d', pairs: { timestamp: 't', signature: 'v1' } },
  ],
  basic: [{ username: 'Shop "$HOME"' }, { username: 'shop', id_header: 'X-Event' }],
  api_key: [{ header: 'X-Api-Key' }, { header: 'X-Api-Key', id_header: 'X-Event' }],
};
const verified = verifiers.flatMap((verifier) =>
  configs[verifier].flatMap((config) =>
    Object.keys(verifier === 'standard_webhooks' ? secrets : { SHOP_HOOK: secret }).map((key) => ({
      respond: 'immediate',
      verify: { verifier, config, secret_ref: key },
    })),
  ),
);

test('the example of a webhook fires it, whatever proves its caller, and names no secret', async ({ api, skip }) => {
  const isThere = await run('sh', ['-c', 'command -v curl openssl']).catch(() => null);
  if (!isThere) skip('There is no curl or openssl here.');
  for (const [key, value] of Object.entries(secrets)) await call(api, 'PUT', `/secrets/${key}`, { body: { value } });
  const { workflowId } = await readyWorkflow(api, { nodes: [] });
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const token = await api.token();
  for (const given of [{ respond: 'immediate' }, ...verified]) {
    const { body } = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
      body: { type: 'webhook', name: 'Shop', config: given },
    });
    const url = `http://127.0.0.1:${port}/api/v1/webhooks/${body['handle']}`;
    const { address, command, secret: key } = webhookCurl(url, body['config'], 'acme-shop');
    expect(command).toContain(address);
    expect(command).not.toContain(secret);
    expect(key).toBe('verify' in given ? given.verify.secret_ref : null);
    const send = async (env: Record<string, string>) =>
      (await run('sh', ['-euc', `${command} -s`], { env: { ...inheritedEnv, ...env } })).stdout;
    const [name, credential] = key === null ? ['TOKEN', token] : ['SECRET', secrets[key as keyof typeof secrets]];
    expect(await send({ [name]: credential }), command).toContain('"run_id":');
    expect(await send({ [name]: 'guess' }), command).not.toContain('"run_id":');
  }
});
