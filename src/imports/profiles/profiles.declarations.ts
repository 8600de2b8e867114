import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedImportProfile = defineAudited({
  type: 'import_profile',
  node: 'ImportProfile',
  actions: ['create', 'update', 'delete'],
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'io:read': true;
    'io:write': true;
  }
}

export const ioScopes = defineScopes({
  'io:read': 'Read import profiles, schedules, jobs, what they rejected and what they exported.',
  'io:write':
    'Upload files, keep import profiles, accounts of servers and schedules, start and cancel imports and exports.',
});
