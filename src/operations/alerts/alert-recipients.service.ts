import type { AlertRecipient } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { assertMayBeCalled } from '#src/infra/egress/url-fields.ts';
import { AppError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { countAudited } from '#src/journal/audit/audit-counts.reads.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import {
  beginAttempt,
  countTests,
  dropWaiting,
  endAttempt,
  insertMessage,
  lockMessage,
} from './alert-messages.store.ts';
import {
  type AlertKind,
  createAlertRecipientInput,
  hourlyOfTenant,
  recipientsPerTenant,
  testsPerHour,
  updateAlertRecipientInput,
} from './alert-recipients.inputs.ts';
import { sealSecret } from './alert-secrets.service.ts';
import { auditedAlertRecipient } from './alerts.declarations.ts';
import { emptyContent } from './alerts.rules.ts';
import { type AlertServices, attemptMessage, noMailServer } from './send-alert.service.ts';

interface Channel {
  addresses?: readonly string[] | null | undefined;
  url?: string | null | undefined;
  secret?: string | null | undefined;
}

const eitherOr = 'Give mail addresses or a URL, not both.';
const unsignedMail = 'A secret signs calls of a URL. Leave it out, or give a URL.';

/** Throws a ValidationError at what this installation may not call, or has no server for. */
function assertChannel({ deps, alerts }: AlertServices, { addresses, url }: Channel): void {
  if (addresses != null && url != null) throw new ValidationError({ url: [eitherOr] });
  if (url != null) assertMayBeCalled(deps.egress, url);
  if (addresses != null && !alerts.mailer) throw new ValidationError({ addresses: [noMailServer] });
}

/** Adds somebody who is notified of failures. ValidationError at a member that is not allowed, such as a `url` that may not be called. */
export async function createAlertRecipient(
  services: AlertServices,
  actor: Actor,
  given: unknown,
): Promise<AlertRecipient> {
  const {
    name,
    kinds,
    addresses,
    url,
    secret = null,
    expiringDays,
    groupMinutes,
    hourlyLimit,
    active,
  } = parseInput(createAlertRecipientInput, given);
  if (addresses == null && url == null) throw new ValidationError({ addresses: ['Give mail addresses, or a URL.'] });
  assertChannel(services, { addresses, url });
  if (url == null && secret !== null) throw new ValidationError({ secret: [unsignedMail] });
  const { deps } = services;
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await requirePlace(tx, tenantId);
    const { id } = await tx.alertRecipient.create({
      data: {
        tenantId,
        name,
        kinds,
        addresses: addresses ?? [],
        url: url ?? null,
        ...(expiringDays != null && { expiringDays }),
        ...(groupMinutes != null && { groupMinutes }),
        ...(hourlyLimit != null && { hourlyLimit }),
        active: active ?? true,
      },
      select: { id: true },
    });
    const recipient = await tx.alertRecipient.update({
      where: { tenantId_id: { tenantId, id } },
      data: await sealSecret(deps, tx, { tenantId, id }, secret),
    });
    const metadata = { name, kinds, ...(url == null ? { addresses: addresses ?? [] } : { url }) };
    await recordAudit(tx, actor, { resource: auditedAlertRecipient, action: 'create', resourceId: id, metadata });
    return recipient;
  });
}

/** Changes the given members; mail addresses and a URL replace each other. What waits for it is sent as it is then. */
export async function updateAlertRecipient(
  services: AlertServices,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<AlertRecipient> {
  const { secret, addresses, url, ...plain } = parseInput(updateAlertRecipientInput, given);
  assertChannel(services, { addresses, url });
  const { deps } = services;
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const before = await lockRecipient(tx, tenantId, id);
    const wanted = {
      ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value != null)),
      ...(addresses != null && { addresses, url: null }),
      ...(url != null && { url, addresses: [] }),
    };
    const changes = Object.fromEntries(
      Object.entries(wanted).filter(([field, value]) => !sameJson(value, before[field as keyof typeof before])),
    );
    const isMail = addresses != null || (url == null && before.url === null);
    if (isMail && secret != null) throw new ValidationError({ secret: [unsignedMail] });
    const isSealed = secret !== undefined || (isMail && before.sealed !== null);
    if (Object.keys(changes).length === 0 && !isSealed) return before;
    const recipient = await tx.alertRecipient.update({
      where: { tenantId_id: { tenantId, id } },
      data: { ...changes, ...(isSealed && (await sealSecret(deps, tx, { tenantId, id }, secret ?? null))) },
    });
    const keptKinds = recipient.active ? (recipient.kinds as AlertKind[]) : [];
    await dropWaiting(tx, { tenantId, recipientId: Number(id) }, keptKinds);
    const changed = [...Object.keys(changes), ...(isSealed ? ['secret'] : [])];
    const metadata = { name: recipient.name, changed };
    await recordAudit(tx, actor, { resource: auditedAlertRecipient, action: 'update', resourceId: id, metadata });
    return recipient;
  });
}

