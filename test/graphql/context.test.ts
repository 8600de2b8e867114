import { expect, test } from 'vitest';
import { type Context, createContext, type Incoming, inTenant, tenantKey } from '#src/graphql/context.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { Services } from '#src/infra/services.ts';

const deps = { database: { reader: (tenantId: string) => ({ reads: tenantId }) } } as unknown as Deps;
const makeContext = (tenant: { id: string; orgId: string } | null): Context =>
  createContext({ deps } as Services, { channel: 'api' } as Incoming, { viewer: null, tenant });

test('a request in a tenant reads and acts only in that tenant', () => {
  const principal = { userId: null, sub: null, email: null, channel: 'api' };
  // Executors of live events copy the context.
  const context = { ...makeContext({ id: 'acme-shop', orgId: 'acme' }) };
  expect(inTenant(context)).toMatchObject({
    deps,
    tenantId: 'acme-shop',
    db: { reads: 'acme-shop' },
    actor: { ...principal, orgId: 'acme', tenantId: 'acme-shop' },
  });
  expect(tenantKey(context, 'Workflow', '7')).toEqual({ tenantId: 'acme-shop', id: 7n });
});

test('a request without a tenant is refused objects of a tenant', () => {
  const context = makeContext(null);
  expect(() => inTenant(context)).toThrow('Tenant context is required.');
  expect(() => tenantKey(context, 'Workflow', '7')).toThrow(NotFoundError);
});
