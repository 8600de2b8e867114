import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { common } from '#console/words/common.words.ts';
import { type FieldNode, useDynamicOptions } from './dynamic-options.ts';
import { formWords as w } from './form.words.ts';

interface Props {
  id: string;
  label: string;
  fieldKey: string;
  node: FieldNode;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
}

/** A choice whose options the node tells, from what the other fields hold and what is searched for. */
export function DynamicControl({ id, label, fieldKey, node, value, set, isDisabled }: Props) {
  const [search, setSearch] = useState('');
  const { options = [], refusal, isBusy, retry } = useDynamicOptions(node, fieldKey, search);
  const isOther = value !== undefined && options.every((option) => option.value !== value);
  const shown = isOther
    ? [{ value, label: typeof value === 'string' ? value : JSON.stringify(value) }, ...options]
    : options;
  return (
    <div className="dynamic-field" aria-busy={isBusy}>
      <input
        type="search"
        className="input"
        aria-label={w.search(label)}
        placeholder={w.searchOptions}
        maxLength={200}
        value={search}
        disabled={isDisabled}
        onChange={(event) => setSearch(event.target.value)}
      />
      <select
        id={id}
        className="input"
        disabled={isDisabled}
        value={shown.findIndex((option) => option.value === value)}
        onChange={(event) => set(shown[Number(event.target.value)]?.value)}
      >
        <option value={-1} />
        {shown.map((option, index) => (
          <option key={index} value={index}>
            {option.label}
          </option>
        ))}
      </select>
      {refusal === undefined ? (
        <p className="quiet" role="status">
          {isBusy ? w.asking : w.found(options.length)}
        </p>
      ) : (
        <div className="field-error" role="alert">
          {w.notAsked(refusal)} <Button onPress={retry}>{common.tryAgain}</Button>
        </div>
      )}
    </div>
  );
}
