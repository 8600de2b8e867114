import type { ApiChange, ComparedNode } from '#src/automation/connectors/changes/api-change.ts';
import type { ApiDescription, SkippedOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import type { OperationChoice } from '#src/automation/connectors/packages/choose-operations.rules.ts';
import type { Connector } from '#src/automation/connectors/packages/package-files.ts';

/** A task for the process that reads descriptions. */
export interface DescribeOrder {
  bytes: Uint8Array;
  /** The URL of the description, which resolves relative servers; empty for a file. */
  from: string;
  /** The package to make; absent if the operations are only listed. */
  make?: MakeOrder;
  /** The package to compare with its previous version. */
  compare?: MakeOrder;
}

export interface MakeOrder {
  /** Undefined to keep the choice of the previous package. */
  choice: OperationChoice | undefined;
  namespace: string;
  source: string;
  /** The archive of the package's newest version. */
  before: Uint8Array | undefined;
}

/** An operation, as a list of them shows it. */
export interface DescribedOperation {
  name: string;
  method: string;
  path: string;
  title: string;
  summary: string;
  tags: string[];
  deprecated: boolean;
  /** Why it cannot become a node. */
  reason?: string;
}

/** A description as it is shown to a user who chooses operations. */
export interface DescribedApi extends Pick<ApiDescription, 'kind' | 'title' | 'version' | 'hash'> {
  /** The namespace that the command takes by default. */
  namespace: string;
  servers: string[];
  credentialTypes: { slug: string; name: string; authKind: string }[];
  operations: DescribedOperation[];
  /** The operations that the reader could not read. */
  skipped: SkippedOperation[];
}

export interface MadeArchive {
  archive: Uint8Array;
  name: string;
  version: string;
  /** The title of the API. */
  title: string;
  nodes: number;
  skipped: SkippedOperation[];
  /** The source of the previous version; absent for a new package. */
  before?: Connector['description'];
}

/** How a package would change if it were made again. */
export interface Comparison {
  changes: ApiChange[];
  before: Connector['description'];
  /** The nodes of the previous and of the next version. */
  last: ComparedNode[];
  next: ComparedNode[];
}

export interface Described {
  api: DescribedApi;
  made?: MadeArchive;
  comparison?: Comparison;
}

/** The answer of the process: the description, or the reason why it could not be read. */
export type DescribeReport =
  | { ok: true; described: Described }
  | { ok: false; message: string }
  | { ok: false; bug: string };
