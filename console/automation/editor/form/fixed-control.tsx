import type { ChangeEvent, ReactNode } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { isWithinBraces, toExpression } from '#console/automation/editor/expressions/template.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import { toText, type Writing } from './config-value.ts';
import { CredentialControl } from './credential/credential-control.tsx';
import { DynamicControl } from './dynamic-control.tsx';
import type { FieldNode } from './dynamic-options.ts';
import { formWords } from './form.words.ts';
import { TextFault } from './text-fault.tsx';
import { useFieldText } from './use-field-text.ts';

export type Field = Definition['fields'][number];

export interface ConfigFieldProps {
  field: Field;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  /** The server's sentence about what is wrong with the value. */
  problem: string | undefined;
  id: string;
  node: FieldNode;
  /** Whether the items of the field name the node's branches. */
  hasBranches: boolean;
  /** What follows the field, such as a button that mends it. */
  children?: ReactNode;
}

const writingOf: Readonly<Partial<Record<Field['type'], Writing>>> = {
  NUMBER: 'number',
  BOOLEAN: 'boolean',
  JSON: 'json',
  LIST: 'json',
  OBJECT: 'json',
  VARIANT: 'json',
};

interface ControlProps extends ConfigFieldProps {
  /** Makes it an expression, with the cursor at a place of its text. */
  express: (text: string, focusAt: number) => void;
}

/** The control of a fixed value. */
export function FixedControl(props: ControlProps) {
  const { field, value, set, isDisabled, id, node } = props;
  const choices =
    field.type === 'BOOLEAN' ? booleans : field.options.map(({ value: each, label }) => ({ value: each, label }));
  if (field.type === 'CREDENTIALS_REF') {
    return <CredentialControl {...{ id, value, set, isDisabled }} types={field.credentialTypes} />;
  }
  if (field.dynamic) {
    return <DynamicControl {...{ id, node, value, set, isDisabled }} label={field.label} fieldKey={field.key} />;
  }
  if (choices.length > 0 && (field.type === 'SELECT' || field.type === 'BOOLEAN')) {
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
  const writing = writingOf[field.type] ?? 'text';
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
    placeholder: field.default == null ? (field.type === 'LIST' ? formWords.list : '') : toText(field.default, writing),
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
