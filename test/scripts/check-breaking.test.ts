import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareGraphs } from '#scripts/breaking-changes.ts';

const script = join(import.meta.dirname, '../../scripts/check-breaking.ts');
const released = 'type Query { kept: Int old: Int }';
const without = 'type Query { kept: Int }';
const removal = "Field 'old' was removed from object type 'Query'";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'check-breaking-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, file)), { recursive: true });
  await writeFile(join(directory, file), text);
}

/** Compares a graph with the released one, with these lines under "Unreleased". */
async function compare(present: string, ...unreleased: string[]) {
  await write('schema.released.graphql', released);
  await write('schema.graphql', present);
  const items = unreleased.map((line) => `- ${line}\n`).join('');
  await write(
    'docs/graph-changelog.md',
    `# Changes\n\n## Unreleased\n\n### Why\n\n${items}\n## 0.1.0\n\n- Field 'older' was removed from object type 'Query'\n`,
  );
  return compareGraphs(directory);
}

/** The same as the script that people call. */
async function check(...given: Parameters<typeof compare>) {
  await compare(...given);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: directory, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('the check for changes that break clients', () => {
  test('fails for a breaking change that the changelog lacks, and prints the line to add', async () => {
    expect(await check(without)).toEqual({ status: 1, output: expect.stringContaining(`\n- ${removal}\n`) });
  });

  test('passes a breaking change that the changelog lists', async () => {
    expect(await check(without, removal)).toEqual({
      status: 0,
      output: expect.stringContaining('Breaking changes: 1'),
    });
  });

  test('fails for a line of the changelog that breaks nothing', async () => {
    expect(await compare(released, removal)).toMatchObject({
      faults: [expect.stringContaining(`delete the line:\n- ${removal}`)],
    });
  });

  test('fails for a repeated line', async () => {
    expect(await compare(without, removal, removal)).toMatchObject({ faults: [expect.stringContaining('twice')] });
  });

  test('passes additions, whatever earlier versions broke', async () => {
    expect(await compare('type Query { kept: Int old: Int new: Int }')).toEqual({ faults: [] });
  });
});
