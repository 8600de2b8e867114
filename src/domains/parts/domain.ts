import type { RouteSource } from '#rest/route.ts';
import type { BuiltinPackage } from '#src/automation/node-api/builtin-package.ts';
import type { NodeRuntime } from '#src/automation/node-api/node-runtime.ts';
import type { ExportTarget } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Chore } from '#src/infra/chores.ts';
import type { Deps } from '#src/infra/deps.ts';
import { infraChores } from '#src/infra/infra.chores.ts';
import type { JobHandler } from '#src/infra/job-handler.ts';
import type { JobDefinition } from '#src/infra/jobs.ts';
import type { PublishedSchema } from '#src/infra/json-schema/published-schema.ts';
import type { KeyScope } from '#src/infra/key-scopes.ts';
import type { Loop } from '#src/infra/loops.ts';
import type { Opened } from '#src/infra/opened.ts';
import type { ReadTenantSchemas, TenantSchemas } from '#src/infra/tenant-schemas.ts';
import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import type { Audited } from '#src/journal/audit/audited.ts';
import type { OutboxConsumer } from '#src/journal/outbox/outbox.ts';
import type { Topic } from '#src/journal/outbox/topic.ts';

/** What a domain declares. It is data: a process that only migrates or rotates keys reads it and loads nothing else. */
export interface DomainParts {
  jobs: readonly JobDefinition[];
  topics: readonly Topic[];
  audited: readonly Audited[];
  sealedColumns: readonly SealedColumn[];
  scopes: readonly KeyScope[];
  importTargets: readonly ImportTarget[];
  exportTargets: readonly ExportTarget[];
  /** Schemas of documents that it takes, published for editors. */
  schemas: readonly PublishedSchema[];
}

/** A domain as the start sees it. What a process does not need, it does not load. */
export interface Domain extends RouteSource {
  name: string;
  parts?: Partial<DomainParts>;
  /** What its use cases share, in the API and in workers. */
  services?: () => Promise<DomainServices>;
  /** What is done for its jobs; in workers. */
  handlers?: () => Promise<readonly JobHandler[]>;
  /** Adds the domain's types to the builder; in the API. */
  graphql?: () => Promise<unknown>;
  /** Reads the schemas of what tenants define for themselves; in the API. */
  tenantSchemas?: () => Promise<ReadTenantSchemas>;
  /** The domain's repeating work; in workers. */
  chores?: () => Promise<readonly Chore[]>;
  /** What it does for as long as a worker lives, waking as work comes; in workers. */
  loops?: () => Promise<readonly Loop[]>;
}

/** What the start gives a domain to open with. */
export interface Opening {
  deps: Deps;
  /** Nodes that come with the product, of every domain. */
  nodePackages: readonly BuiltinPackage[];
  /** What files can be imported into, of every domain. */
  importTargets: readonly ImportTarget[];
  /** What is exported to files, of every domain. */
  exportTargets: readonly ExportTarget[];
  /** The sandbox; it belongs to the entry point. */
  nodeRuntime: NodeRuntime;
  /** What the domains that stand before this one in the list have opened. */
  opened: Opened;
}

export interface DomainServices {
  /** Nodes that the domain implements. */
  nodePackages?: (deps: Deps) => readonly BuiltinPackage[];
  open?: (opening: Opening) => OpenedDomain;
}

export interface OpenedDomain {
  /** The domain's own member of what is open. */
  opened?: Partial<Opened>;
  consumers?: readonly OutboxConsumer[];
  /** Brings the database to what this version of the product brings along; once a start, after the migrations. */
  prepare?: () => Promise<void>;
  /** Resolves when nothing is under way that needs the database. */
  close?: () => Promise<void>;
}

/** Reads what a tenant defines for itself, in any domain. */
export async function loadTenantSchemas(domains: readonly Domain[]): Promise<ReadTenantSchemas> {
  const declared = await Promise.all(domains.map(async ({ tenantSchemas }) => tenantSchemas?.()));
  return async (deps, tenantId) => {
    const found = await Promise.all(declared.map(async (read) => read?.(deps, tenantId)));
    return Object.assign({}, ...found) as TenantSchemas;
  };
}

/** The repeating work of the infrastructure and of every domain. */
export async function loadChores(domains: readonly Domain[]): Promise<Chore[]> {
  const declared = await Promise.all(domains.map(async ({ chores }) => (await chores?.()) ?? []));
  return [...infraChores, ...declared.flat()];
}

/** What the domains do for as long as a worker lives. */
export async function loadLoops(domains: readonly Domain[]): Promise<Loop[]> {
  const declared = await Promise.all(domains.map(async ({ loops }) => (await loops?.()) ?? []));
  return declared.flat();
}
