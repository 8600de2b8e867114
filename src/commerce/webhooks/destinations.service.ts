import { randomBytes } from 'node:crypto';
import type { WebhookDestination } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { assertHeadersStay, assertMayBeCalled } from '#src/infra/egress/url-fields.ts';
import { AppError, ConflictError, type FieldErrors, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { type TopicNames, unknownTopicFault } from '#src/infra/topic-names.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { wakeQueue } from './deliveries.store.ts';
import { giveUpDeleted, holdDisabled, holdPending, inBatches } from './delivery-changes.service.ts';
import { type Confidential, readConfidential, sealConfidential } from './destination-secrets.service.ts';
import {
  createDestinationInput,
  destinationsPerTenant,
  type DisabledReason,
  rotateSecretInput,
  updateDestinationInput,
} from './destinations.inputs.ts';
import { assertFilter } from './destinations.rules.ts';
import { readSentTo } from './pending-deliveries.store.ts';
import { notifyChanged } from './queue-notices.service.ts';
import { auditedDestination, destinationDisabled, giveUpDeletedJob } from './webhooks.declarations.ts';

/**
 * The process that deletes a destination gives up its pending deliveries. A job repeats this after the delay, in case the process ended.
 */
const giveUpMs = 60_000;

/** Creates a destination. ValidationError at a member that is not allowed, such as a `url` that may not be called. */
export async function createDestination(
  deps: Deps & TopicNames,
  actor: Actor,
  given: unknown,
): Promise<WebhookDestination> {
  const input = parseInput(createDestinationInput, given);
  const { name, url, topics, secret, secretRef = null, headers, filter = null, ratePerSecond = null } = input;
  const { tenantId } = actor;
  assertSettings(deps, { ...input, secretRef });
  assertTopics(deps, topics);
  return deps.database.withTenant(tenantId, async (tx) => {
    await requirePlace(tx, tenantId);
    await requireSecret(tx, tenantId, secretRef);
    const { id } = await tx.webhookDestination.create({
      data: {
        tenantId,
        name,
        url,
        topics,
        secretRef,
        filter,
        ratePerSecond,
        ...(input.concurrency != null && { concurrency: input.concurrency }),
        ordered: input.ordered ?? false,
        queue: { create: {} },
      },
      select: { id: true },
    });
    const confidential = { ...(secret != null && { secret }), ...(headers && { headers }) };
    const destination = await store(deps, tx, tenantId, id, { confidential });
    const metadata = { name, url, topics };
    await recordAudit(tx, actor, { resource: auditedDestination, action: 'create', resourceId: id, metadata });
    return destination;
  });
}

/** Throws a ValidationError at a topic that looks misspelled; topics that the destination has already are accepted. */
function assertTopics({ ownTopics }: TopicNames, topics: readonly string[], former: readonly string[] = []): void {
  if (!ownTopics) return;
  const faults: FieldErrors = {};
  topics.forEach((topic, index) => {
    const fault = former.includes(topic) ? undefined : unknownTopicFault(topic, ownTopics);
    if (fault !== undefined) faults[`topics.${index}`] = [fault];
  });
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
}

/** Changes the given members; a secret and a reference to one replace each other. Equal values change nothing. */
export async function updateDestination(
  deps: Deps & TopicNames,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<WebhookDestination> {
  const input = parseInput(updateDestinationInput, given);
  const { tenantId } = actor;
  assertSettings(deps, input);
  return deps.database.withTenant(tenantId, async (tx) => {
    const before = await lockDestination(tx, tenantId, id);
    assertTopics(deps, input.topics ?? [], before.topics);
    await requireSecret(tx, tenantId, input.secretRef);
    const confidential = await readConfidential(deps, tx, tenantId, id);
    const { name, url, topics, filter, ratePerSecond, concurrency, ordered, headers } = input;
    if (url != null && headers === undefined && confidential.headers)
      assertHeadersStay({ before: before.url, after: url });
    const secretRef = input.secret == null ? input.secretRef : null;
    const wanted = {
      ...(name != null && { name }),
      ...(url != null && { url }),
      ...(topics != null && { topics }),
      ...(secretRef !== undefined && { secretRef }),
      ...(filter !== undefined && { filter }),
      ...(ratePerSecond !== undefined && { ratePerSecond }),
      ...(concurrency != null && { concurrency }),
      ...(ordered != null && { ordered }),
    };
    const changes = Object.fromEntries(
      Object.entries(wanted).filter(([field, value]) => !sameJson(value, before[field as keyof typeof before])),
    );
    const after = changeConfidential(confidential, input);
    const isSame = sameJson(after, confidential);
    if (Object.keys(changes).length === 0 && isSame) return before;
    const destination = await store(deps, tx, tenantId, id, {
      changes,
      ...(!isSame && { confidential: after }),
    });
    const changed = [...Object.keys(changes), ...(isSame ? [] : ['secret or headers'])];
    const metadata = { name: destination.name, changed };
    await recordAudit(tx, actor, { resource: auditedDestination, action: 'update', resourceId: id, metadata });
    // The new settings may have solved the problems of the former ones.
    await tx.webhookQueue.updateMany({ where: { tenantId, destinationId: id }, data: { problem: null } });
    notifyChanged(tx, tenantId, id);
    return destination;
  });
}

/** Deletes a destination. Its pending deliveries are not sent any more; the log of sent ones stays. */
export async function deleteDestination(deps: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  const deleted = await deps.database.withTenant(tenantId, async (tx) => {
    const { name } = await lockDestination(tx, tenantId, id);
    const waiting = { tenantId, destinationId: Number(id), sentTo: await readSentTo(tx, tenantId, id) };
    await tx.webhookDestination.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordAudit(tx, actor, {
      resource: auditedDestination,
      action: 'delete',
      resourceId: id,
      metadata: { name },
    });
    await deps.jobs.send(giveUpDeletedJob, waiting, { tx, startAfter: new Date(Date.now() + giveUpMs) });
    return waiting;
  });
  // None of them can be sent in the meantime, because the destination is gone.
  await giveUpDeleted(deps, deleted);
}

/** Replaces the secret. For 24 hours, requests are signed with both. */
export async function rotateSecret(
  deps: Deps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<{ destination: WebhookDestination; secret: string }> {
  const { secret = null } = parseInput(rotateSecretInput, given);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const { secretRef } = await lockDestination(tx, tenantId, id);
    if (secretRef !== null) {
      throw new ConflictError(
        `The tenant's secret ${secretRef} signs for this destination: set that one, or give the destination a secret of its own.`,
      );
    }
    const { previousSecret: _former, ...confidential } = await readConfidential(deps, tx, tenantId, id);
    const next = secret ?? `whsec_${randomBytes(32).toString('base64')}`;
    const destination = await store(deps, tx, tenantId, id, {
      confidential: {
        ...confidential,
        secret: next,
        ...(confidential.secret !== undefined && { previousSecret: confidential.secret }),
      },
      changes: { previousSecretExpiresAt: confidential.secret === undefined ? null : new Date(Date.now() + overlapMs) },
    });
    await recordAudit(tx, actor, { resource: auditedDestination, action: 'rotate', resourceId: id });
    notifyChanged(tx, tenantId, id);
    return { destination, secret: next };
  });
}

const overlapMs = 24 * 3_600_000;

/** Resumes sending, from the next event on. Held deliveries stay held until they are recovered. A repeat changes nothing. */
export async function enableDestination({ database }: Deps, actor: Actor, id: bigint): Promise<WebhookDestination> {
  const { tenantId } = actor;
  // Holds the deliveries that no sender has held yet, in batches, because there may be many. None is added while the destination is
  // disabled.
  await inBatches((after) => database.withTenantSql(tenantId, (tx) => holdDisabled(tx, tenantId, id, after)));
  return database.withTenant(tenantId, async (tx) => {
    const before = await lockDestination(tx, tenantId, id);
    if (before.status === 'enabled') return before;
    await holdPending(tx, tenantId, id);
    const destination = await tx.webhookDestination.update({
      where: { tenantId_id: { tenantId, id } },
      data: { status: 'enabled', disabledReason: null },
    });
    await tx.webhookQueue.updateMany({
      where: { tenantId, destinationId: id },
      data: { failingSince: null, warnedAt: null, problem: null },
    });
    await recordAudit(tx, actor, { resource: auditedDestination, action: 'enable', resourceId: id });
    return destination;
  });
}

/** Stops sending: pending deliveries are held, and so are those of later events. A repeat changes nothing. */
export async function disableDestination(
  { database }: Pick<Deps, 'database'>,
  actor: Actor,
  id: bigint,
  reason: DisabledReason = 'manual',
): Promise<WebhookDestination> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const before = await lockDestination(tx, tenantId, id);
    if (before.status === 'disabled') return before;
    const destination = await tx.webhookDestination.update({
      where: { tenantId_id: { tenantId, id } },
      data: { status: 'disabled', disabledReason: reason },
    });
    await holdPending(tx, tenantId, id);
    await wakeQueue(tx, tenantId, id);
    const metadata = { reason };
    await recordAudit(tx, actor, { resource: auditedDestination, action: 'disable', resourceId: id, metadata });
    const { name, url } = destination;
    await publishEvent(tx, { tenantId, topic: destinationDisabled, data: { id: Number(id), name, url, reason } });
    notifyChanged(tx, tenantId, id);
    return destination;
  });
}

