import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'products:read': true;
    'products:write': true;
  }
}

export const productScopes = defineScopes({
  'products:read': 'Read products.',
  'products:write': 'Make, change and delete products.',
});
