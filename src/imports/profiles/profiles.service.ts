import type { ImportProfile, Prisma } from '#prisma/client.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Actor } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import type { Mapping } from './mapping.inputs.ts';
import { type CheckedPaths, pathFaults } from './path-faults.rules.ts';
import { type CheckedProfile, profileFaults } from './profile-faults.rules.ts';
import { auditedImportProfile } from './profiles.declarations.ts';
import {
  createImportProfileInput,
  type UnsavedProfile,
  type KeptProfile,
  keptProfile,
  updateImportProfileInput,
} from './profiles.inputs.ts';
import { mappingFaults } from './row-reader.rules.ts';

/** Creates a profile. ValidationError at `name` where the tenant has a profile of that name. */
export async function createImportProfile(deps: ImportDeps, actor: Actor, given: unknown): Promise<ImportProfile> {
  const { database, targets } = deps;
  const { mapping = null, namespaces = null, ...input } = parseInput(createImportProfileInput, given);
  assertReadable(deps, findTarget(targets, input.target), {
    ...(withoutNulls(input) as typeof input),
    mapping,
    namespaces,
  });
  const { tenantId } = actor;
  return database
    .withTenant(tenantId, async (tx) => {
      const data = { ...withoutNulls(input), tenantId, mapping: mapping ?? {}, namespaces: namespaces ?? {} };
      const profile = await tx.importProfile.create({ data: data as Prisma.ImportProfileUncheckedCreateInput });
      const { id: resourceId, name } = profile;
      await recordAudit(tx, actor, {
        resource: auditedImportProfile,
        action: 'create',
        resourceId,
        metadata: { name },
      });
      return profile;
    })
    .catch(nameTaken);
}

/** Changes the members that are given. Null clears `mapping`, `recordPath`, `namespaces`, `sheet`, `asOf` and `maxRejected`, and no other. */
export async function updateImportProfile(
  deps: ImportDeps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<ImportProfile> {
  const { database, targets } = deps;
  const input = parseInput(updateImportProfileInput, given);
  const { tenantId } = actor;
  return database
    .withTenant(tenantId, async (tx) => {
      await tx.query('SELECT FROM import_profiles WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
      const profile = await tx.importProfile.findUnique({ where: { tenantId_id: { tenantId, id } } });
      if (!profile) throw new NotFoundError();
      const changes = Object.fromEntries(
        Object.entries({
          ...input,
          ...(input.mapping === null && { mapping: {} }),
          ...(input.namespaces === null && { namespaces: {} }),
        }).filter(
          ([name, value]) =>
            value !== undefined &&
            (value !== null || clearable.has(name)) &&
            !sameJson(value, profile[name as keyof ImportProfile]),
        ),
      );
      const after: ImportProfile = { ...profile, ...changes };
      assertReadable(deps, findTarget(targets, after.target), {
        ...after,
        mapping: input.mapping ?? readMapping(after),
        namespaces: input.namespaces ?? readNamespaces(after),
      });
      if (Object.keys(changes).length === 0) return profile;
      const updated = await tx.importProfile.update({ where: { tenantId_id: { tenantId, id } }, data: changes });
      const metadata = { name: profile.name, changed: Object.keys(changes) };
      await recordAudit(tx, actor, { resource: auditedImportProfile, action: 'update', resourceId: id, metadata });
      return updated;
    })
    .catch(nameTaken);
}

/** Jobs that were started with it keep it as it was. */
export async function deleteImportProfile({ database }: ImportDeps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { count } = await tx.importProfile.deleteMany({ where: { tenantId, id } });
    if (count === 0) throw new NotFoundError();
    await recordAudit(tx, actor, { resource: auditedImportProfile, action: 'delete', resourceId: id });
  });
}

/** The part of a profile that a job stores, and by which files are read. */
export const toKeptProfile = (profile: ImportProfile): KeptProfile =>
  keptProfile.parse({
    ...profile,
    mapping: readMapping(profile),
    namespaces: readNamespaces(profile),
    asOf: profile.asOf?.toISOString() ?? null,
  });

/** What a profile of these settings would be. ValidationError for settings by which no file can be read. */
export function readSettings(
  deps: ImportDeps,
  { target: name, ...settings }: UnsavedProfile,
): { target: ImportTarget; kept: KeptProfile } {
  const target = findTarget(deps.targets, name);
  const { mapping = null, namespaces = null, asOf, ...given } = settings;
  assertReadable(deps, target, { ...(withoutNulls(given) as typeof given), mapping, namespaces });
  const stored = { ...settingsByDefault, ...withoutNulls(given) };
  return { target, kept: keptProfile.parse({ ...stored, mapping, namespaces, asOf: asOf?.toISOString() ?? null }) };
}

/** The defaults of the table. */
const settingsByDefault = {
  recordPath: null,
  sheet: null,
  delimiter: ',',
  encoding: 'utf-8',
  decimalSeparator: '.',
  quantityBasis: 'physical',
  mode: 'full',
  absent: 'keep',
} as const;

/** Null where columns are named as the fields; the database stores an empty object. */
export function readMapping({ mapping }: Pick<ImportProfile, 'mapping'>): KeptProfile['mapping'] {
  const kept = mapping as Mapping;
  return Object.keys(kept).length === 0 ? null : kept;
}

/** Null where names of XML are as files write them; the database stores an empty object. */
export function readNamespaces({ namespaces }: Pick<ImportProfile, 'namespaces'>): KeptProfile['namespaces'] {
  const kept = namespaces as Record<string, string>;
  return Object.keys(kept).length === 0 ? null : kept;
}

export function findTarget(targets: ImportDeps['targets'], name: string): ImportTarget {
  const target = targets.get(name);
  if (target) return target;
  throw new ValidationError({ target: [`There is no such target. Use one of ${[...targets.keys()].join(', ')}.`] });
}

const clearable = new Set(['recordPath', 'sheet', 'asOf', 'maxRejected']);

const withoutNulls = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));

function assertReadable(
  { expressions }: ImportDeps,
  target: ImportTarget,
  profile: CheckedProfile & CheckedPaths,
): void {
  const faults = {
    ...mappingFaults(target, profile.mapping ?? null),
    ...profileFaults(profile, expressions),
    ...pathFaults(profile),
  };
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
}

function nameTaken(error: unknown): never {
  if (isUniqueViolation(error)) throw new ValidationError({ name: ['The name has already been taken.'] });
  throw error;
}
