import type { ResultOf } from '#console/graph/graphql.ts';
import type { EditorDefinition } from './editor.documents.ts';
import { isObject, type NodeUnit } from './model/graph.ts';

export type Definition = ResultOf<typeof EditorDefinition>;
/** The newest version of each node, by slug. */
export type Definitions = ReadonlyMap<string, Definition>;

/** In pixels. Sizes are fixed, so that the canvas never measures a node. */
export const nodeWidth = 176;
export const headHeight = 44;
export const branchHeight = 20;
export const loopPadding = { side: 16, head: 60, foot: 16 };

/** The branches that edges may leave a node along; `default` alone where its definition is not known. */
export function branchesOf(unit: NodeUnit, definition: Definition | undefined): string[] {
  const branches = new Set(definition?.branches ?? ['default']);
  if (unit['on_error'] === 'continue') branches.add('default');
  if (unit['on_error'] === 'branch') branches.add('error');
  const items = definition?.branchesFrom == null ? undefined : unit.config[definition.branchesFrom];
  for (const item of Array.isArray(items) ? items : []) {
    if (isObject(item) && typeof item['branch'] === 'string') branches.add(item['branch']);
  }
  return [...branches];
}

/** One branch leaves beside the name; several have a line each below it. */
export const heightOf = (branches: readonly string[]): number =>
  headHeight + (branches.length > 1 ? branches.length * branchHeight : 0);

/** The height at which edges of a branch leave a node, in pixels from its top. */
export const branchTop = (index: number, count: number): number =>
  count > 1 ? headHeight + index * branchHeight + branchHeight / 2 : headHeight / 2;
