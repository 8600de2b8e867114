import type { Services } from '#src/infra/services.ts';
import type { TenantSchemas, ReadTenantSchemas } from '#src/infra/tenant-schemas.ts';
import { collectDeclarations } from './declarations.ts';
import type { DomainManifest, DomainServices, Opening } from './domain-manifest.ts';

export interface OpenDomains {
  services: Services;
  /** Installs the data that this version ships; call it in the API process, after the migrations. */
  prepare: () => Promise<void>;
  /** Resolves when no remaining work needs the database. */
  close: () => Promise<void>;
}

/** Imports the modules of the domains' use cases. */
export const loadServices = (domains: readonly DomainManifest[]): Promise<(DomainServices | undefined)[]> =>
  Promise.all(domains.map(async ({ services: load }) => load?.()));

/** Opens every domain in this process, each with the node packages of all. */
export async function openDomains(
  domains: readonly DomainManifest[],
  { deps, settings, nodeRuntime }: Pick<Opening, 'deps' | 'settings' | 'nodeRuntime'>,
): Promise<OpenDomains> {
  const loaded = await loadServices(domains);
  const { topics, scopes, importTargets, exportTargets, schemas: publishedSchemas } = collectDeclarations(domains);
  // Each member of Services is declared by the domain that adds it here.
  const services = { deps, ownTopics: new Set(topics.map(({ name }) => name)) } as unknown as Services;
  const nodePackages = loaded.flatMap((each) => [...(each?.nodePackages?.(deps, services) ?? [])]);
  const open = loaded.flatMap((each) => {
    const own = each?.open?.({ deps, settings, nodePackages, importTargets, exportTargets, nodeRuntime, services });
    Object.assign(services, own?.services);
    return own ?? [];
  });
  const consumers = open.flatMap((each) => [...(each.consumers ?? [])]);
  const declaredTopics = topics.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const keyScopes = scopes.map(({ name }) => name);
  Object.assign(services, { consumers, keyScopes, declaredScopes: scopes, declaredTopics, publishedSchemas });
  return {
    services,
    async prepare() {
      for (const each of open) await each.prepare?.();
    },
    async close() {
      await Promise.all(open.map(async (each) => each.close?.()));
    },
  };
}

/** Reads the schemas of the data that a tenant defines for itself, in all domains. */
export async function loadTenantSchemas(domains: readonly DomainManifest[]): Promise<ReadTenantSchemas> {
  const declared = await Promise.all(domains.map(async ({ tenantSchemas }) => tenantSchemas?.()));
  return async (deps, tenantId) => {
    const found = await Promise.all(declared.map(async (read) => read?.(deps, tenantId)));
    return Object.assign({}, ...found) as TenantSchemas;
  };
}
