import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'stock:read': true;
    'stock:write': true;
  }
}

export const stockScopes = defineScopes({
  'stock:read': 'Read stock, availability and movements.',
  'stock:write': 'Book movements, transfer stock and set reorder points.',
});
