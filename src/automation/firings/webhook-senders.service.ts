import { createHash } from 'node:crypto';
import { readSecret } from '#src/automation/secrets/secrets.reads.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { type ExpectedSender, type SentCall, verifierHeaders, verifyCall } from '#src/infra/signing/verify-call.ts';
import { isHandle, type WebhookVerify } from './firings.inputs.ts';

/** The sender that a webhook trigger expects. */
export interface WebhookSender extends ExpectedSender {
  tenant: { id: string; orgId: string };
  handle: string;
}

/**
 * The sender whose signature the tenant's trigger verifies; null when the trigger expects a token, or when no such trigger is
 * active. Throws UNAVAILABLE while the secret is missing, so that the call is sent again.
 */
export async function findSender(deps: Deps, tenantId: string, handle: string): Promise<WebhookSender | null> {
  if (tenantId.length > 63 || !isHandle(handle)) return null;
  const [row] = await deps.database.tenantQuery<{ orgId: string; verify: WebhookVerify }>(tenantId, {
    name: 'find-webhook-sender',
    text: `SELECT n.org_id AS "orgId", t.config -> 'verify' AS verify
      FROM triggers t JOIN tenants n ON n.id = t.tenant_id
      WHERE t.tenant_id = $1 AND t.handle = $2 AND t.type = 'webhook' AND t.active AND t.config ? 'verify'`,
    values: [tenantId, handle],
  });
  if (!row) return null;
  const { verifier, config, secret_ref: keys } = row.verify;
  const read = await Promise.all([keys].flat().map((key) => readSecret(deps, tenantId, key)));
  const secrets = read.filter((secret) => secret !== undefined);
  if (secrets.length === 0)
    throw new AppError('UNAVAILABLE', 'The secret of this webhook is missing. Send it again later.');
  return { tenant: { id: tenantId, orgId: row.orgId }, handle: handle.toLowerCase(), verifier, config, secrets };
}

/** The parts of a verified call that its workflow may see, and the key that identifies a repeated call. */
export interface VerifiedCall {
  headers: SentCall['headers'];
  /** Null if the sender gives its events no ids. */
  idempotencyKey: string | null;
}

/** Verifies a call over its raw bytes. Throws UNAUTHENTICATED. */
export function verifySender(sender: WebhookSender, call: SentCall): VerifiedCall {
  const verdict = verifyCall(sender, call, Date.now());
  if (verdict.fault !== null) throw new AppError('UNAUTHENTICATED');
  const own = new Set(verifierHeaders(sender));
  return {
    headers: Object.fromEntries(Object.entries(call.headers).filter(([name]) => !own.has(name))),
    idempotencyKey: verdict.eventId && senderKey(sender.handle, verdict.eventId),
  };
}

/** A digest, because ids may have any length, and so that the key does not collide with another of the workflow. */
const senderKey = (handle: string, eventId: string): string =>
  `webhook/${createHash('sha256').update(`${handle}/${eventId}`).digest('hex')}`;
