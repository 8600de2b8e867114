import { ChoiceBoxes } from '#console/ui/form/choice-boxes.tsx';
import type { Lookup } from './lookup.ts';
import { useChoices } from './use-choices.ts';

interface Props {
  lookup: Lookup;
  chosen: readonly unknown[];
  set: (chosen: unknown[]) => void;
}

/** Boxes for everything that a lookup offers, where a member is a list. */
export function LookupBoxes({ lookup, chosen, set }: Props) {
  const { choices, fault } = useChoices(lookup, '', null);
  if (fault !== undefined) return <p className="field-error">{fault}</p>;
  return <ChoiceBoxes choices={choices} chosen={chosen} set={set} />;
}
