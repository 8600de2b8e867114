import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { openConsole } from '#src/console/open-console.ts';
import { originRule } from '#src/infra/http/cors.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { type Gate, startGate } from './gate.ts';

// Here, because esbuild keeps a process, which a test would otherwise be told to have left open.
const site = await openConsole({ info: () => undefined, warn: () => undefined });

/** The app as it serves the console to a browser, with the sign-in of the development issuer. */
export interface TestConsole {
  api: TestApp;
  /** `http://localhost:<port>/console/` */
  url: string;
  /** The way to the API and to the page. */
  server: Gate;
  /** The way to the issuer, which is the same process. */
  issuer: Gate;
  close: () => Promise<void>;
}

/** Builds the console of these sources and serves it on a database with the orgs of `startTestApp`. */
export async function startTestConsole(databaseUrl: string, options: TestAppOptions = {}): Promise<TestConsole> {
  const [server, issuer] = await Promise.all([startGate(), startGate()]);
  const publicUrl = `http://localhost:${server.port}`;
  const api = await startTestApp(
    { databaseUrl },
    {
      consoleSite: site,
      allowsOrigin: originRule([], { anyLocalhost: true }),
      at: { publicUrl, issuer: `http://localhost:${issuer.port}/dev/oidc` },
      ...options,
    },
  );
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  for (const gate of [server, issuer]) gate.leadTo(port);
  return {
    api,
    url: `${publicUrl}/console/`,
    server,
    issuer,
    async close() {
      // Browsers keep connections open, for which the app would wait.
      await Promise.all([server.close(), issuer.close()]);
      await api.close();
    },
  };
}

/** Chooses a user on the page of the development issuer, which the console leads to. */
export async function chooseUser(page: Page, { role = 'Administrator', place = 'acme' } = {}): Promise<void> {
  await page.getByRole('radio', { name: role }).check();
  await page.getByLabel('Organisation and tenants').selectOption(place);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
