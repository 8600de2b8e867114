import { useId } from 'react';
import type { InputCatalogue } from '#console/graph/input-types.ts';
import { Button } from '#console/ui/button.tsx';
import { LookupBoxes } from '#console/ui/lookup/lookup-boxes.tsx';
import { LookupField } from '#console/ui/lookup/lookup-field.tsx';
import { type Lookup, onlySuggests } from '#console/ui/lookup/lookup.ts';
import { SuggestField } from '#console/ui/lookup/suggest-field.tsx';
import type { Option } from '#console/ui/option.ts';
import { common } from '#console/words/common.words.ts';
import { enumWord } from '#console/words/enums.ts';
import { fieldWord } from '#console/words/fields.ts';
import { ChoiceBoxes } from './choice-boxes.tsx';
import { FieldHelp } from './field-help.tsx';
import type { FieldProps, FormMember } from './field-props.ts';
import { formWords } from './form.words.ts';
import { ScalarField } from './scalar-field.tsx';

export interface FieldsProps {
  catalogue: InputCatalogue;
  fields: readonly FormMember[];
  values: Record<string, unknown>;
  /** The path of the object that has the fields, for errors: empty or `config.`. */
  path: string;
  /** Sentences by path. */
  errors: Readonly<Record<string, string>>;
  lookups: Readonly<Record<string, Lookup>>;
  choices: Readonly<Record<string, readonly Option[]>>;
  /** False where the form begins with what an object has: there, most of what may be left out may not be emptied. */
  marksOptional?: boolean;
  change: (values: Record<string, unknown>) => void;
}

/** The fields of an input type. A value that is emptied is left out of the input. */
export function FormFields({ fields, values, path, marksOptional = true, change, ...given }: FieldsProps) {
  const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label ?? fieldWord(name)]));
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values;
    change(value === undefined ? others : { ...others, [name]: value });
  };
  return fields.map((field) => (
    <FormField
      key={field.name}
      {...{ ...given, field, labels, marksOptional }}
      path={path + field.name}
      value={values[field.name]}
      set={(value) => set(field.name, value)}
    />
  ));
}

/** One member of an input with its label, help and error. */
function FormField(props: FieldProps) {
  const { catalogue, field, labels, marksOptional, path, value, errors, lookups, choices, set } = props;
  const id = useId();
  const label = field.label ?? fieldWord(field.name);
  const members = field.members ?? requiredFirst(catalogue.inputs[field.type]);
  const error = errors[path];
  const lookup = field.lookup ?? lookups[field.name];
  if (lookup && !field.isList) {
    const shown = {
      lookup,
      label: marksOptional && !field.isRequired ? `${label} (${common.optional})` : label,
      error,
      help: field.help && <FieldHelp help={field.help} nameOf={nameIn(catalogue, field, labels)} />,
    };
    return onlySuggests(lookup) ? (
      <SuggestField
        {...shown}
        value={(value as string | undefined) ?? ''}
        set={(next) => set(next === '' ? undefined : next)}
      />
    ) : (
      <LookupField
        {...shown}
        placeholder={formWords.search}
        value={value as string | number | undefined}
        set={(next) => set(next ?? undefined)}
      />
    );
  }
  if (field.isList) return <ListField {...props} label={label} />;
  if (members?.length === 0) return null;
  if (members) {
    return (
      <fieldset className="field-group">
        <legend>{label}</legend>
        {error && <p className="field-error">{error}</p>}
        <FormFields
          {...{ catalogue, errors, lookups, choices, marksOptional }}
          fields={members}
          path={`${path}.`}
          values={(value as Record<string, unknown> | undefined) ?? {}}
          change={(next) => set(field.members || Object.keys(next).length > 0 ? next : undefined)}
        />
      </fieldset>
    );
  }
  const isBox = field.type === 'Boolean' && !field.options && !choices[field.name];
  const zone = field.type === 'DateTime' && formWords.zone(timeZone);
  const help = [error && `${id}-error`, field.help && `${id}-help`, zone && `${id}-zone`].filter(Boolean).join(' ');
  return (
    <div className={`field ${error ? 'field-wrong' : ''} ${isBox ? 'field-box' : ''}`}>
      <label htmlFor={id}>
        {label}
        {marksOptional && !field.isRequired && !isBox && <span className="quiet"> ({common.optional})</span>}
      </label>
      <ScalarField {...props} id={id} describedBy={help || undefined} isWrong={error !== undefined} />
      {error && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
      {field.help && <FieldHelp id={`${id}-help`} help={field.help} nameOf={nameIn(catalogue, field, labels)} />}
      {zone && (
        <p id={`${id}-zone`} className="field-help">
          {zone}
        </p>
      )}
      {field.below}
    </div>
  );
}

/** The members of an input type come by their names. */
const requiredFirst = (members: readonly FormMember[] | undefined): readonly FormMember[] | undefined =>
  members?.toSorted((one, other) => Number(other.isRequired ?? false) - Number(one.isRequired ?? false));

/** What the form calls a value of the field's enum, or the member beside it, that a help text names as programs do. */
const nameIn =
  ({ enums }: InputCatalogue, { type }: FormMember, labels: Readonly<Record<string, string>>) =>
  (code: string): string | undefined =>
    enums[type]?.[code] === undefined ? labels[code] : enumWord(code);

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A list: boxes for the values of an enum or a lookup, otherwise one field for each item. */
function ListField({ label, ...props }: FieldProps & { label: string }) {
  const { catalogue, field, labels, lookups, path, value, set, errors } = props;
  const offered = field.lookup ?? lookups[field.name];
  const lookup = offered && !onlySuggests(offered) ? offered : undefined;
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const values = catalogue.enums[field.type];
  const setItems = (next: unknown[]) => set(next.length > 0 ? next : undefined);
  return (
    <fieldset className="field-group">
      <legend>{label}</legend>
      {field.help && <FieldHelp help={field.help} nameOf={nameIn(catalogue, field, labels)} />}
      {errors[path] && <p className="field-error">{errors[path]}</p>}
      {lookup ? (
        <LookupBoxes lookup={lookup} chosen={items} set={setItems} />
      ) : values ? (
        <ChoiceBoxes
          choices={Object.keys(values).map((name) => ({ id: name, name: enumWord(name) }))}
          chosen={items}
          set={setItems}
        />
      ) : (
        items.map((item, index) => (
          <div key={index} className="field-item">
            <FormField
              {...props}
              field={{ name: field.name, label: `${label} ${index + 1}`, type: field.type, isRequired: true }}
              path={`${path}.${index}`}
              value={item}
              set={(next) => setItems(items.map((other, at) => (at === index ? (next ?? '') : other)))}
            />
            <Button onPress={() => setItems(items.filter((_, at) => at !== index))}>{common.removeItem}</Button>
          </div>
        ))
      )}
      {!values && !lookup && (
        <Button onPress={() => setItems([...items, catalogue.inputs[field.type] ? {} : ''])}>{common.addItem}</Button>
      )}
    </fieldset>
  );
}
