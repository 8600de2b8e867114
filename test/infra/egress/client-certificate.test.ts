import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';

const names = [{ name: 'commonName', value: 'localhost' }];
const made = await generate(names, {
  algorithm: 'sha256',
  clientCertificate: { cn: 'erp-client', algorithm: 'sha256' },
  extensions: [
    { name: 'basicConstraints', cA: true, critical: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 7, ip: '127.0.0.1' },
        { type: 2, value: 'localhost' },
      ],
    },
  ],
});
const certificate = { cert: made.clientcert ?? '', key: made.clientprivate ?? '', ca: made.cert };

/** A server that answers with the name in the client's certificate; it may require one, and may redirect. */
async function serveTls({ isRequired, redirectTo }: { isRequired: boolean; redirectTo?: string }): Promise<string> {
  const server = createServer(
    { key: made.private, cert: made.cert, ca: made.cert, requestCert: true, rejectUnauthorized: isRequired },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      if (redirectTo !== undefined) response.writeHead(302, { location: redirectTo });
      response.end(subject?.CN ?? 'nobody');
    },
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function egressTo(urls: readonly string[]) {
  const allow = parseAllowList(urls.map((url) => new URL(url).host).join(','));
  const egress = createEgress({ allow, ca: made.cert });
  onTestFinished(() => egress.close());
  return egress;
}

test('a server that requires a client certificate gets it, and refuses requests without one', async () => {
  const url = await serveTls({ isRequired: true });
  const egress = egressTo([url]);
  expect(String((await egress.request({ url, certificate })).body)).toBe('erp-client');
  // Connections with a certificate are not shared with requests without one.
  await expect(egress.request({ url })).rejects.toMatchObject({ code: expect.stringMatching(/tls|disconnected/) });
});

test('the host of a redirect is not shown the certificate', async () => {
  const target = await serveTls({ isRequired: false });
  const url = await serveTls({ isRequired: true, redirectTo: target });
  const answer = await egressTo([url, target]).request({ url, certificate, redirects: 1 });
  expect(answer.url).toBe(target);
  expect(String(answer.body)).toBe('nobody');
});

test('only the authority of the certificate is trusted, if it names one', async () => {
  const url = await serveTls({ isRequired: true });
  const other = await generate(names, { algorithm: 'sha256' });
  await expect(egressTo([url]).request({ url, certificate: { ...certificate, ca: other.cert } })).rejects.toMatchObject(
    { code: 'tls' },
  );
});

test.each([
  ['text that is not PEM', { cert: 'certificate', key: 'key' }],
  ['the key of another certificate', { cert: certificate.cert, key: made.private }],
])('%s is refused before anything is sent', async (_what, broken) => {
  const url = await serveTls({ isRequired: false });
  await expect(egressTo([url]).request({ url, certificate: broken })).rejects.toMatchObject({
    code: 'tls',
    message: expect.stringContaining('must be PEM'),
  });
});
