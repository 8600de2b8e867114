import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command, CommandIo } from '#bin/command.ts';
import { checkNodeFolder } from './read-node-folder.ts';

const maxTestMs = 10 * 60 * 1000;

export const command: Command = {
  usage: '[folder] [options]',
  options: { 'skip-tests': { type: 'boolean', about: 'Only check the package.' } },
  async run(values, [folder = '.'], io) {
    const path = resolve(io.cwd, folder);
    const json = values.json === true;
    const { description, modules } = await checkNodeFolder(path);
    const files = values['skip-tests'] === true ? [] : await testFiles(path);
    if (!json) {
      for (const { slug, entry, bytes } of modules) io.out(`${slug}  ${entry}  ${bytes} bytes bundled\n`);
    }
    const exitCode = files.length === 0 ? 0 : await runTests(path, files, io, json);
    if (json) {
      const { name, version } = description;
      io.out(`${JSON.stringify({ ok: exitCode === 0, name, version, modules, test_files: files })}\n`);
    } else if (files.length === 0) io.out('The package is valid. No tests were run.\n');
    return exitCode === 0 ? 0 : 1;
  },
};

/** `*.test.ts` and `*.test.js` in the folder's `test` folder, sorted. */
async function testFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'test'), { recursive: true }).catch(() => []);
  return names
    .filter((name) => /\.test\.[mc]?[jt]s$/.test(name))
    .map((name) => join('test', name))
    .toSorted();
}

/** Runs the files with Node's test runner; their imports of the kit resolve to this CLI's copy. */
function runTests(folder: string, files: readonly string[], io: CommandIo, quiet: boolean): Promise<number> {
  const kitResolver = new URL('../../kit-resolver.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', kitResolver, '--test', ...files], {
    cwd: folder,
    // A test runner that inherits this variable would report to the outer runner instead of here.
    env: { ...io.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxTestMs,
  });
  child.stdout.on('data', (chunk: Buffer) => quiet || io.out(chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => io.err(chunk.toString('utf8')));
  return new Promise((done, failed) => {
    child.on('error', failed).on('close', (code) => done(code ?? 1));
  });
}
