import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));
const run = promisify(execFile);
const loadTimeoutMs = 20_000;

const isolates = require.resolve('isolated-vm');
const folders = [dirname(isolates), dirname(createRequire(isolates).resolve('node-gyp-build'))];
/** Generated from `sandbox/`: a child would spend as much processor time again on the types of its modules. */
const child = `${here}/generated/sandbox-child.mjs`;
/** `/etc/alpine-release` tells the loader of isolated-vm which libc there is. */
const files = [child, '/etc/alpine-release'];

// isolated-vm cannot create isolates in a process that itself started from a snapshot.
const noSnapshot = '--no-node-snapshot';

/** The command of a child, without its options. */
export const program = [
  process.execPath,
  noSnapshot,
  '--no-warnings',
  '--v8-pool-size=1',
  '--permission',
  '--allow-addons',
  ...[...folders.map((folder) => `${folder}/*`), ...files].map((path) => `--allow-fs-read=${path}`),
  child,
];

export type Visible = { folders: string[]; files: string[] };

let loaded: Promise<string[]> | undefined;

/** All that a child opens on its way to being ready. */
export async function programFiles(): Promise<Visible> {
  loaded ??= sharedObjects().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  const opened = [process.execPath, ...(await loaded), ...files, '/etc/ld.so.cache'];
  return { folders, files: opened.filter((file) => existsSync(file)) };
}

/** Node reports which files its loader loaded, under the requested names; `ldd` is not on every host. */
async function sharedObjects(): Promise<string[]> {
  const script = `require(${JSON.stringify(isolates)});
    process.report.excludeNetwork = true;
    console.log(JSON.stringify(process.report.getReport().sharedObjects));`;
  const { stdout } = await run(process.execPath, ['--eval', script], { env: {}, timeout: loadTimeoutMs });
  const objects = JSON.parse(stdout) as string[];
  return objects.filter((path) => isAbsolute(path) && !path.endsWith('.node'));
}
