import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type SupervisedProcess, superviseProcess } from '#src/process/child-process.ts';
import { freePort } from '#src/process/listen.ts';
import { demoTenant } from './demo-workflow.ts';
import { erpKeyFile } from './erp-key.ts';

const usualPort = 4010;
const host = '127.0.0.1';

export interface DemoErp {
  url: string;
  /** `host:port`, as EGRESS_ALLOW takes it. */
  address: string;
  start: () => void;
  stop: () => Promise<void>;
}

/**
 * Prepares the example's stand-in ERP, which acknowledges orders at `platformUrl`. The demo workflow contains its address, so the port of the first start is stored in
 * `dataDir`. Returns undefined, with a warning, when that port is taken now.
 */
export async function prepareDemoErp(options: {
  dataDir: string;
  platformUrl: string;
  env: NodeJS.ProcessEnv;
  ending: AbortSignal;
  log: Logger;
}): Promise<DemoErp | undefined> {
  const { env, ending, log } = options;
  const file = join(options.dataDir, 'demo-erp-port');
  const kept = Number(await readFile(file, 'utf8').catch(() => '')) || undefined;
  const port = (await freePort(host, kept ?? usualPort)) ?? (kept === undefined ? await freePort(host, 0) : undefined);
  if (port === undefined) {
    log.warn(`Port ${kept} is taken, so the demo's stand-in ERP does not start. Free it, or remove ${file}.`);
    return undefined;
  }
  await mkdir(options.dataDir, { recursive: true });
  await writeFile(file, String(port));
  const { platformUrl, dataDir } = options;
  const platform = ['--platform', platformUrl, '--tenant', demoTenant.id, '--key-file', erpKeyFile(dataDir)];
  const numbers = ['--numbers-file', join(dataDir, 'demo-erp-number')];
  const module = fileURLToPath(new URL('../../examples/erp-nodes/erp/server.ts', import.meta.url));
  const args = ['--port', String(port), ...platform, ...numbers];
  let child: SupervisedProcess | undefined;
  return {
    url: `http://${host}:${port}`,
    address: `${host}:${port}`,
    start() {
      child = superviseProcess({ name: 'demo-erp', module, args, env, drainMs: 1_000, ending, log });
    },
    async stop() {
      await child?.stop();
    },
  };
}
