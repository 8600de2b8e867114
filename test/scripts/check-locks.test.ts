import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/check-locks.ts');
const product = 'package-lock.json';
const tools = 'tools/package-lock.json';
const sound = {
  '': { name: 'it' },
  'packages/kit': { version: '1.0.0' },
  'node_modules/kit': { resolved: 'packages/kit', link: true },
  'node_modules/whole': { version: '1.0.0', integrity: 'sha512-a' },
};
const forOnePlatform = { 'node_modules/linter-win32': { version: '1.0.0', optional: true, os: ['win32'] } };

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'check-locks-test-'));
  for (const file of [product, tools, 'bench/peers/package-lock.json']) await write(file, {});
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function write(file: string, packages: object): Promise<void> {
  await mkdir(dirname(join(directory, file)), { recursive: true });
  await writeFile(join(directory, file), JSON.stringify({ packages: { ...sound, ...packages } }));
}
const check = () => {
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: directory, encoding: 'utf8' });
  return { status, stderr };
};

describe('the check of the lock files', () => {
  test('passes when every package that npm downloads has its integrity', () => {
    expect(check()).toEqual({ status: 0, stderr: '' });
  });

  test('fails for a package without integrity, even a nested one', async () => {
    await write(product, { 'node_modules/whole/node_modules/bare': { version: '1.0.0', dev: true } });
    const stderr = expect.stringContaining(`${product}: node_modules/whole/node_modules/bare has no integrity.`);
    expect(check()).toEqual({ status: 1, stderr });
  });

  test('allows a program for another platform only among the tools', async () => {
    await write(tools, forOnePlatform);
    expect(check().status).toBe(0);
    await write(product, forOnePlatform);
    expect(check().stderr).toMatch(/^package-lock\.json: node_modules\/linter-win32 has no integrity\./);
  });

  test('fails for a tool that is not platform-specific', async () => {
    await write(tools, { 'node_modules/linter': { version: '1.0.0', optional: true } });
    expect(check().stderr).toMatch(/^tools\/package-lock\.json: node_modules\/linter has no integrity\./);
  });

  test('fails for the address of a registry', async () => {
    const resolved = 'https://registry.example.com/whole.tgz';
    await write(tools, { 'node_modules/whole': { version: '1.0.0', integrity: 'sha512-a', resolved } });
    expect(check().stderr).toContain('node_modules/whole names a registry.');
  });
});
