import type { Deps } from './deps.ts';

/** Schemas of the data that a tenant defines for itself, by name. */
export type TenantSchemas = Record<string, Record<string, unknown>>;

/** Reads the schemas as they are now. */
export type ReadTenantSchemas = (deps: Pick<Deps, 'database'>, tenantId: string) => Promise<TenantSchemas>;

/**
 * Marks an object whose members each tenant defines for itself, as the metadata of a zod schema or the `extensions` of a field of the
 * graph: OpenAPI refers to the schema of that name; in a description that is not for one tenant, any object is allowed there.
 */
export const tenantSchema = (name: string) => ({ tenantSchema: name });
