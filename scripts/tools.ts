import { spawnSync } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '#src/process/env.ts';

const tools = join(import.meta.dirname, '../tools');
const lock = join(tools, 'package-lock.json');
/** On a busy machine it takes more than five minutes. */
const installLimitMs = 600_000;
/** A copy of the lock file that was installed. */
const installed = join(tools, 'node_modules/.installed-lock.json');

/** True if the tools are installed from their lock file as it is now. */
export const areToolsInstalled = async (): Promise<boolean> =>
  (await readFile(lock, 'utf8')) === (await readFile(installed, 'utf8').catch(() => ''));

/**
 * Installs the tools of tools/package.json from their own lock file, unless they are installed from it already. None of them needs its
 * install script: Prisma's would download an engine.
 */
export async function installTools(): Promise<void> {
  if (await areToolsInstalled()) return;
  console.error('Installing the tools (npm ci --prefix tools) ...');
  const npm = spawnSync('npm', ['ci', '--prefix', tools, '--ignore-scripts', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: installLimitMs,
  });
  if (npm.status !== 0) throw new Error('The tools could not be installed. Run `npm ci --prefix tools` to see why.');
  await copyFile(lock, installed);
}

/** The environment in which the tools find each other, and the programs of the product's install. */
export function toolEnvironment(changes: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH = '' } = childEnvironment({});
  const bins = [join(tools, 'node_modules/.bin'), join(tools, '../node_modules/.bin')];
  return childEnvironment({ ...changes, PATH: [...bins, PATH].join(delimiter) });
}
