#!/usr/bin/env node
// The command of the archive. Without arguments it is `npm start` in the present folder; with arguments it is the command `causeway`.
// Runs with any Node from 20 on, and starts the one that Causeway is made for.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

const archive = fileURLToPath(new URL('../..', import.meta.url));
const product = join(archive, 'dist');
const { resolve } = createRequire(import.meta.url);
const node = join(dirname(resolve('node/package.json')), 'bin/node');

const words = process.argv.slice(2);
const { scripts, version } = JSON.parse(readFileSync(join(archive, 'package.json'), 'utf8'));
const startOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'));
// As the user can call it again: npx keeps what it has not installed in a folder of its own.
const cli = archive.includes('/_npx/') ? `npx ./causeway-${version}.tgz` : 'npx causeway';
const started =
  words.length === 0 ? [...startOptions, join(product, 'src/server.js')] : [join(product, 'bin/causeway.js'), ...words];

const child = spawn(node, started, {
  stdio: 'inherit',
  env: { NODE_COMPILE_CACHE: join(product, '.cache'), CAUSEWAY_CLI: cli, ...env },
});
// A terminal sends Ctrl+C to both; only a signal to this process alone has to be passed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => undefined);
child.on('error', (error) => {
  process.stderr.write(
    `Node for Causeway cannot be started: ${error.message}. Install again, with install scripts allowed.\n`,
  );
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
});
