import type { InboundEndpoint } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Services } from '#src/infra/services.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedInboundEndpoint } from './endpoints.declarations.ts';
import { createEndpointInput, rotateSecretInput, updateEndpointInput } from './endpoints.inputs.ts';
import {
  type EndpointKey,
  type EndpointSecrets,
  openSecrets,
  type SealedSecretsRow,
  sealedSecretsQuery,
  secretsPlace,
} from './endpoints.reads.ts';
import {
  assertForeignTopic,
  assertSecretFits,
  type Binding,
  toBinding,
  changeSender,
  makeEndpointId,
  readSender,
} from './endpoints.rules.ts';

const endpointsPerTenant = 1_000;
const defaultOverlapHours = 24;

/** The dependencies of writing an endpoint. */
export type EndpointDeps = Deps & Pick<Services, 'ownTopics'>;

/**
 * Creates an endpoint with a URL of its own. ValidationError if its config does not fit, if its trigger does not exist, or if this server
 * publishes its topic.
 */
export async function createEndpoint(deps: EndpointDeps, actor: Actor, given: unknown): Promise<InboundEndpoint> {
  const { name, preset, ...input } = parseInput(createEndpointInput, given);
  const { verifier, config, secret } = readSender(input, preset);
  const binding = toBinding(input.target);
  assertForeignTopic(binding, deps.ownTopics);
  deps.redactor.add(secret);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await assertTrigger(tx, tenantId, binding);
    // The lock keeps the count exact when two are created concurrently.
    await lockNamed(tx, `inbound-endpoints/${tenantId}`);
    if ((await tx.inboundEndpoint.count({ where: { tenantId } })) >= endpointsPerTenant) {
      throw new ValidationError({ name: [`A tenant has at most ${endpointsPerTenant} endpoints; delete one first.`] });
    }
    const endpointId = makeEndpointId();
    const sealed = await seal(deps, tx, { tenantId, endpointId }, { current: secret, previous: null });
    const endpoint = await tx.inboundEndpoint.create({
      data: { tenantId, endpointId, name, verifier, config, ...sealed, ...binding },
    });
    await audit(tx, actor, 'create', endpoint, { verifier, ...bound(binding) });
    return endpoint;
  });
}

/** Changes the given members. A secret replaces the current one immediately; with `rotateSecret` both are valid for a time. */
export async function updateEndpoint(
  deps: EndpointDeps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<InboundEndpoint> {
  const input = parseInput(updateEndpointInput, given);
  if (input.target) assertForeignTopic(toBinding(input.target), deps.ownTopics);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const endpoint = await lockEndpoint(tx, tenantId, id);
    const binding = input.target ? toBinding(input.target) : (endpoint as InboundEndpoint & Binding);
    if (binding.triggerHandle !== endpoint.triggerHandle) await assertTrigger(tx, tenantId, binding);
    const secrets = await open(deps, tx, endpoint);
    const stored = { verifier: endpoint.verifier, config: endpoint.config as object, secret: secrets.current };
    const sender = changeSender(stored, input);
    deps.redactor.add(sender.secret);
    const changes = {
      ...(input.name != null && input.name !== endpoint.name && { name: input.name }),
      ...(sender.verifier !== endpoint.verifier && { verifier: sender.verifier }),
      ...(!sameJson(sender.config, endpoint.config) && { config: sender.config }),
      ...((binding.triggerHandle !== endpoint.triggerHandle || binding.topic !== endpoint.topic) && {
        triggerHandle: binding.triggerHandle,
        topic: binding.topic,
      }),
      ...(sender.secret !== secrets.current && {
        ...(await seal(deps, tx, endpoint, { current: sender.secret, previous: null })),
        previousSecretExpiresAt: null,
      }),
    };
    if (Object.keys(changes).length === 0) return endpoint;
    const updated = await tx.inboundEndpoint.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
    const changed = Object.keys(changes).filter((name) => name !== 'keyVersion' && name !== 'previousSecretExpiresAt');
    await audit(tx, actor, 'update', updated, { changed });
    return updated;
  });
}

