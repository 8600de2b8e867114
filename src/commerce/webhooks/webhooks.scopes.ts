import { defineScopes } from '#src/infra/key-scopes.ts';

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'webhooks:read': true;
    'webhooks:write': true;
  }
}

export const webhookScopes = defineScopes({
  'webhooks:read': 'Read webhook destinations, deliveries and inbound endpoints.',
  'webhooks:write': 'Make, change and delete webhook destinations and inbound endpoints, and send deliveries again.',
});
