import { editorWords as w } from '#console/automation/editor/editor.words.ts';

/** Marks the label of a field that the node needs to run. */
export const RequiredMark = ({ isRequired }: { isRequired: boolean }) =>
  isRequired && <span className="quiet"> {w.required}</span>;

/** A switch beside the label of a field. */
export function FieldSwitch({
  label,
  word,
  isOn,
  isDisabled,
  change,
}: {
  /** Says what the switch does, with the name of the field. */
  label: string;
  word: string;
  isOn: boolean;
  isDisabled: boolean;
  change: (isOn: boolean) => void;
}) {
  return (
    <label className="field-switch">
      <input
        type="checkbox"
        role="switch"
        aria-label={label}
        disabled={isDisabled}
        checked={isOn}
        aria-checked={isOn}
        onChange={(event) => change(event.target.checked)}
      />{' '}
      {word}
    </label>
  );
}
