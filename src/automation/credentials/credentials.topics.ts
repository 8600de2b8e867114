import { z } from 'zod';
import { defineTopic } from '#src/journal/outbox/topic.ts';

const credential = {
  credential_id: z.int(),
  name: z.string(),
  credential_type_slug: z.string(),
};
const end = { expires_at: z.iso.datetime(), days_left: z.int().nonnegative() };

export const credentialExpiring = defineTopic({
  name: 'credential.expiring',
  when: '14 and 3 days before a credential expires',
  data: z.object({ ...credential, ...end }),
});

export const credentialExpired = defineTopic({
  name: 'credential.expired',
  when: 'when a credential expires',
  data: z.object({ ...credential, ...end }),
});

export const credentialRevoked = defineTopic({
  name: 'credential.revoked',
  when: 'when the provider revokes a grant',
  data: z.object(credential),
});
