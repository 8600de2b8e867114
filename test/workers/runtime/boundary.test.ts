import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeBoundary, requireBoundary } from '#workers/runtime/boundary.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import { executing, requireOutputs, runIn } from './harness.ts';

const shell = '/bin/sh';
const { boundary, prefix } = await probeBoundary([shell]);
const missing = boundary.namespaces !== 'all' && 'This host does not give the sandbox namespaces of its own.';

describe('a shell behind the prefix of a child', () => {
  const secrets = ['keys/credentials.key', 'dev-oidc/key.json', 'url-signing-secret'];
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'data-dir-'));
    for (const secret of secrets) {
      await mkdir(dirname(join(dataDir, secret)), { recursive: true });
      await writeFile(join(dataDir, secret), 'a secret\n', { mode: 0o600 });
    }
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  /** The output of a shell behind the command; it may end with any code, but must start. */
  function say(command: string[], script: string): Promise<string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const words = [...command, shell, '-c', script];
    execFile(words[0] ?? shell, words.slice(1), { env: {}, timeout: 20_000 }, (error, stdout) => {
      if (error !== null && typeof error.code !== 'number') reject(new Error('No shell started.', { cause: error }));
      else resolve(stdout.split('\n').filter((line) => line !== ''));
    });
    return promise;
  }

  /** Which of the conditions hold for a shell behind the command. */
  async function holding(command: string[], conditions: string[]): Promise<string[]> {
    const script = conditions.map((condition, index) => `if ${condition}; then echo ${index}; fi`).join('\n');
    return (await say(command, script)).flatMap((index) => conditions[Number(index)] ?? []);
  }

  test('reads no key, sees and signals no process, and writes nothing', async ({ skip }) => {
    skip(missing !== false, missing || '');
    const onTheHost = [
      ...secrets.map((secret) => `read -r line < ${join(dataDir, secret)}`),
      `[ -e ${dataDir} ]`,
      `echo x > ${dataDir}/written`,
      `kill -0 ${process.pid}`,
      `[ -e /proc/${process.pid} ]`,
      '[ -e /proc/self ]',
      '[ -e /dev/null ]',
      '[ -e /etc/passwd ]',
      `[ -e ${join(import.meta.dirname, 'harness.ts')} ]`,
    ];
    expect(await holding([], onTheHost)).toEqual(onTheHost);
    expect(await holding(prefix, [...onTheHost, 'true'])).toEqual(['true']);

    const folders = ['/', '/lib', dirname(process.execPath), join(import.meta.dirname, '../../../workers/runtime')];
    const unwanted = [
      ...folders.map((folder) => `echo x > ${join(folder, 'written')}`),
      `[ -w ${process.execPath} ]`,
      'kill -0 -1',
      '[ $$ != 1 ]',
    ];
    expect(await holding(prefix, [...unwanted, 'true'])).toEqual(['true']);
  });

  test('sees the program, its libraries and nothing else', async ({ skip }) => {
    skip(missing !== false, missing || '');
    const names = ['/*', '/etc/*', '/bin/*'].map((pattern) => `for path in ${pattern}; do echo "$path"; done`);
    const listed = await say(prefix, names.join('\n'));
    const first = process.execPath.split('/')[1];
    const program = import.meta.dirname.split('/')[1];
    const libraries = ['lib', 'lib64', 'usr', 'nix'];
    const unexpected = listed
      .filter((path) => !['/etc', '/etc/ld.so.cache', '/etc/alpine-release', '/bin', shell].includes(path))
      .filter((path) => ![first, program, ...libraries].includes(path.slice(1)));
    expect(unexpected).toEqual([]);
  });
});

describe('the process of a child', () => {
  test('has namespaces of its own, no environment, no capabilities and no way to gain privileges', async () => {
    const runtime = await createRuntime();
    try {
      requireOutputs(await runIn(runtime, executing('return {};')));
      const { boundary, children } = runtime.stats();
      const proc = `/proc/${children[0]?.pid}`;
      const status = await readFile(`${proc}/status`, 'utf8');
      expect(await readFile(`${proc}/environ`, 'utf8')).toBe('');
      expect(await readFile(`${proc}/cmdline`, 'utf8')).toMatch(/^\S*node\0/);
      // No more open files than its pipes and its loop need.
      expect((await readdir(`${proc}/fd`)).length).toBeLessThan(40);
      if (boundary.noNewPrivileges) expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      if (boundary.ownUser) expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
      if (boundary.namespaces === 'none') return;
      const routes = (await readFile(`${proc}/net/route`, 'utf8')).trim().split('\n').slice(1);
      const devices = await readFile(`${proc}/net/dev`, 'utf8');
      expect(routes).toEqual([]);
      expect([...devices.matchAll(/^\s*(\w+):/gm)].map((match) => match[1])).toEqual(['lo']);
      if (boundary.namespaces !== 'all') return;
      expect(status).toMatch(/^CapEff:\t0+$/m);
      expect(status).toMatch(/^CapPrm:\t0+$/m);
      expect(status).toMatch(/^NSpid:.*\t1$/m);
    } finally {
      await runtime.close();
    }
  });
});

test('production refuses less than all namespaces, unless told otherwise', () => {
  const all = { namespaces: 'all', ownUser: true, noNewPrivileges: true, resourceLimits: true } as const;
  expect(() => requireBoundary(all, { production: true })).not.toThrow();
  for (const namespaces of ['network', 'none'] as const) {
    const less = { ...all, namespaces };
    expect(() => requireBoundary(less, { production: true })).toThrow('SANDBOX_ALLOW_NO_OS_BOUNDARY=1');
    expect(() => requireBoundary(less, { production: true, allowNoOsBoundary: true })).not.toThrow();
    expect(() => requireBoundary(less, {})).not.toThrow();
  }
});
