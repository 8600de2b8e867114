import type { RouteSource } from '#rest/route.ts';
import type { BuiltinPackage } from '#src/automation/node-api/builtin-package.ts';
import type { NodeRuntime } from '#src/automation/node-api/node-runtime.ts';
import type { ExportTarget } from '#src/imports/targets/export-target.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { BackgroundLoop } from '#src/infra/background/background-loops.ts';
import type { JobHandler } from '#src/infra/background/job-handler.ts';
import type { PeriodicTask } from '#src/infra/background/periodic-tasks.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { JobDefinition } from '#src/infra/jobs.ts';
import type { PublishedSchema } from '#src/infra/json-schema/published-schema.ts';
import type { KeyScope } from '#src/infra/key-scopes.ts';
import type { Services } from '#src/infra/services.ts';
import type { ReadTenantSchemas } from '#src/infra/tenant-schemas.ts';
import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import type { Audited } from '#src/journal/audit/audited.ts';
import type { OutboxConsumer } from '#src/journal/outbox/outbox.ts';
import type { Topic } from '#src/journal/outbox/topic.ts';
import type { DomainSettings } from './domain-settings.ts';

/** The declarations of a domain's nouns. They are data: a process that only migrates or rotates keys imports them and nothing else. */
export interface Declarations {
  jobs: readonly JobDefinition[];
  topics: readonly Topic[];
  audited: readonly Audited[];
  sealedColumns: readonly SealedColumn[];
  scopes: readonly KeyScope[];
  importTargets: readonly ImportTarget[];
  exportTargets: readonly ExportTarget[];
  /** Schemas of documents that its API takes, published for editors. */
  schemas: readonly PublishedSchema[];
}

/** A domain for the start of a process: declarations are imported eagerly, other code when a process needs it. */
export interface DomainManifest extends RouteSource {
  name: string;
  declarations?: Partial<Declarations>;
  /** Opens the services that its use cases share; in the API and in workers. */
  services?: () => Promise<DomainServices>;
  /** Handles its jobs; in workers. */
  handlers?: readonly JobHandler[];
  /** Jobs without a handler: the run engine and the scheduler claim many of them at a time. */
  claimedJobs?: readonly JobDefinition[];
  /** Adds the domain's types to the builder; in the API. */
  graphql?: () => Promise<unknown>;
  /** Reads the schemas of the data that tenants define for themselves; in the API. */
  tenantSchemas?: () => Promise<ReadTenantSchemas>;
  /** Runs at intervals in every worker, so each task must be safe to run in several at the same time. */
  periodicTasks?: readonly PeriodicTask[];
  /** Loops that run for as long as a worker lives, and wake when work arrives; in workers. */
  backgroundLoops?: () => Promise<readonly BackgroundLoop[]>;
}

/** The context in which a domain opens its services. */
export interface Opening {
  deps: Deps;
  settings: DomainSettings;
  /** Built-in nodes of every domain. */
  nodePackages: readonly BuiltinPackage[];
  /** Import targets of every domain. */
  importTargets: readonly ImportTarget[];
  /** Export targets of every domain. */
  exportTargets: readonly ExportTarget[];
  /** The sandbox; it belongs to the entry point. */
  nodeRuntime: NodeRuntime;
  /** The services that the domains before this one in the list have opened. */
  services: Services;
}

export interface DomainServices {
  /** Nodes that the domain implements. They may read `services` only when they run: no domain is open yet. */
  nodePackages?: (deps: Deps, services: Services) => readonly BuiltinPackage[];
  open?: (opening: Opening) => OpenedDomain;
}

export interface OpenedDomain {
  /** The domain's own members of Services. */
  services?: Partial<Services>;
  consumers?: readonly OutboxConsumer[];
  /** Installs the data that this version of the product ships; once at each start, after the migrations. */
  prepare?: () => Promise<void>;
  /** Resolves when no work in progress needs the database. */
  close?: () => Promise<void>;
}
