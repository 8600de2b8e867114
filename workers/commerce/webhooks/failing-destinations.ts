import { disableDestination, lockDestination } from '#src/commerce/webhooks/destinations.service.ts';
import { destinationFailing } from '#src/commerce/webhooks/webhooks.declarations.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { type Ailing, findAiling } from './sending-statements.ts';

/**
 * Warns of destinations without a success for 24 hours, and disables those without one for 5 days. A warning precedes this by at least
 * a day, so that no destination is disabled because this installation was down.
 */
export async function lookAfterDestinations(deps: Deps): Promise<void> {
  for (const ailing of await findAiling(deps.database.system)) {
    try {
      await (ailing.isWarned ? disable(deps, ailing) : warn(deps, ailing));
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}

const disable = (deps: Deps, { tenantId, destinationId, orgId }: Ailing) =>
  disableDestination(deps, systemActor(orgId, tenantId), BigInt(destinationId), 'failing');

async function warn({ database }: Deps, { tenantId, destinationId, failingSince }: Ailing): Promise<void> {
  await database.withTenant(tenantId, async (tx) => {
    const id = BigInt(destinationId);
    const { name, url } = await lockDestination(tx, tenantId, id);
    const problem = 'It has had no success for 24 hours; after five days it is disabled.';
    // In the meantime another worker may have warned, or a delivery may have succeeded.
    const { count } = await tx.webhookQueue.updateMany({
      where: { tenantId, destinationId: id, failingSince, warnedAt: null },
      data: { warnedAt: new Date(), problem },
    });
    if (count === 0) return;
    const data = { id: destinationId, name, url, failing_since: failingSince.toISOString() };
    await publishEvent(tx, { tenantId, topic: destinationFailing, data });
  });
}
