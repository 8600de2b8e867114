import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/check-breaking.ts');
const both = 'type Query { kept: Int old: Int }';
const without = 'type Query { kept: Int }';
const more = 'type Query { kept: Int old: Int new: Int }';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'check-breaking-test-'));
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: directory });
const write = (graph: string) => writeFile(join(directory, 'schema.graphql'), graph);
async function commit(graph: string, message = 'Change the graph'): Promise<void> {
  await write(graph);
  git('add', 'schema.graphql');
  git('commit', '--quiet', '--message', message);
}
const check = () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: directory, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};
const broken = {
  status: 1,
  output: expect.stringContaining("Breaks clients: Field 'old' was removed from object type 'Query'"),
};

describe('the check for changes that break clients', () => {
  test('fails over a field that the previous commit had', async () => {
    await commit(both);
    await commit(without);
    expect(check()).toEqual(broken);
  });

  test('fails over a field that is gone before it is committed', async () => {
    await commit(both);
    await write(without);
    expect(check()).toEqual(broken);
  });

  test('fails over a field that a branch removed, however many commits ago', async () => {
    await commit(both);
    git('switch', '--quiet', '--create', 'branch');
    await commit(without);
    await commit('type Query { kept: Int other: Int }');
    expect(check()).toEqual(broken);
  });

  test('passes what only adds, and the first graph there is', async () => {
    await commit(both);
    expect(check()).toEqual({ status: 0, output: expect.stringContaining('nothing can break') });
    await commit(more);
    expect(check()).toEqual({ status: 0, output: '' });
  });

  test('passes a break that the commit gives its reason for, and says so', async () => {
    await commit(both);
    await commit(without, 'Drop old\n\nBREAKING CHANGE: nobody could ever read it.');
    expect(check()).toEqual({ status: 0, output: expect.stringContaining('nobody could ever read it') });
  });
});
