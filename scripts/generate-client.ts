import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '#src/process/env.ts';

// Runs after `npm ci` too. Generating needs no schema engine, but Prisma would download one first; any program will do.
const anyProgram = ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path));
const prisma = join(import.meta.dirname, '../node_modules/prisma/build/index.js');
const { status, stdout, stderr } = spawnSync(process.execPath, [prisma, 'generate', '--no-hints'], {
  encoding: 'utf8',
  env: childEnvironment({
    CHECKPOINT_DISABLE: '1',
    ...(anyProgram !== undefined && { PRISMA_SCHEMA_ENGINE_BINARY: anyProgram }),
  }),
});
if (status !== 0) console.error(`prisma generate failed.\n${stdout}${stderr}`);
process.exitCode = status ?? 1;
