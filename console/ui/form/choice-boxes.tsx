import { useId } from 'react';
import type { Choice } from '#console/ui/lookup/lookup.ts';
import { helpWord } from '#console/words/help.ts';

interface Props {
  choices: readonly Choice[];
  chosen: readonly unknown[];
  set: (chosen: unknown[]) => void;
}

/** A box for each value of a list, with the sentence on it. */
export function ChoiceBoxes({ choices, chosen, set }: Props) {
  const id = useId();
  return choices.map(({ id: value, name, about }) => (
    <div key={value} className="field-choice">
      <input
        id={`${id}-${value}`}
        type="checkbox"
        aria-describedby={about && `${id}-${value}-about`}
        checked={chosen.includes(value)}
        onChange={({ target }) => set(target.checked ? [...chosen, value] : chosen.filter((item) => item !== value))}
      />
      <span>
        <label htmlFor={`${id}-${value}`}>{name}</label>
        {about && (
          <span id={`${id}-${value}-about`} className="field-help">
            {helpWord(about)}
          </span>
        )}
      </span>
    </div>
  ));
}
