import { type ReactNode, useState } from 'react';
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Text } from 'react-aria-components';
import { Popover } from '#console/ui/popover.tsx';
import type { Choice, Lookup } from './lookup.ts';
import { useChoices } from './use-choices.ts';

interface Props {
  label: string;
  lookup: Lookup;
  /** Text, or a number, as the input holds it. */
  value: string | number | null | undefined;
  set: (value: unknown) => void;
  autoFocus?: boolean;
  /** Shown while it is empty; left out: its label, for where that is not shown. */
  placeholder?: string;
  /** The message of an error in this field. */
  error?: string | undefined;
  help?: ReactNode;
}

/** A field whose value is looked up by its name. */
export function LookupField({ label, lookup, value, set, autoFocus = false, placeholder = label, error, help }: Props) {
  const [typed, setTyped] = useState('');
  const id = value == null ? null : String(value);
  const { choices, chosen, isSearching, whyNone } = useChoices(lookup, typed, id);
  const choose = (key: string | null) => {
    const choice = choices.find((each) => each.id === key);
    // The field then shows the name of what was chosen, and not the letters that found it.
    if (choice || (key !== null && key === id)) setTyped('');
    // Leaving the field chooses anew what was chosen, which may not be among the choices.
    if (choice && key !== id) set(choice.value ?? choice.id);
  };
  const leave = () => {
    const text = typed.trim().toLowerCase();
    const named = choices.filter(({ name, about }) => [name, about].some((each) => each?.toLowerCase() === text));
    if (named.length === 1 && !isSearching) choose(named[0]?.id ?? null);
    // Letters that chose nothing would look like a value.
    setTyped('');
  };
  return (
    <ComboBox
      className="lookup"
      selectedKey={id}
      onSelectionChange={(key) => choose(key === null ? null : String(key))}
      onBlur={leave}
      inputValue={typed || (chosen?.name ?? '')}
      onInputChange={(text) => {
        setTyped(text);
        if (text === '') set(null);
      }}
      items={choices}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={error !== undefined}
    >
      <Label>{label}</Label>
      <Input className="input" placeholder={placeholder} autoFocus={autoFocus} />
      <FieldError className="field-error">{error}</FieldError>
      {help && <Text slot="description">{help}</Text>}
      <Popover>
        <ListBox className="menu" renderEmptyState={() => <p className="quiet">{whyNone}</p>}>
          {({ id, name, about }: Choice) => (
            <ListBoxItem id={id} className="menu-item" textValue={name}>
              {name} {about && <span className="quiet">{about}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
