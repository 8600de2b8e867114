import { describe, expect, test } from 'vitest';
import { assertAccess } from '#src/graphql/access.ts';
import type { Caller } from '#src/graphql/context.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'test:read': true;
  }
}

const tenant = { id: 'acme-shop', orgId: 'acme' };
const asking = (rights: { roles?: string[]; scopes?: string[] }, within: Caller['tenant'] = tenant) =>
  ({ viewer: { roles: [], scopes: [], ...rights }, tenant: within }) as unknown as Caller;

describe('access by the scope of an API key', () => {
  test('is given only to a key with that scope', () => {
    expect(() => assertAccess(asking({ scopes: ['test:read'] }), { scope: 'test:read' })).not.toThrow();
    expect(() => assertAccess(asking({ scopes: ['test:write'] }), { scope: 'test:read' })).toThrow('unauthorized');
    expect(() => assertAccess(asking({ roles: ['admin'] }), { scope: 'test:read' })).toThrow('unauthorized');
  });

  test('needs a tenant', () => {
    expect(() => assertAccess(asking({ scopes: ['test:read'] }, null), { scope: 'test:read' })).toThrow(
      'Tenant context is required.',
    );
  });

  test('may be combined with a role: either is enough', () => {
    const needed = { member: true, scope: 'test:read' } as const;
    expect(() => assertAccess(asking({ roles: ['user'] }), needed)).not.toThrow();
    expect(() => assertAccess(asking({ scopes: ['test:read'] }), needed)).not.toThrow();
    expect(() => assertAccess(asking({}), needed)).toThrow('unauthorized');
    expect(() => assertAccess({ viewer: null, tenant: null }, needed)).toThrow('Unauthenticated.');
  });
});