/** Deletes a recipient with what waits for it and what it was sent. */
export async function deleteAlertRecipient(
  { database }: Pick<Deps, 'database'>,
  actor: Actor,
  id: bigint,
): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { name } = await lockRecipient(tx, tenantId, id);
    await tx.alertRecipient.delete({ where: { tenantId_id: { tenantId, id } } });
    const metadata = { name };
    await recordAudit(tx, actor, { resource: auditedAlertRecipient, action: 'delete', resourceId: id, metadata });
  });
}

/**
 * Sends a test message and waits for the outcome; also to a recipient that is switched off. Returns the message's id. A test that fails is
 * not retried.
 */
export async function testAlertRecipient(services: AlertServices, actor: Actor, id: bigint): Promise<bigint> {
  const { database } = services.deps;
  const { tenantId } = actor;
  const recipient = { tenantId, recipientId: Number(id) };
  const at = new Date();
  const message = await database.withTenant(tenantId, async (tx) => {
    await lockRecipient(tx, tenantId, id);
    if ((await countTests(tx, recipient, at)) >= testsPerHour) {
      throw new AppError('TOO_MANY_ATTEMPTS', `A recipient gets at most ${testsPerHour} tests within an hour; wait.`);
    }
    await lockNamed(tx, `alert-tests/${tenantId}`);
    await requireFewOfTenant(tx, tenantId, 'test', at);
    const messageId = await insertMessage(tx, recipient, { content: emptyContent, isTest: true, at });
    await beginAttempt(tx, { tenantId, id: messageId }, undefined);
    await recordAudit(tx, actor, { resource: auditedAlertRecipient, action: 'test', resourceId: id });
    return lockMessage(tx, tenantId, messageId);
  });
  if (!message) throw new NotFoundError();
  const { isSent, error } = await attemptMessage(services, message, at);
  await database.withTenant(tenantId, (tx) =>
    endAttempt(tx, message, { status: isSent ? 'sent' : 'failed', error, at: new Date() }),
  );
  return BigInt(message.id);
}

/** Finds a recipient of the tenant and locks it until the transaction ends. */
async function lockRecipient(tx: TenantTx, tenantId: string, id: bigint): Promise<AlertRecipient> {
  await tx.query('SELECT FROM alert_recipients WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const recipient = await tx.alertRecipient.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!recipient) throw new NotFoundError();
  return recipient;
}

/** Serialises creations of one tenant, so that the limit is exact. */
async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `alert-recipients/${tenantId}`);
  if ((await tx.alertRecipient.count({ where: { tenantId } })) >= recipientsPerTenant) {
    throw new AppError('UNPROCESSABLE', `A tenant has at most ${recipientsPerTenant} alert recipients; delete one.`);
  }
  await requireFewOfTenant(tx, tenantId, 'create', new Date());
}

const hourMs = 3_600_000;
const doneOften = {
  create: `A tenant adds at most ${hourlyOfTenant} alert recipients within an hour, deleted ones included; wait.`,
  test: `A tenant makes at most ${hourlyOfTenant} tests of alert recipients within an hour; wait.`,
};

/** Throws TOO_MANY_ATTEMPTS where the tenant has done so often enough within the hour; by its audit log, which deletions do not shorten. */
async function requireFewOfTenant(
  tx: TenantTx,
  tenantId: string,
  action: keyof typeof doneOften,
  at: Date,
): Promise<void> {
  const after = new Date(at.getTime() - hourMs);
  const limits = { resource: auditedAlertRecipient, action, after, most: hourlyOfTenant };
  if ((await countAudited(tx, tenantId, limits)) < hourlyOfTenant) return;
  throw new AppError('TOO_MANY_ATTEMPTS', doneOften[action]);
}
