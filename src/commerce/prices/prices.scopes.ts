import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'prices:read': true;
    'prices:write': true;
  }
}

export const priceScopes = defineScopes({
  'prices:read': 'Read price lists and prices, and resolve prices.',
  'prices:write': 'Make, change and delete price lists, and set prices.',
});
