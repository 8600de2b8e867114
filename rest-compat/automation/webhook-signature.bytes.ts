import { z } from 'zod';
import type { SignatureAuth } from '#rest/route.ts';
import { findSender, verifySender } from '#src/automation/firings/webhook-senders.service.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { headerText } from '#src/identity/caller.ts';

/** A JSON Web Token; any other value of `Authorization` is for the verifier of the trigger. */
const token = /^Bearer +[\w-]+\.[\w-]+\.[\w-]+$/i;

const named = z.object({ tenant: z.string() });

/**
 * Authenticates callers without a token by the verifier of the trigger, if it has one. Most of them cannot send custom headers either, so
 * the query may name the tenant.
 */
export const webhookSignatureAuth: SignatureAuth<'handle'> = async ({ params, query, headers }, { deps }) => {
  if (token.test(headerText(headers, 'authorization') ?? '')) return null;
  const tenantId = headerText(headers, tenantHeader) ?? named.safeParse(query).data?.tenant;
  const sender = tenantId ? await findSender(deps, tenantId, params.handle) : null;
  if (!sender) return null;
  return (body) => {
    const { headers: passedOn, idempotencyKey } = verifySender(sender, { headers, body });
    const viewer = {
      userId: null,
      iss: 'causeway',
      sub: `webhook/${sender.handle}`,
      aud: [],
      email: null,
      name: null,
      // The role that firing a trigger requires; the request can do nothing else.
      roles: ['user'],
      scopes: [],
      expiresAt: Number.POSITIVE_INFINITY,
    };
    return { caller: { viewer, tenant: sender.tenant }, headers: passedOn, idempotencyKey };
  };
};
