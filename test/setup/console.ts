import { cp, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openConsole } from '#src/console/open-console.ts';
import { originRule } from '#src/infra/http/cors.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { type Gate, startGate } from './gate.ts';

// Here, because esbuild keeps a process, which a test would otherwise be told to have left open.
const site = await openConsole({ info: () => undefined, warn: () => undefined });

/** The app as it serves the console to a browser, with the sign-in of the development issuer. */
export interface TestConsole {
  /** The app that answers now; a restart replaces it. */
  readonly api: TestApp;
  /** `http://localhost:<port>/console/` */
  url: string;
  /** The way to the API and to the page. */
  server: Gate;
  /** The way to the issuer, which is the same process. */
  issuer: Gate;
  /** Ends the app and starts another on the same database and data; `whileDown` runs while nothing listens. */
  restart: (whileDown?: () => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
}

/** Builds the console of these sources and serves it on a database with the orgs of `startTestApp`. */
export async function startTestConsole(databaseUrl: string, options: TestAppOptions = {}): Promise<TestConsole> {
  const [server, issuer] = await Promise.all([startGate(), startGate()]);
  const publicUrl = `http://localhost:${server.port}`;
  const settings: TestAppOptions = {
    consoleSite: site,
    allowsOrigin: originRule([], { anyLocalhost: true }),
    at: { publicUrl, issuer: `http://localhost:${issuer.port}/dev/oidc` },
    ...options,
  };
  const gates = [server, issuer];
  const listen = async ({ app }: TestApp) => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    for (const gate of gates) {
      gate.leadTo(port);
      gate.open();
    }
  };
  let api = await startTestApp({ databaseUrl }, settings);
  await listen(api);
  const copies: string[] = [];
  return {
    get api() {
      return api;
    },
    url: `${publicUrl}/console/`,
    server,
    issuer,
    async restart(whileDown) {
      for (const gate of gates) gate.shut();
      // The app removes its directory when it closes.
      const dataDir = await mkdtemp(join(tmpdir(), 'causeway-app-'));
      copies.push(dataDir);
      await cp(api.dataDir, dataDir, { recursive: true });
      await api.close();
      await whileDown?.();
      api = await startTestApp({ databaseUrl, dataDir }, settings);
      await listen(api);
    },
    async close() {
      // Browsers keep connections open, for which the app would wait.
      await Promise.all(gates.map((gate) => gate.close()));
      await api.close();
      await Promise.all(copies.map((copy) => rm(copy, { recursive: true, force: true })));
    },
  };
}

/** Chooses a user on the page of the development issuer, which the console leads to. */
export async function chooseUser(page: Page, { role = 'Administrator', place = 'acme' } = {}): Promise<void> {
  await page.getByRole('radio', { name: role }).check();
  await page.getByLabel('Organisation and tenants').selectOption(place);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
