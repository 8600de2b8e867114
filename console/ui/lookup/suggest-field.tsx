import type { ReactNode } from 'react';
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Text } from 'react-aria-components';
import { Popover } from '#console/ui/popover.tsx';
import type { Choice, Lookup } from './lookup.ts';
import { useChoices } from './use-choices.ts';

interface Props {
  className?: string;
  label: string;
  lookup: Lookup;
  value: string;
  set: (value: string) => void;
  error?: string | undefined;
  help?: ReactNode;
}

/** A text field that suggests codes by their names. Any other text may be typed as well. */
export function SuggestField({ className = 'lookup', label, lookup, value, set, error, help }: Props) {
  const { choices, whyNone } = useChoices(lookup, value.trim(), null);
  return (
    <ComboBox
      className={className}
      allowsCustomValue
      inputValue={value}
      onInputChange={set}
      items={choices}
      menuTrigger="input"
      allowsEmptyCollection
      isInvalid={error !== undefined}
    >
      <Label>{label}</Label>
      <Input className="input" maxLength={191} />
      <FieldError className="field-error">{error}</FieldError>
      {help && <Text slot="description">{help}</Text>}
      <Popover>
        <ListBox className="menu" renderEmptyState={() => <p className="quiet">{whyNone}</p>}>
          {({ id, name, about }: Choice) => (
            <ListBoxItem id={id} className="menu-item" textValue={id}>
              <span>{id}</span>
              <span className="quiet" dir="auto">
                {name === id ? about : name}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