/** Gives the endpoint another secret; the old one stays valid for the overlap, 24 hours by default. */
export async function rotateSecret(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<InboundEndpoint> {
  const { secret, overlapHours } = parseInput(rotateSecretInput, given);
  deps.redactor.add(secret);
  const hours = overlapHours ?? defaultOverlapHours;
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const endpoint = await lockEndpoint(tx, tenantId, id);
    assertSecretFits(endpoint.verifier, secret);
    const { current } = await open(deps, tx, endpoint);
    const sealed = await seal(deps, tx, endpoint, { current: secret, previous: hours === 0 ? null : current });
    const previousSecretExpiresAt = hours === 0 ? null : new Date(Date.now() + hours * 3_600_000);
    const rotated = await tx.inboundEndpoint.update({
      where: { tenantId_id: { tenantId, id } },
      data: { ...sealed, previousSecretExpiresAt },
    });
    await audit(tx, actor, 'rotate', rotated, { overlap_hours: hours });
    return rotated;
  });
}

/** Calls of a disabled endpoint are answered 410, from the next one on in every process. */
export async function setEndpointStatus(
  { database }: Deps,
  actor: Actor,
  id: bigint,
  status: InboundEndpoint['status'],
): Promise<InboundEndpoint> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const endpoint = await lockEndpoint(tx, tenantId, id);
    if (endpoint.status === status) return endpoint;
    const changed = await tx.inboundEndpoint.update({ where: { tenantId_id: { tenantId, id } }, data: { status } });
    await audit(tx, actor, status === 'enabled' ? 'enable' : 'disable', changed, {});
    return changed;
  });
}

/** Deletes the endpoint with its log. Calls to its URL are answered 404 from then on. */
export async function deleteEndpoint({ database }: Deps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const endpoint = await lockEndpoint(tx, tenantId, id);
    await tx.inboundEndpoint.delete({ where: { tenantId_id: { tenantId, id } } });
    await tx.inboundRefusal.deleteMany({ where: { tenantId, endpointId: id } });
    await audit(tx, actor, 'delete', endpoint, {});
  });
}

const audit = (
  tx: TenantTx,
  actor: Actor,
  action: 'create' | 'update' | 'rotate' | 'enable' | 'disable' | 'delete',
  { id, name }: InboundEndpoint,
  metadata: Record<string, unknown>,
) =>
  recordAudit(tx, actor, {
    resource: auditedInboundEndpoint,
    action,
    resourceId: id,
    metadata: { name, ...metadata },
  });

const bound = ({ triggerHandle, topic }: Binding) => (topic === null ? { trigger_handle: triggerHandle } : { topic });

async function assertTrigger(tx: TenantTx, tenantId: string, { triggerHandle: handle }: Binding): Promise<void> {
  if (handle === null || (await tx.trigger.count({ where: { tenantId, handle, type: 'webhook' } })) > 0) return;
  throw new ValidationError({ triggerHandle: ['There is no webhook trigger with this handle.'] });
}

/** Finds an endpoint of the tenant and locks it until the transaction ends. */
async function lockEndpoint(tx: TenantTx, tenantId: string, id: bigint): Promise<InboundEndpoint> {
  await tx.query('SELECT FROM inbound_endpoints WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const endpoint = await tx.inboundEndpoint.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!endpoint) throw new NotFoundError();
  return endpoint;
}

async function seal({ vault }: Deps, tx: TenantTx, key: EndpointKey, secrets: EndpointSecrets) {
  const { bytes, keyVersion } = await vault.seal(tx, 'secrets', secretsPlace(key), JSON.stringify(secrets));
  return { secrets: bytes, keyVersion };
}

/** Runs in the transaction that holds the lock, so that no rotation can happen in between. */
async function open(deps: Deps, tx: TenantTx, key: EndpointKey): Promise<EndpointSecrets> {
  const { rows } = await tx.query<SealedSecretsRow>(sealedSecretsQuery(key));
  return openSecrets(deps, key, rows[0] as SealedSecretsRow);
}
