import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { FieldCredentials } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import { HelpText } from '#console/ui/help-text.tsx';
import { fromText, isExpression, toText, type Writing } from './config-value.ts';

type Field = Definition['fields'][number];

interface Props {
  field: Field;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  /** What is wrong with it, as the server says. */
  problem: string | undefined;
  id: string;
}

const writingOf: Readonly<Partial<Record<Field['type'], Writing>>> = {
  NUMBER: 'number',
  BOOLEAN: 'boolean',
  JSON: 'json',
  LIST: 'json',
};

/** A field of a config: a fixed value, or an expression in its place. */
export function ConfigField({ field, value, set, isDisabled, problem, id }: Props) {
  const { label, required, help, key } = field;
  return (
    <div className="field" data-field={key}>
      <label className="field-label" htmlFor={id}>
        {label}
        {required && <span className="quiet"> {w.required}</span>}
      </label>
      <Control {...{ field, value, set, isDisabled, problem, id }} />
      {help && (
        <p className="field-help" id={`${id}-help`}>
          <HelpText text={help} />
        </p>
      )}
      {problem && (
        <p className="field-error" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function Control(props: Props) {
  const { field, value, set, isDisabled, id } = props;
  const choices =
    field.type === 'BOOLEAN' ? booleans : field.options.map(({ value: each, label }) => ({ value: each, label }));
  if (isExpression(value)) return <TextControl {...props} writing="text" isLong />;
  if (field.type === 'CREDENTIALS_REF') return <CredentialControl {...props} />;
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
  return (
    <TextControl
      {...props}
      writing={writing}
      isLong={writing === 'json' || field.type === 'TEXT' || field.type === 'EXPRESSION'}
    />
  );
}

const booleans = [
  { value: true, label: w.yes },
  { value: false, label: w.no },
];

/** Text that is kept as it is typed, and becomes a value as soon as it is one. */
function TextControl({
  value,
  set,
  isDisabled,
  id,
  writing,
  isLong,
  field,
  problem,
}: Props & { writing: Writing; isLong: boolean }) {
  const [text, setText] = useState(() => toText(value, writing));
  const [fault, setFault] = useState<'number' | 'json'>();
  const shown = toText(value, writing);
  useEffect(() => {
    // Undo and other people change the value too; what is being typed stays while it stands for the same value.
    const read = fromText(text, writing);
    if (!('fault' in read) && toText(read.value, writing) !== shown) setText(shown);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a change from outside is taken over
  }, [shown]);
  const attributes = {
    id,
    className: `input${isLong ? ' input-code' : ''}`,
    disabled: isDisabled,
    value: text,
    spellCheck: false,
    placeholder: field.default == null ? '' : toText(field.default, writing),
    'aria-invalid': fault !== undefined || problem !== undefined,
    'aria-describedby': `${id}-help ${id}-problem`,
    onChange: (event: { target: { value: string } }) => {
      setText(event.target.value);
      const read = fromText(event.target.value, writing);
      setFault('fault' in read ? read.fault : undefined);
      if (!('fault' in read)) set(read.value);
    },
  };
  return (
    <>
      {isLong ? (
        <textarea {...attributes} rows={Math.min(12, Math.max(2, text.split('\n').length))} />
      ) : (
        <input {...attributes} />
      )}
      {fault && <p className="field-error">{fault === 'json' ? w.notJson : w.notNumber}</p>}
    </>
  );
}

/** The tenant's credentials of the types that the field takes. */
function CredentialControl({ field, value, set, isDisabled, id }: Props) {
  const [type = ''] = field.credentialTypes;
  const [{ data }] = useQuery({ query: FieldCredentials, variables: { type }, pause: type === '' });
  const credentials = data?.credentials.edges.map(({ node }) => node) ?? [];
  return (
    <select
      id={id}
      className="input"
      disabled={isDisabled}
      value={typeof value === 'number' || typeof value === 'string' ? String(value) : ''}
      onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))}
    >
      <option value="">{credentials.length === 0 ? w.noCredential(type) : ''}</option>
      {credentials.map(({ databaseId, name }) => (
        <option key={databaseId} value={String(databaseId)}>
          {name}
        </option>
      ))}
    </select>
  );
}
