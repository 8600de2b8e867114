import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCauseway } from '#bin/causeway.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { makeInstallation, type Owner, type TestInstallation } from '#test/setup/installation.ts';

/** An installation with its files and keys, and the app on it. */
export interface Side extends TestInstallation {
  number: number;
  dataDir: string;
  api: TestApp;
}

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

export interface TwoInstallations {
  source: Side;
  target: Side;
  /** Runs a command in one of them, as its operator does. */
  causeway: (side: Side, ...argv: string[]) => Promise<Outcome>;
  /** A folder for an archive, and the options that name it with its key. */
  makeArchive: () => Promise<{ folder: string; keyFile: string; options: string[] }>;
  close: () => Promise<void>;
}

async function openSide(number: number, makesTenants: boolean, owner: Owner): Promise<Side> {
  const installation = await makeInstallation(number, owner);
  const dataDir = await mkdtemp(join(tmpdir(), `causeway-installation-${number}-`));
  const api = await startTestApp({ databaseUrl: installation.url, dataDir });
  if (makesTenants) {
    await api.database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
    for (const id of ['acme-shop', 'acme-outlet'])
      await api.database.global.tenant.create({ data: { id, orgId: 'acme', name: id } });
  }
  return { ...installation, number, dataDir, api };
}

/** Two installations with databases, files and keys of their own. */
export async function openTwoInstallations(owner: Owner): Promise<TwoInstallations> {
  const [source, target] = await Promise.all([openSide(2, true, owner), openSide(5, false, owner)]);
  const folders: string[] = [];
  return {
    source,
    target,
    async causeway({ number, url, dataDir }, ...argv) {
      const outcome = { code: 0, out: '', err: '' };
      outcome.code = await runCauseway(argv, {
        out: (text) => void (outcome.out += text),
        err: (text) => void (outcome.err += text),
        env: { DATABASE_URL: url, DATA_DIR: dataDir, INSTALLATION: String(number) },
        cwd: '/',
      });
      return outcome;
    },
    async makeArchive() {
      const folder = await mkdtemp(join(tmpdir(), 'causeway-move-'));
      folders.push(folder);
      const keyFile = join(folder, 'transfer.key');
      await writeFile(keyFile, randomBytes(32).toString('base64'));
      return { folder, keyFile, options: ['--folder', folder, '--key-file', keyFile] };
    },
    async close() {
      for (const { api, drop, dataDir } of [source, target]) {
        await api.close();
        await drop();
        await rm(dataDir, { recursive: true, force: true });
      }
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}
