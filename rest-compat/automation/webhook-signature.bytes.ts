import { z } from 'zod';
import type { SignatureAuth } from '#rest/route.ts';
import { findSender, verifySender } from '#src/automation/firings/webhook-senders.service.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { headerText } from '#src/identity/caller.ts';

/** A JSON Web Token; what else a sender writes into `Authorization` is for the verifier of its trigger. */
const token = /^Bearer +[\w-]+\.[\w-]+\.[\w-]+$/i;

const named = z.object({ tenant: z.string() });

/**
 * Callers without a token prove themselves by the verifier of the trigger, if it has one. Most cannot send a header of their choice
 * either, so that the query may name the tenant.
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
      // What firing a trigger takes; this request does nothing else.
      roles: ['user'],
      scopes: [],
      expiresAt: Number.POSITIVE_INFINITY,
    };
    return { caller: { viewer, tenant: sender.tenant }, headers: passedOn, idempotencyKey };
  };
};