interface Settings {
  url?: string | null | undefined;
  filter?: string | null | undefined;
  secret?: string | null | undefined;
  secretRef?: string | null | undefined;
}

function assertSettings({ egress }: Pick<Deps, 'egress'>, { url, filter, secret, secretRef }: Settings): void {
  if (url != null) assertMayBeCalled(egress, url);
  if (filter != null) assertFilter(filter);
  if (secret != null && secretRef != null)
    throw new ValidationError({ secretRef: ['Give a secret or a reference to one, not both.'] });
}

/** A secret replaces the former one immediately. Without a secret of its own, a rotation ends as well. */
function changeConfidential(
  { secret, previousSecret, headers }: Confidential,
  given: {
    secret?: string | null | undefined;
    secretRef?: string | null | undefined;
    headers?: Record<string, string> | null | undefined;
  },
): Confidential {
  const own = given.secretRef != null ? null : given.secret === undefined ? secret : given.secret;
  const kept = given.headers === undefined ? headers : given.headers;
  return {
    ...(own != null && { secret: own }),
    ...(own != null && own === secret && previousSecret !== undefined && { previousSecret }),
    ...(kept && Object.keys(kept).length > 0 && { headers: kept }),
  };
}

/** Writes the changes, the encrypted part, and the columns that describe it. */
async function store(
  deps: Deps,
  tx: TenantTx,
  tenantId: string,
  id: bigint,
  { changes = {}, confidential }: { changes?: object; confidential?: Confidential },
): Promise<WebhookDestination> {
  const shown = confidential && {
    ...(await sealConfidential(deps, tx, tenantId, id, confidential)),
    signed: confidential.secret !== undefined,
    headerNames: Object.keys(confidential.headers ?? {}),
    ...(confidential.previousSecret === undefined && { previousSecretExpiresAt: null }),
  };
  return tx.webhookDestination.update({
    where: { tenantId_id: { tenantId, id } },
    data: { ...shown, ...changes },
  });
}

/** Finds a destination of the tenant and locks it until the transaction ends. */
export async function lockDestination(tx: TenantTx, tenantId: string, id: bigint): Promise<WebhookDestination> {
  await tx.query('SELECT FROM webhook_destinations WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const destination = await tx.webhookDestination.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!destination) throw new NotFoundError();
  return destination;
}

/** Serialises creations of one tenant, so that the limit is exact. */
async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `webhook-destinations/${tenantId}`);
  if ((await tx.webhookDestination.count({ where: { tenantId } })) < destinationsPerTenant) return;
  throw new AppError(
    'UNPROCESSABLE',
    `A tenant has at most ${destinationsPerTenant} webhook destinations; delete one.`,
  );
}

async function requireSecret(tx: TenantTx, tenantId: string, key: string | null | undefined): Promise<void> {
  if (key == null) return;
  const found = await tx.tenantSecret.findUnique({ where: { tenantId_key: { tenantId, key } }, select: { key: true } });
  if (!found) throw new ValidationError({ secretRef: [`The tenant has no secret ${key}; set it first.`] });
}
