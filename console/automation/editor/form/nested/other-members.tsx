import { useState } from 'react';
import { fromText } from '#console/automation/editor/form/config-value.ts';
import { TextFault } from '#console/automation/editor/form/text-fault.tsx';
import { useFieldText } from '#console/automation/editor/form/use-field-text.ts';
import { isObject } from '#console/automation/editor/model/graph.ts';
import { otherMembers, withOtherMembers } from './members.ts';
import { nestedWords as w } from './nested.words.ts';

interface Props {
  id: string;
  /** The label of the object. */
  label: string;
  /** The members that have a field. */
  known: ReadonlySet<string>;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
}

/** Shows, as JSON, the members of an object that the manifest does not name. */
export function OtherMembers(props: Props) {
  const others = otherMembers(props.known, props.value);
  // Stays visible after the user empties it, so that the user can type something else.
  const [isShown, setShown] = useState(others !== undefined);
  if (others && !isShown) setShown(true);
  return isShown && <OtherText {...props} others={others} />;
}

function OtherText({ id, label, known, value, set, isDisabled, others }: Props & { others: unknown }) {
  const { text, fault, write } = useFieldText(others, 'json', (next) => {
    const members = next ?? {};
    if (isObject(members) && !Object.keys(members).some((key) => known.has(key))) {
      set(withOtherMembers(known, value, members));
    }
  });
  const read = fromText(text, 'json');
  const typed = 'value' in read ? (read.value ?? {}) : undefined;
  const repeated = isObject(typed) ? Object.keys(typed).find((key) => known.has(key)) : undefined;
  const wrong =
    typed !== undefined && !isObject(typed) ? w.noObject : repeated === undefined ? undefined : w.hasField(repeated);
  return (
    <div className="field">
      <label className="field-label" htmlFor={`${id}-others`}>
        {w.others}
      </label>
      <textarea
        id={`${id}-others`}
        className="input input-code"
        aria-label={w.othersOf(label)}
        aria-invalid={fault !== undefined || wrong !== undefined}
        aria-describedby={`${id}-others-help`}
        value={text}
        disabled={isDisabled}
        spellCheck={false}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        onChange={({ target }) => write(target.value)}
      />
      <TextFault {...{ text, fault }} mend={write} />
      {wrong !== undefined && <p className="field-error">{wrong}</p>}
      <p className="field-help" id={`${id}-others-help`}>
        {w.othersHelp}
      </p>
    </div>
  );
}
