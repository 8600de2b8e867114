import semver from 'semver';
import {
  chooseOperations,
  isChoice,
  type OperationChoice,
} from '#src/automation/connectors/packages/choose-operations.rules.ts';
import { isNamespace, isReserved } from '#src/automation/connectors/packages/made-files.ts';
import type { DescribedApi, MadeArchive } from '#src/automation/connectors/reading/describe-order.ts';
import type { DescriptionReader } from '#src/automation/connectors/reading/description-reader.ts';
import { archiveLimits } from '#src/automation/packages/archive/archive.ts';
import { registerNodePackage, type RegisteredPackage } from '#src/automation/packages/node-packages.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ConflictError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { objectKey } from '#src/infra/storage/storage.ts';
import { createNodePackageInput, describeApiInput, type GivenChoice } from './api-packages.inputs.ts';
import { loadSource } from './api-source.service.ts';

export type ApiPackageDeps = Deps & { descriptions: DescriptionReader };

/** Lists what a description holds: its servers, its credential types and the operations that were asked for. */
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
 * Makes a package from a description and registers it for an organisation. A package of the name is made again: nodes that did not change
 * keep their versions.
 */
export async function createNodePackage(
  deps: ApiPackageDeps,
  tenantId: string | null,
  { orgId, ...given }: { orgId: string },
): Promise<CreatedPackage> {
  const { source: wanted, choose, namespace } = parseInput(createNodePackageInput, given);
  const { bytes, from, source } = await loadSource(deps, tenantId, wanted);
  const chosen = namespace ?? (await deps.descriptions.read({ bytes, from })).api.namespace;
  if (!isNamespace(chosen) || isReserved(chosen))
    throw new ValidationError({
      namespace: ['Use at most 63 lower-case letters, digits and dashes, and neither core nor commerce.'],
    });
  const before = await readNewestArchive(deps, orgId, `${chosen}-nodes`);
  const { made } = await deps.descriptions.read({
    bytes,
    from,
    make: { choice: choose ? toChoice(choose) : undefined, namespace: chosen, source, before },
  });
  if (!made) throw new Error('The reader made no package.');
  return { registered: await registerNodePackage(deps, { orgId, archive: made.archive }), made };
}

/** The choice as it is stored with a package: without empty conditions. */
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
