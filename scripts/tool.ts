import { spawnSync } from 'node:child_process';
import { installTools, toolEnvironment } from './tools.ts';

// Runs a tool of tools/package.json: `node scripts/tool.ts oxlint src`. The first use installs them all.

const [name = '', ...options] = process.argv.slice(2);
await installTools();
const { status, error } = spawnSync(name, options, { stdio: 'inherit', env: toolEnvironment() });
if (error) throw error;
process.exitCode = status ?? 1;
