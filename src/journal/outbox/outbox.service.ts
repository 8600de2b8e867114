import type { Deps, Principal } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { isPassing } from '#src/infra/postgres/outages.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedOutboxFailure } from './outbox.declarations.ts';
import { type FailureKey, failureKey } from './outbox.inputs.ts';
import type { OutboxFailure } from './outbox.reads.ts';
import type { OutboxConsumer, OutboxEvent } from './outbox.ts';

type Taken = Omit<OutboxEvent, 'createdAt'> & OutboxFailure;

/**
 * Passes an event that was put aside to its consumer again. The consumer's writes, the deletion of the failure and the audit entry are one
 * transaction; if the consumer fails again, nothing changes.
 */
export async function retryOutboxFailure(
  deps: Deps,
  principal: Principal,
  given: unknown,
  consumers: readonly OutboxConsumer[],
): Promise<OutboxFailure> {
  const key = parseInput(failureKey, given);
  const consumer = consumers.find(({ name }) => name === key.consumer);
  return deps.database.withSystem(async (client) => {
    const failure = await take(client, key);
    if (!consumer) throw new ConflictError(`There is no consumer ${key.consumer} any more; discard the event.`);
    try {
      await consumer.handle(client, [{ ...failure, createdAt: failure.publishedAt }]);
    } catch (error) {
      if (error instanceof AppError || isPassing(error)) throw error;
      deps.log.error({ err: error, ...key, tenantId: failure.tenantId }, 'The retry of an event failed.');
      throw new ConflictError('The consumer failed again, for the reason in the log; the event stays put aside.');
    }
    await audit(client, principal, failure, 'update');
    return failure;
  });
}

/** Discards an event that was put aside, for this consumer only. */
export async function discardOutboxFailure(
  { database }: Deps,
  principal: Principal,
  given: unknown,
): Promise<OutboxFailure> {
  const key = parseInput(failureKey, given);
  return database.withSystem(async (client) => {
    const failure = await take(client, key);
    await audit(client, principal, failure, 'delete');
    return failure;
  });
}

/** Deletes the failure and returns it with its event. Of several concurrent calls, one gets it. */
async function take(client: SystemTx, { consumer, eventId }: FailureKey): Promise<Taken> {
  const { rows } = await client.query<Taken>(
    `DELETE FROM outbox_failures f USING outbox_events e WHERE f.consumer = $1 AND f.event_id = $2 AND e.id = f.id
     RETURNING f.id, f.consumer, f.event_id AS "eventId", f.tenant_id AS "tenantId", f.error, f.created_at AS "createdAt",
       e.xid, e.topic, e.data, e.metadata, pg_column_size(e.data) AS "storedBytes", e.created_at AS "publishedAt"`,
    [consumer, eventId],
  );
  const [failure] = rows;
  if (!failure) throw new NotFoundError();
  return failure;
}

/** Written to the log of the event's tenant, because an operator acts in no tenant. */
async function audit(client: SystemTx, principal: Principal, failure: OutboxFailure, action: 'update' | 'delete') {
  const { consumer, eventId, tenantId, topic } = failure;
  const { rows } = await client.query<{ org_id: string }>('SELECT org_id FROM tenants WHERE id = $1', [tenantId]);
  const [tenant] = rows;
  // A deleted tenant has no log.
  if (!tenant) return;
  await recordAudit(
    client,
    { ...principal, orgId: tenant.org_id, tenantId },
    { action, resource: auditedOutboxFailure, resourceId: eventId, metadata: { consumer, topic } },
  );
}
