/** What the graph answers about a description; mutations have no types of their own here. */
export interface Api {
  kind: string;
  title: string;
  version: string;
  namespace: string;
  servers: string[];
  operationCount: number;
  credentialTypes: { slug: string; name: string }[];
  tags: { name: string; count: number }[];
  operations: Operation[];
  skipped: { operation: string; reason: string }[];
}

export interface Operation {
  name: string;
  method: string;
  path: string;
  title: string;
  tags: string[];
  isDeprecated: boolean;
  /** Why it cannot become a node. */
  reason: string | null;
}

export interface Comparison {
  isOtherApi: boolean;
  before: { title: string; version: string };
  changeCount: number;
  breakingCount: number;
  changes: { kind: string; slug: string; path: string | null; isBreaking: boolean; detail: string }[];
  workflowCount: number;
  broken: {
    tenantId: string;
    workflowId: number;
    workflowName: string;
    kind: string;
    slug: string;
    node: string;
    path: string;
    reads: string | null;
  }[];
}

export interface Published {
  created: boolean;
  warning: string | null;
  skipped: { operation: string; reason: string }[];
  nodePackage: {
    name: string;
    version: string;
    nodes: { slug: string; version: string; name: string }[];
    credentialTypes: { slug: string; name: string }[];
  };
}

/** The description as an input of the graph. */
export type Source = { text: string; filename: string } | { uploadId: string } | { url: string };

/** The operations with every word of the search and the tag. */
export function findOperations(operations: readonly Operation[], search: string, tag: string): Operation[] {
  const words = search.trim().toLowerCase().split(/\s+/);
  return operations.filter(({ name, method, path, title, tags }) => {
    if (tag !== '' && !tags.includes(tag)) return false;
    const text = [name, method, path, title, ...tags].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The choice as it is kept with the package: all operations, also those of a newer description, or the chosen names. */
export const toChoice = (api: Api, chosen: ReadonlySet<string>) => {
  const possible = api.operations.filter(({ reason }) => reason === null);
  return possible.length === api.operationCount - countUnfit(api) && possible.every(({ name }) => chosen.has(name))
    ? { all: true }
    : { operations: [...chosen] };
};

const countUnfit = ({ operations }: Api): number => operations.filter(({ reason }) => reason !== null).length;
