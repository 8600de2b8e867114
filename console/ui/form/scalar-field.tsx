import { useState } from 'react';
import { readJson } from '#console/graph/exact-numbers.ts';
import { common } from '#console/words/common.words.ts';
import { enumWord } from '#console/words/enums.ts';
import type { FieldProps } from './field-props.ts';
import { FileField } from './file-field.tsx';
import { fromLocalTime, toLocalTime } from './local-time.ts';
import { NumberField } from './number-field.tsx';

interface Props extends FieldProps {
  id: string;
  describedBy: string | undefined;
  isWrong: boolean;
}

const secretNames = /secret|password|privateKey|token|clientSecret/i;
/** A private key has lines, which a field of one line would lose. */
const longNames = /note|description|reason|body|comment|privateKey|text$/i;

/** The control that fits the type of a member. */
export function ScalarField({ catalogue, field, choices, value, set, id, describedBy, isWrong }: Props) {
  const attributes = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': isWrong,
    'aria-required': field.isRequired === true,
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const values = catalogue.enums[field.type];
  const options =
    field.options ??
    choices[field.name] ??
    (values && Object.keys(values).map((name) => ({ value: name, label: enumWord(name) })));
  if (options) {
    return (
      <select {...attributes} className="input" value={text} onChange={(event) => set(event.target.value || undefined)}>
        <option value="" />
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  switch (field.type) {
    case 'Boolean':
      return (
        <input
          {...attributes}
          type="checkbox"
          checked={(value ?? field.default === 'true') === true}
          onChange={(event) => set(event.target.checked)}
        />
      );
    case 'Int':
    case 'Long':
    case 'Float':
      return <NumberField {...attributes} value={value} set={set} />;
    case 'DateTime':
      return (
        <input
          {...attributes}
          className="input"
          type="datetime-local"
          step="1"
          value={toLocalTime(text)}
          onChange={(event) => set(fromLocalTime(event.target.value))}
        />
      );
    case 'Base64':
      return <FileField {...attributes} set={set} />;
    case 'JSON':
      return <JsonField {...attributes} value={value} set={set} />;
    default:
      return (field.isLong ?? longNames.test(field.name)) ? (
        <textarea
          {...attributes}
          className="input"
          rows={4}
          value={text}
          onChange={(event) => set(event.target.value || undefined)}
        />
      ) : (
        <input
          {...attributes}
          className="input"
          type={(field.isSecret ?? secretNames.test(field.name)) ? 'password' : 'text'}
          autoComplete="off"
          value={text}
          onChange={(event) => set(event.target.value === '' ? undefined : event.target.value)}
        />
      );
  }
}

interface JsonProps {
  id: string;
  value: unknown;
  set: (value: unknown) => void;
}

/** JSON as text; while it cannot be read, its form is not sent. */
function JsonField({ value, set, ...attributes }: JsonProps) {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [isBroken, setBroken] = useState(false);
  const type = (text: string) => {
    setTyped(text);
    try {
      set(text.trim() === '' ? undefined : readJson(text));
      setBroken(false);
    } catch {
      setBroken(true);
    }
  };
  return (
    <>
      <textarea
        {...attributes}
        className="input input-code"
        data-broken={isBroken || undefined}
        rows={10}
        spellCheck={false}
        value={typed}
        onChange={(event) => type(event.target.value)}
      />
      {isBroken && (
        <p className="field-error" role="alert">
          {common.invalidJson}
        </p>
      )}
    </>
  );
}
