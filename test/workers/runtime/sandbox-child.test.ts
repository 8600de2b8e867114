import { expect, test } from 'vitest';
import { isSandboxChildCurrent } from '#scripts/sandbox-child.ts';

test('the module that children run is made of the sandbox as it is: `npm run generate`', async () => {
  expect(await isSandboxChildCurrent()).toBe(true);
});
