import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'customers:read': true;
    'customers:write': true;
  }
}

/** Scopes for organizations and for what belongs to them. */
export const customerScopes = defineScopes({
  'customers:read': 'Read organizations, contacts, cost centres and metrics.',
  'customers:write': 'Make and change organizations.',
});
