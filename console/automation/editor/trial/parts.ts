import { type Graph, nodesOf } from '#console/automation/editor/model/graph.ts';

export const parts = ['whole', 'node', 'to', 'from'] as const;
/** How much of a draft is run: all, one node, all that leads to a node, or all that follows it. */
export type Part = (typeof parts)[number];

export const readPart = (value: string | undefined): Part => parts.find((part) => part === value) ?? 'whole';

/** The node that bounds a part; a loop is run as a whole. */
export const boundary = (path: string): string => path.split('/')[0] ?? path;

/** The members of `startRun` that choose a part of the workflow. */
export function section(part: Part, path: string | undefined): { from?: string; to?: string } {
  if (part === 'whole' || path === undefined) return {};
  const id = boundary(path);
  return { ...(part !== 'to' && { from: id }), ...(part !== 'from' && { to: id }) };
}

/** The nodes whose ids stand in a text. */
export function namedNodes(graph: Graph, text: string): string[] {
  const names = new Set(text.match(/[\w-]+/g));
  return [...nodesOf(graph).keys()].filter((path) => !path.includes('/') && names.has(path));
}
