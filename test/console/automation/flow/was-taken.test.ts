import { expect, test } from 'vitest';
import { branchesTaken, wasTaken } from '#console/automation/flow/was-taken.ts';

const mark = (byStatus: { succeeded?: number; failed?: number }, branches: string[] = [], isInLoop = false) => ({
  tone: 'succeeded',
  branches: branchesTaken({ byStatus: { succeeded: 0, failed: 0, ...byStatus }, branches }, isInLoop),
});
const skipped = { tone: 'cancelled' };
const ran = mark({ succeeded: 1 }, ['default']);

test.each([
  ['the branch that was chosen', mark({ succeeded: 1 }, ['true']), ran, 'true', true],
  ['another branch to a node that ran', mark({ succeeded: 1 }, ['true']), ran, 'false', false],
  [
    'both branches that the rounds of a loop chose',
    mark({ succeeded: 2 }, ['false', 'true'], true),
    ran,
    'false',
    true,
  ],
  ['a branch after a failure, which names none', mark({ failed: 1 }), ran, 'error', true],
  [
    'the branch of the attempt that succeeded after another',
    mark({ succeeded: 1, failed: 1 }, ['true']),
    ran,
    'false',
    false,
  ],
  ['a branch after a failure to a node that was skipped', mark({ failed: 1 }), skipped, 'default', false],
  [
    'a branch of a loop of whose rounds one failed',
    mark({ succeeded: 1, failed: 1 }, ['true'], true),
    ran,
    'error',
    true,
  ],
  ['a link without a branch', ran, ran, null, true],
  ['the link of a trigger that fired', { tone: 'succeeded' }, ran, null, true],
  ['a link to a node without a step', ran, undefined, 'default', false],
  ['a link from a trigger that did not fire', undefined, ran, null, false],
])('a picture of a run tells whether it went along %s', (_, from, to, branch, taken) => {
  expect(wasTaken(from, to, branch)).toBe(taken);
});
