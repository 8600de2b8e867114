import type { Theme, ThemeInstallation } from '#prisma/client.ts';
import type { Actor, Deps, Principal } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedTheme, auditedThemeInstallation } from './themes.declarations.ts';
import { installThemeInput, registerThemeInput, uninstallThemeInput } from './themes.inputs.ts';

export type InstalledTheme = ThemeInstallation & { theme: Theme };

/**
 * Adds a version of a theme to the registry, with an entry in the audit log of the request's tenant, if it has one. ConflictError for a
 * version that is registered already.
 */
export async function registerTheme({ database }: Deps, actor: Actor | Principal, given: unknown): Promise<Theme> {
  const input = parseInput(registerThemeInput, given);
  const { vendor, name } = parts(input.theme);
  const { version, title } = input;
  try {
    const id = await database.withSystem(async (tx) => {
      const { rows } = await tx.query<{ id: number }>(
        'INSERT INTO themes (vendor, name, version, title) VALUES ($1, $2, $3, $4) RETURNING id',
        [vendor, name, version, title],
      );
      const resourceId = rows[0]?.id as number;
      const metadata = { theme: input.theme, version };
      await recordAudit(tx, actor, { resource: auditedTheme, action: 'register', resourceId, metadata });
      return resourceId;
    });
    return await database.global.theme.findUniqueOrThrow({ where: { id: BigInt(id) } });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ConflictError(`The theme ${input.theme} ${version} is registered already; versions never change.`);
  }
}

/** Installs a version of a theme in place of the tenant's current one. NotFoundError for a version that is not registered. */
export async function installTheme({ database }: Deps, actor: Actor, given: unknown): Promise<InstalledTheme> {
  const { theme: key, version } = parseInput(installThemeInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const theme = await tx.theme.findUnique({ where: { vendor_name_version: { ...parts(key), version } } });
    if (!theme) throw new NotFoundError(`The theme ${key} ${version} is not registered.`);
    tx.expireLeases();
    const where = { tenantId_key: { tenantId, key } };
    const before = await tx.themeInstallation.findUnique({ where, include: { theme: true } });
    if (before?.themeId === theme.id) return before;
    const installation = await tx.themeInstallation.upsert({
      where,
      create: { tenantId, key, themeId: theme.id },
      update: { themeId: theme.id },
    });
    await recordAudit(tx, actor, {
      resource: auditedThemeInstallation,
      action: 'install',
      resourceId: installation.id,
      metadata: { theme: key, version, replaced: before?.theme.version ?? null },
    });
    return { ...installation, theme };
  });
}

/** Uninstalls a theme. Installed extensions stay; their blocks reappear when the theme is installed again. */
export async function uninstallTheme({ database }: Deps, actor: Actor, given: unknown): Promise<InstalledTheme> {
  const { theme: key } = parseInput(uninstallThemeInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    tx.expireLeases();
    const where = { tenantId_key: { tenantId, key } };
    const installation = await tx.themeInstallation.findUnique({ where, include: { theme: true } });
    if (!installation) throw new NotFoundError(`The theme ${key} is not installed.`);
    const { count } = await tx.themeInstallation.deleteMany({ where: { tenantId, id: installation.id } });
    if (count === 0) throw new NotFoundError(`The theme ${key} is not installed.`);
    const { id, theme } = installation;
    const metadata = { theme: key, version: theme.version };
    await recordAudit(tx, actor, { resource: auditedThemeInstallation, action: 'uninstall', resourceId: id, metadata });
    return installation;
  });
}

function parts(theme: string): { vendor: string; name: string } {
  const [vendor = '', name = ''] = theme.split('/');
  return { vendor, name };
}
