import type { ChangeEvent } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { isWithinBraces, toExpression } from '#console/automation/editor/expressions/template.ts';
import { toText, type Writing } from './config-value.ts';
import { CredentialControl } from './credential/credential-control.tsx';
import { DynamicControl } from './dynamic-control.tsx';
import { formWords } from './form.words.ts';
import { DateControl, hasPicker } from './nested/date-control.tsx';
import type { Field } from './nested/field.ts';
import type { ConfigFieldProps } from './nested/form-levels.ts';
import { integerFormats } from './nested/formats.ts';
import { nestedWords } from './nested/nested.words.ts';
import { TextFault } from './text-fault.tsx';
import { useFieldText } from './use-field-text.ts';

const writingOf: Readonly<Partial<Record<Field['type'], Writing>>> = {
  NUMBER: 'number',
  BOOLEAN: 'boolean',
  JSON: 'json',
  LIST: 'json',
  OBJECT: 'json',
  VARIANT: 'json',
};

interface ControlProps extends ConfigFieldProps {
  /** How the control writes text. */
  textWriting: Writing;
  problem: string | undefined;
  /** True if the value is null, which the control shows as no value. */
  isNull: boolean;
  /** Makes it an expression, with the cursor at a place of its text. */
  express: (text: string, focusAt: number) => void;
}

/** The control of a fixed value. */
export function FixedControl(props: ControlProps) {
  const { field, value, set, isDisabled, id, node } = props;
  const choices: { value: unknown; label: string }[] =
    field.type === 'BOOLEAN' ? [...booleans] : field.options.map(({ value: each, label }) => ({ value: each, label }));
  if (field.type === 'CREDENTIALS_REF') {
    return <CredentialControl {...{ id, value, set, isDisabled }} types={field.credentialTypes} />;
  }
  if (field.dynamic && node) {
    return <DynamicControl {...{ id, node, value, set, isDisabled }} label={field.label} fieldKey={field.key} />;
  }
  if (choices.length > 0 && (field.type === 'SELECT' || field.type === 'BOOLEAN')) {
    if (value !== undefined && choices.every((choice) => choice.value !== value)) {
      choices.push({ value, label: toText(value, 'json') });
    }
    const chosen = choices.findIndex((choice) => choice.value === (value ?? field.default));
    return (
      <select
        id={id}
        className="input"
        disabled={isDisabled}
        value={chosen}
        onChange={(event) => set(choices[Number(event.target.value)]?.value)}
      >
        <option value={-1} />
        {choices.map((choice, index) => (
          <option key={index} value={index}>
            {choice.label}
          </option>
        ))}
      </select>
    );
  }
  if (hasPicker(field, value))
    return <DateControl {...{ id, value, set, isDisabled }} hasTime={field.format !== 'date'} />;
  const writing = writingOf[field.type] ?? props.textWriting;
  return <TextControl {...props} writing={writing} isLong={writing === 'json' || field.type === 'TEXT'} />;
}

const booleans = [
  { value: true, label: w.yes },
  { value: false, label: w.no },
];

/** A fixed value as text. Whoever types `{{` goes on in an expression. */
function TextControl({
  value,
  set,
  isDisabled,
  id,
  writing,
  isLong,
  field,
  depth = 0,
  isNull,
  problem,
  express,
}: ControlProps & { writing: Writing; isLong: boolean }) {
  const { text, fault, write } = useFieldText(value, writing, set);
  const attributes = {
    id,
    className: `input${isLong ? ' input-code' : ''}`,
    disabled: isDisabled,
    value: text,
    spellCheck: false,
    placeholder: placeholderFor(field, { value, writing, isNull, depth }),
    inputMode: integerFormats.has(field.format ?? '') ? ('numeric' as const) : undefined,
    'aria-invalid': fault !== undefined || problem !== undefined,
    'aria-describedby': `${id}-help ${id}-problem`,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const typed = target.value;
      const at = target.selectionStart ?? typed.length;
      if (isWithinBraces(typed, at)) express(toExpression(typed, at), at);
      else write(typed);
    },
  };
  return (
    <>
      {isLong ? (
        <textarea {...attributes} rows={Math.min(12, Math.max(2, text.split('\n').length))} />
      ) : (
        <input {...attributes} />
      )}
      <TextFault {...{ text, fault }} mend={(mended) => express(mended, mended.length)} />
    </>
  );
}

/** The placeholder of an empty control. Within a structure, no value, null and empty text are different values. */
function placeholderFor(
  { type, default: byDefault }: Field,
  { value, writing, isNull, depth }: { value: unknown; writing: Writing; isNull: boolean; depth: number },
): string {
  if (isNull) return 'null';
  if (depth > 0 && value === '') return nestedWords.emptyText;
  if (byDefault != null) return toText(byDefault, writing);
  return type === 'LIST' ? formWords.list : depth > 0 ? nestedWords.notSet : '';
}
