import { execFile, spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '#test/setup/child-env.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');
const script = join(import.meta.dirname, 'in-image.sh');
/** The user of the image. */
const imageUser = 10_001;
/** True for root. Only root can set up the root file system, and there is no container engine to do it. */
export const canRunImage = process.getuid?.() === 0;

/** The minimal settings of a process of the image, apart from its database. */
export const imageSettings = {
  NODE_ENV: 'production',
  DATA_DIR: '/var/lib/causeway',
  OIDC_ISSUER: 'https://id.example.com',
  PUBLIC_URL: 'https://hub.example.com',
  CREDENTIALS_KEY: Buffer.alloc(32, 1).toString('base64'),
  SECRETS_KEY: Buffer.alloc(32, 2).toString('base64'),
  URL_SIGNING_SECRET: 'a'.repeat(32),
};

export type LaidOutImage = Awaited<ReturnType<typeof layOutImage>>;

/** Builds the files of the image in a folder, with the image's own script and from the files that git tracks. */
export async function layOutImage() {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-image-'));
  const [image, data, clone] = [join(folder, 'image'), join(folder, 'data'), join(folder, 'clone')];
  await mkdir(clone);
  const copy = 'git ls-files | tar --create --files-from=- | tar --extract --directory "$1"';
  await run('sh', ['-euc', copy, 'sh', clone], { cwd: repository });
  // The same result as `npm ci`, without the minute that it takes.
  // Other tests write to the cache while this copies, so it is left out.
  const modules =
    'mkdir "$2/node_modules" && cd "$1" && find . -mindepth 1 -maxdepth 1 ! -name .cache -exec cp --archive {} "$2/node_modules" \\;';
  await run('sh', ['-euc', modules, 'sh', join(repository, 'node_modules'), clone]);
  // The image gets the Node that runs this test, whichever Node is on the path.
  const env = { ...inheritedEnv, PATH: [dirname(process.execPath), inheritedEnv['PATH']].join(delimiter) };
  await run('deploy/image/install.sh', [join(image, 'causeway')], { cwd: clone, env });
  await rm(clone, { recursive: true });
  await mkdir(data);
  await chown(data, imageUser, imageUser);
  return {
    /** The folder of the image's own files: its root without the files of the base image. */
    files: image,
    /** The size of its files in megabytes of 2^20 bytes. */
    async megabytes(): Promise<number> {
      const { stdout } = await run('du', ['--summarize', '--block-size=1M', image]);
      return Number.parseInt(stdout, 10);
    },
    /** Runs its entry point, or another command of it, on its read-only root as its user. */
    start(env: Record<string, string>, ...command: string[]) {
      const child = spawn('unshare', ['--mount', 'sh', script, image, data, process.execPath, ...command], {
        env: {
          ...inheritedEnv,
          ...Object.fromEntries(Object.entries(env).map(([name, value]) => [`IMAGE_${name}`, value])),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      child.stdout.on('data', (text) => (output += text));
      child.stderr.on('data', (text) => (output += text));
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      const stop = (signal: NodeJS.Signals = 'SIGTERM') => child.kill(signal);
      return { pid: child.pid ?? 0, ended, output: () => output, stop };
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
