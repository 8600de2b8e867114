interface Choice {
  id: string;
  selected: boolean;
}

/**
 * The selection after nodes were selected or deselected. The canvas library reports nodes only, so selecting a node also deselects all edges,
 * unless the rest of the selection is to be kept.
 */
export function changedSelection(
  selected: ReadonlySet<string>,
  choices: readonly Choice[],
  { keepsOthers }: { keepsOthers: boolean },
): ReadonlySet<string> {
  const isAlone = !keepsOthers && choices.some((choice) => choice.selected);
  const next = new Set([...selected].filter((key) => !isAlone || !key.startsWith('edge:')));
  for (const { id, selected: isChosen } of choices) {
    if (isChosen) next.add(id);
    else next.delete(id);
  }
  return next;
}
