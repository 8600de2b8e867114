import type { BulkJob } from '#prisma/client.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { LiveList } from '#src/infra/live/lists/live-list.ts';
import type { SignedLinks } from '#src/infra/signing/signed-links.ts';
import type { OutboxConsumer } from '#src/journal/outbox/outbox.ts';
import type { ExportTarget } from './export-target.ts';
import type { ImportTarget } from './target.ts';

/** What an expression makes of an item, or why it makes nothing of it. */
export type ItemResult = { value: unknown } | { reason: string };

/** The language of expressions, which another domain has. */
export interface Expressions {
  /** Why the text is not an expression over `item`; undefined where it is. */
  findFault: (source: string) => string | undefined;
  /** Reads an expression once, to be evaluated for many items. */
  compile: (source: string) => (item: object) => Promise<ItemResult>;
}

export interface ImportSettings {
  /** Seconds for which a file may be sent to the address of an upload. */
  uploadUrlTtlSeconds: number;
  /** Milliseconds for which a file of an SFTP server must not have changed before it is fetched. */
  sftpStableMs: number;
  /** A worker merges two chunks of an import at a time. */
  importPairs: boolean;
}

/** Which bulk jobs are followed. All given filters must match; one that is null or left out does not filter. */
export interface BulkJobFilter {
  target?: string | null;
  status?: readonly string[] | null;
  kind?: string | null;
}

/** The dependencies of imports and exports, shared in a process. */
export interface ImportDeps extends Deps {
  settings: ImportSettings;
  /** The import targets, by name. */
  targets: ReadonlyMap<string, ImportTarget>;
  /** The export targets, by name. */
  exportTargets: ReadonlyMap<string, ExportTarget>;
  /** The consumers of the outbox. A function, because they are known only once all domains are open. */
  consumers: () => readonly OutboxConsumer[];
  /** Evaluates the expressions by which profiles compute cells. */
  expressions: Expressions;
  /** Addresses that files are sent to. */
  uploadLinks: SignedLinks;
  /** Addresses of what jobs rejected. */
  rejectLinks: SignedLinks;
  /** Addresses of the files of exports. */
  exportLinks: SignedLinks;
  /** Follows the list of bulk jobs, by tenant; it has no filter. */
  liveBulkJobs: LiveList<BulkJobFilter, BulkJob>;
  /** Aborted when the process is to end; jobs then stop at their next chunk, and others take them up. */
  ending: AbortSignal;
}
