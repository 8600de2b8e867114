import { expect, test } from 'vitest';
import { isOffered, noTenant } from '#console/shell/readers.ts';
import { nouns } from '#test/console/every-screen/registry.ts';

const ofTenant = {};
const ofInstallation = { readers: 'operators' } as const;
const ofBoth = { readers: 'everybody' } as const;

test.each([
  { tenant: 'demo', roles: ['user'], offered: [true, false, true] },
  { tenant: 'demo', roles: ['admin', 'operator'], offered: [true, true, true] },
  // The roles are not known before the server has said them.
  { tenant: 'demo', roles: [], offered: [true, false, true] },
  { tenant: 'demo', roles: ['operator'], offered: [false, true, true] },
  { tenant: noTenant, roles: ['operator'], offered: [false, true, true] },
])('$roles in $tenant is offered what concerns the tenant, the installation, both: $offered', (given) => {
  const { tenant, roles, offered } = given;
  expect([ofTenant, ofInstallation, ofBoth].map((offer) => isOffered(offer, { tenant, roles }))).toEqual(offered);
});

test('an operator who is in no tenant finds the nodes, which operators publish', () => {
  const nodes = nouns.find(({ noun }) => noun === 'node-packages');
  expect(isOffered(nodes ?? {}, { tenant: noTenant, roles: ['operator'] })).toBe(true);
});
