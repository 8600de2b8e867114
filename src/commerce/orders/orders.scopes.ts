import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'orders:read': true;
    'orders:write': true;
  }
}

export const orderScopes = defineScopes({
  'orders:read': 'Read orders.',
  'orders:write': 'Acknowledge, cancel and complete orders, and report shipments, returns and payments.',
});
