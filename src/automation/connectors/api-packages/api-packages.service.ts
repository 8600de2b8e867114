import semver from 'semver';
import {
  chooseOperations,
  isChoice,
  type OperationChoice,
} from '#src/automation/connectors/packages/choose-operations.rules.ts';
import { isNamespace, isReserved } from '#src/automation/connectors/packages/made-files.ts';
import type {
  Comparison,
  DescribedApi,
  MadeArchive,
  MakeOrder,
} from '#src/automation/connectors/reading/describe-order.ts';
import type { DescriptionReader } from '#src/automation/connectors/reading/description-reader.ts';
import { archiveLimits } from '#src/automation/packages/archive/archive.ts';
import { registerNodePackage, type RegisteredPackage } from '#src/automation/packages/node-packages.service.ts';
import type { Viewer } from '#src/graphql/context.ts';
import { listEnterableTenants } from '#src/identity/enterable-tenants.reads.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ConflictError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { objectKey } from '#src/infra/storage/storage.ts';
import { createNodePackageInput, describeApiInput, type GivenChoice } from './api-packages.inputs.ts';
import { loadSource } from './api-source.service.ts';
import { type BrokenWorkflows, findBrokenWorkflows } from './broken-workflows.service.ts';

export type ApiPackageDeps = Deps & { descriptions: DescriptionReader };

/** Lists the servers and credential types of a description, and the operations that the caller chose. */
export async function describeApi(
  deps: ApiPackageDeps,
  tenantId: string | null,
  given: unknown,
): Promise<DescribedApi> {
  const { source, choose } = parseInput(describeApiInput, given);
  const { api } = await deps.descriptions.read(await loadSource(deps, tenantId, source));
  return choose ? { ...api, operations: chooseOperations(api.operations, toChoice(choose)) } : api;
}

export interface CreatedPackage {
  registered: RegisteredPackage;
  made: MadeArchive;
}

/**
 * Makes a package from a description and registers it for an organisation. If the package exists, it gets a new version, in which nodes that
 * did not change keep their versions.
 */
export async function createNodePackage(
  deps: ApiPackageDeps,
  tenantId: string | null,
  { orgId, ...given }: { orgId: string },
): Promise<CreatedPackage> {
  const { bytes, from, make } = await loadOrder(deps, tenantId, orgId, given);
  const { made } = await deps.descriptions.read({ bytes, from, make });
  if (!made) throw new Error('The reader made no package.');
  return { registered: await registerNodePackage(deps, { orgId, archive: made.archive }), made };
}

/** A warning if the previous version of the package was made from another API; otherwise null. */
export const otherApiWarning = ({ name, title, before }: MadeArchive): string | null =>
  before && before.title !== title
    ? `${name} was made from "${before.title}" until now, and is of "${title}" from this version on. Use another namespace to keep both.`
    : null;

export interface ApiComparison extends Pick<Comparison, 'changes' | 'before'>, BrokenWorkflows {
  /** The title and version of the newer description. */
  api: DescribedApi;
}

/** Compares a description with the package that was made from an earlier one. Nothing is stored. */
export async function compareApi(
  deps: ApiPackageDeps,
  { tenantId, viewer }: { tenantId: string | null; viewer: Pick<Viewer, 'orgId' | 'tenants'> },
  { orgId, ...given }: { orgId: string },
): Promise<ApiComparison> {
  const { bytes, from, make } = await loadOrder(deps, tenantId, orgId, given);
  const { api, comparison } = await deps.descriptions.read({ bytes, from, compare: make });
  if (!comparison) throw new Error('The reader compared nothing.');
  const tenants = (await listEnterableTenants(deps.database, viewer)).filter((tenant) => tenant.orgId === orgId);
  const broken = await findBrokenWorkflows(deps, tenants, make.namespace, comparison);
  return { api, changes: comparison.changes, before: comparison.before, ...broken };
}

async function loadOrder(deps: ApiPackageDeps, tenantId: string | null, orgId: string, given: unknown) {
  const { source: wanted, choose, namespace: named } = parseInput(createNodePackageInput, given);
  const { bytes, from, source } = await loadSource(deps, tenantId, wanted);
  const namespace = named ?? (await deps.descriptions.read({ bytes, from })).api.namespace;
  if (!isNamespace(namespace) || isReserved(namespace))
    throw new ValidationError({
      namespace: ['Use at most 63 lower-case letters, digits and dashes, and neither core nor commerce.'],
    });
  const before = await readNewestArchive(deps, orgId, `${namespace}-nodes`);
  const make: MakeOrder = { choice: choose ? toChoice(choose) : undefined, namespace, source, before };
  return { bytes, from, make };
}

/** The choice of operations as the package stores it, without empty conditions. */
function toChoice({ all, tags, paths, search, operations }: GivenChoice): OperationChoice {
  const choice: OperationChoice = {
    ...(all === true && { all }),
    ...(tags && tags.length > 0 && { tags }),
    ...(paths && paths.length > 0 && { paths }),
    ...(search && { search }),
    ...(operations && operations.length > 0 && { operations }),
  };
  if (!isChoice(choice)) throw new ValidationError({ choose: ['Choose all operations, or name a condition.'] });
  return choice;
}

/** The archive of the newest version of a package; undefined if the organisation has no package of the name. */
async function readNewestArchive(
  { database, storage }: Deps,
  orgId: string,
  name: string,
): Promise<Uint8Array | undefined> {
  const versions = await database.global.nodePackage.findMany({
    where: { orgId, name },
    select: { version: true, digest: true },
  });
  const [newest] = versions.toSorted((one, other) => semver.rcompare(one.version, other.version));
  if (!newest) return undefined;
  const key = objectKey(newest.digest);
  if (!(await storage.exists(key)))
    throw new ConflictError(`The archive of ${name} ${newest.version} is not kept. Choose another namespace.`);
  return storage.get(key, { maxBytes: archiveLimits.compressed });
}
