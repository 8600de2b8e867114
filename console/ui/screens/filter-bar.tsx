import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { Choices } from '#console/ui/choices.tsx';
import { lazily } from '#console/ui/lazily.tsx';
import { OnDemand } from '#console/ui/on-demand.tsx';
import { common } from '#console/words/common.words.ts';
import { enumWord } from '#console/words/enums.ts';
import { type AddressValues, type Filter, filterCount, type LookupFilter, spans } from './filters.ts';

interface Props {
  filters: readonly Filter[];
  address: AddressValues;
  setAddress: (changes: AddressValues) => void;
}

/** The filters of a list. Each change is in the address at once. */
export function FilterBar({ filters, address, setAddress }: Props) {
  const clear = () => setAddress(Object.fromEntries(filters.map(({ key }) => [key, undefined])));
  return (
    <>
      {filters.map((filter) => (
        <FilterControl
          key={filter.key}
          filter={filter}
          value={address[filter.key]}
          set={(value) => setAddress({ [filter.key]: value })}
        />
      ))}
      {filterCount(filters, address) > 0 && <Button onPress={clear}>{common.clearFilters}</Button>}
    </>
  );
}

interface ControlProps {
  filter: Filter;
  value: string | undefined;
  set: (value: string | undefined) => void;
}

function FilterControl({ filter, value, set }: ControlProps) {
  switch (filter.kind) {
    case 'text':
      return <TextControl label={filter.label} value={value ?? ''} set={set} />;
    case 'choice': {
      const { nameOf = enumWord } = filter;
      const options = filter.options.map((option) => ({ value: option, label: nameOf(option) }));
      const chosen = value?.split(',').filter(Boolean) ?? [];
      return (
        <Choices
          label={filter.label}
          options={options}
          chosen={chosen}
          many={filter.many ?? false}
          choose={(next) => set(next.join(','))}
        />
      );
    }
    case 'flag': {
      const options = ['true', 'false'].map((option) => ({
        value: option,
        label: enumWord(option === 'true' ? 'yes' : 'no'),
      }));
      return (
        <Choices
          label={filter.label}
          options={options}
          chosen={value ? [value] : []}
          many={false}
          choose={([next]) => set(next)}
        />
      );
    }
    case 'times': {
      const options = Object.keys(spans).map((name) => ({ value: name, label: common.span(name) }));
      return (
        <Choices
          label={filter.label}
          options={options}
          chosen={value ? [value] : []}
          many={false}
          choose={([next]) => set(next)}
        />
      );
    }
    case 'lookup':
      return <LookupControl filter={filter} value={value} set={set} />;
  }
}

const LookupField = lazily(() => import('#console/ui/lookup/lookup-field.tsx').then(({ LookupField }) => LookupField));

function LookupControl({ filter, value, set }: ControlProps & { filter: LookupFilter }) {
  const field = (button: ReactNode) => (
    <LookupField
      meanwhile={button}
      autoFocus={!value}
      label={filter.label}
      lookup={filter.noun}
      value={value}
      set={(next) => set((next as string | null) ?? undefined)}
    />
  );
  const content = (
    <>
      {filter.label} <span className="choices-value">{common.all}</span>
    </>
  );
  return (
    <OnDemand className="choices" content={content} isOpen={Boolean(value)}>
      {field}
    </OnDemand>
  );
}

const typingPauseMs = 200;

function TextControl({ label, value, set }: { label: string; value: string; set: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set(next), typingPauseMs);
  };
  // An action that is pressed right after typing must not take the rows of the filter before.
  const settle = () => {
    clearTimeout(timer.current);
    if (typed !== value) set(typed);
  };
  return (
    <input
      type="search"
      className="input"
      aria-label={label}
      placeholder={label}
      maxLength={191}
      value={typed}
      onChange={(event) => type(event.target.value)}
      onBlur={settle}
    />
  );
}
