import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** True if a field's selection contains the field `name`, directly or in a fragment, skipped or not. */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const names = (selection: SelectionSetNode | undefined): boolean =>
    selection?.selections.some((node) => {
      if (node.kind === 'Field') return node.name.value === name;
      return names(node.kind === 'InlineFragment' ? node.selectionSet : fragments[node.name.value]?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => names(selectionSet));
}
