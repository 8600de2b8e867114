import type { Extension, Installation } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import {
  auditedInstallation,
  installationCreated,
  installationData,
  installationDisabled,
  installationEnabled,
  installationRemoved,
  installationUpgraded,
} from './installations.declarations.ts';
import { whyNotInstallable, whyNotTo } from './installations.rules.ts';

export type InstalledExtension = Installation & { extension: Extension };

/** A page reads the complete catalogue, so its size is limited. */
const maxInstallations = 200;

/**
 * Installs a version. NotFoundError if the tenant may not see it; ConflictError if it is not published, its theme is not installed in its
 * range, or a version of it is installed already.
 */
export async function installExtension(
  { database }: Deps,
  actor: Actor,
  extensionId: bigint,
): Promise<InstalledExtension> {
  const { tenantId } = actor;
  try {
    return await database.withTenant(tenantId, async (tx) => {
      // Serialised per tenant: two calls that both count 199 must not both install one.
      await lockNamed(tx, `installations/${tenantId}`);
      const extension = await findInstallable(tx, tenantId, extensionId);
      const { vendor, name } = extension;
      const present = { tenantId, status: { not: 'uninstalled' as const } };
      if (await tx.installation.findFirst({ where: { ...present, vendor, name }, select: { id: true } })) {
        throw alreadyInstalled(extension);
      }
      if ((await tx.installation.count({ where: present })) >= maxInstallations) {
        throw new ValidationError({
          extensionId: [`The tenant has ${maxInstallations} extensions, which is the most.`],
        });
      }
      const installation = await tx.installation.create({
        data: { tenantId, extensionId: extension.id, vendor, name },
      });
      await findInstallable(tx, tenantId, extensionId);
      await audit(tx, actor, 'install', installation, extension);
      const data = installationData(installation, extension);
      await publishEvent(tx, { tenantId, cause: actor, topic: installationCreated, data });
      return { ...installation, extension };
    });
  } catch (error) {
    if (isUniqueViolation(error))
      throw new ConflictError('A version of the extension is installed already; upgrade it.');
    throw error;
  }
}

/** Pins another version of the same extension, newer or older. Pinning the current version changes nothing. */
export async function upgradeInstallation(
  { database }: Deps,
  actor: Actor,
  id: bigint,
  extensionId: bigint,
): Promise<InstalledExtension> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const before = await lockInstallation(tx, tenantId, id);
    if (before.status === 'uninstalled') {
      throw new ConflictError('It is uninstalled, which is final; install the extension again.');
    }
    if (before.extensionId === extensionId) return before;
    const extension = await findInstallable(tx, tenantId, extensionId);
    const { vendor, name, version } = before.extension;
    if (extension.vendor !== vendor || extension.name !== name) {
      throw new ConflictError(`The installation is of ${vendor}/${name}; an upgrade pins another version of it.`);
    }
    const where = { tenantId_id: { tenantId, id } };
    const installation = await tx.installation.update({ where, data: { extensionId } });
    await findInstallable(tx, tenantId, extensionId);
    await audit(tx, actor, 'upgrade', installation, extension, { previous_version: version });
    const data = { ...installationData(installation, extension), previous_version: version };
    await publishEvent(tx, { tenantId, cause: actor, topic: installationUpgraded, data });
    return { ...installation, extension };
  });
}

const transitions = {
  disable: { status: 'disabled', topic: installationDisabled },
  enable: { status: 'installed', topic: installationEnabled },
  uninstall: { status: 'uninstalled', topic: installationRemoved },
} as const;

/** Changes the status of an installation; setting the current status changes nothing. Uninstalled is final: ConflictError. */
export async function changeInstallation(
  { database }: Deps,
  actor: Actor,
  id: bigint,
  action: keyof typeof transitions,
): Promise<InstalledExtension> {
  const { tenantId } = actor;
  const { status, topic } = transitions[action];
  return database.withTenant(tenantId, async (tx) => {
    const before = await lockInstallation(tx, tenantId, id);
    const { extension } = before;
    const refusal = whyNotTo(status, before, extension);
    if (refusal !== null) throw new ConflictError(refusal);
    if (before.status === status) return before;
    const installation = await tx.installation.update({ where: { tenantId_id: { tenantId, id } }, data: { status } });
    await audit(tx, actor, action, installation, extension);
    await publishEvent(tx, { tenantId, cause: actor, topic, data: installationData(installation, extension) });
    return { ...installation, extension };
  });
}

/**
 * A version that the tenant sees and may install. Check again after the insert: its foreign key locks the version row, which serialises it
 * with withdrawals, and a later withdrawal then notifies this tenant too.
 */
async function findInstallable(tx: TenantTx, tenantId: string, id: bigint): Promise<Extension> {
  const extension = await tx.extension.findUnique({ where: { id } });
  if (!extension) throw new NotFoundError();
  const key = extension.targetTheme;
  const installed = await tx.themeInstallation.findUnique({
    where: { tenantId_key: { tenantId, key } },
    include: { theme: true },
  });
  const refusal = whyNotInstallable(extension, installed?.theme.version ?? null);
  if (refusal !== null) throw new ConflictError(refusal);
  return extension;
}

/** Locks an installation for a change of its pin or status that every process must see. */
async function lockInstallation(tx: TenantTx, tenantId: string, id: bigint): Promise<InstalledExtension> {
  tx.expireLeases();
  await tx.query('SELECT FROM extension_installations WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
  const where = { tenantId_id: { tenantId, id } };
  const installation = await tx.installation.findUnique({ where, include: { extension: true } });
  if (!installation) throw new NotFoundError();
  return installation;
}

const alreadyInstalled = ({ vendor, name }: Extension): ConflictError =>
  new ConflictError(`A version of ${vendor}/${name} is installed already; upgrade it.`);

function audit(
  tx: TenantTx,
  actor: Actor,
  action: (typeof auditedInstallation.actions)[number],
  { id: resourceId }: Installation,
  { vendor, name, version }: Extension,
  more: { previous_version?: string } = {},
) {
  const metadata = { vendor, name, version, ...more };
  return recordAudit(tx, actor, { resource: auditedInstallation, action, resourceId, metadata });
}
