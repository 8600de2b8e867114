import { auditedApiKey } from './api-keys/api-keys.declarations.ts';

// Without the type of a domain's parts, which knows the REST faces, which know identity.
export const identityParts = { audited: [auditedApiKey] };
