import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longestDrainMs } from '#src/process/lifetime.ts';

const deploy = join(import.meta.dirname, '../../deploy');

/** Where it is said how many seconds a process has before it is killed; the chart's own test compares its schema. */
const limits = [
  { file: 'systemd/causeway-api.service', pattern: /^TimeoutStopSec=(\d+)$/m, longestMs: longestDrainMs.api },
  { file: 'systemd/causeway-worker.service', pattern: /^TimeoutStopSec=(\d+)$/m, longestMs: longestDrainMs.worker },
  { file: 'compose/compose.yaml', pattern: /^ +stop_grace_period: (\d+)s$/m, longestMs: longestDrainMs.api },
];

test.for(limits)('$file leaves a process longer than it gives itself to end', async ({ file, pattern, longestMs }) => {
  const [, seconds] = pattern.exec(await readFile(join(deploy, file), 'utf8')) ?? [];
  expect(Number(seconds) * 1_000).toBeGreaterThan(longestMs);
});
