import { editorWords as w } from '#console/automation/editor/editor.words.ts';

/** Follows the label of a field that a node cannot run without. */
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
  /** What it switches, with the name of the field. */
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
