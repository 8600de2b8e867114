import { expect, test } from 'vitest';
import { isSandboxChildCurrent } from '#scripts/sandbox-child.ts';

test('the module that children run is up to date with the sandbox: `npm run generate`', async () => {
  expect(await isSandboxChildCurrent()).toBe(true);
});
