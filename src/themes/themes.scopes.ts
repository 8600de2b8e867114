import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'theme:read': true;
  }
}

export const themeScopes = defineScopes({
  'theme:read': 'Read installed themes, extensions and blocks, and have blocks rendered: for theme servers.',
});
