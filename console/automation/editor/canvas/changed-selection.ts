interface Choice {
  id: string;
  selected: boolean;
}

/**
 * What is selected after nodes were chosen or let go of. The library tells of nodes alone; unless others are kept on purpose, whoever
 * chooses a node lets go of edges as well.
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
