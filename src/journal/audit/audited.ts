/** A kind of resource whose changes are written to the audit log, and the actions on it. */
export interface Audited<Type extends string = string, Action extends string = string> {
  /** The log's `resource_type`, e.g. `workflow`. */
  type: Type;
  actions: readonly Action[];
  /** The type of the graph whose `databaseId` the log's `resource_id` is; left out where there is none that lists can load. */
  node?: string;
}

const nodes = new Map<string, string>();

/** Declares an audited resource in its slice (`x.declarations.ts`); the domain's manifest lists it. */
export function defineAudited<const Type extends string, const Action extends string>(
  audited: Audited<Type, Action>,
): Audited<Type, Action> {
  if (audited.node !== undefined) nodes.set(audited.type, audited.node);
  return audited;
}

/** The resource types whose entries are about objects of a type of the graph: none, one, or several, as of a workflow and its draft. */
export const resourceTypes = (node: string): string[] =>
  [...nodes].flatMap(([type, shownBy]) => (shownBy === node ? [type] : []));

/** The type of the graph that shows resources of a type; undefined where there is none. */
export const nodeType = (resourceType: string): string | undefined => nodes.get(resourceType);
