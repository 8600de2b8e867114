import { useEffect, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem } from 'react-aria-components';
import { Popover } from '#console/ui/popover.tsx';
import { common } from '#console/words/common.words.ts';

export interface Suggestion {
  value: string;
  name: string;
}

interface Props {
  label: string;
  value: string;
  set: (value: string) => void;
  /** Finds what fits the text; kept stable by its owner. */
  suggest: (text: string) => Promise<readonly Suggestion[]>;
}

/** A text field that suggests codes by their names. Any other text may be typed as well. */
export function SuggestField({ label, value, set, suggest }: Props) {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void suggest(value.trim()).then((next) => isCurrent && setFound(next));
    return () => {
      isCurrent = false;
    };
  }, [suggest, value]);
  return (
    <ComboBox
      className="question-field"
      allowsCustomValue
      inputValue={value}
      onInputChange={set}
      items={found.map((each) => ({ ...each, id: each.value }))}
      menuTrigger="input"
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <Input className="input" maxLength={191} />
      <Popover>
        <ListBox className="menu" renderEmptyState={() => <p className="quiet">{common.noMatch}</p>}>
          {({ value: code, name }: Suggestion) => (
            <ListBoxItem id={code} className="menu-item" textValue={code}>
              <span>{code}</span>
              <span className="quiet" dir="auto">
                {name}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
