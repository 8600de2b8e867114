import { memo, useCallback, useContext } from 'react';
import { tableWords as t } from '#console/automation/editor/form/table/table.words.ts';
import type { Field } from './field.ts';
import { type FormLevels, FormLevelsContext } from './form-levels.ts';
import { nestedWords as w } from './nested.words.ts';

interface Props {
  field: Field;
  value: unknown;
  index: number;
  isLast: boolean;
  id: string;
  path: string;
  depth: number;
  startsOpen: boolean;
  isDisabled: boolean;
  put: (index: number, value: unknown) => void;
  move: (from: number, to: number) => void;
  remove: (index: number) => void;
}

/** One item of a list, with the buttons that move and remove it. Rendered again only when the item changes. */
export const ItemRow = memo(function ItemRow({ index, isLast, put, move, remove, ...props }: Props) {
  const { Inner } = useContext(FormLevelsContext) as FormLevels;
  const set = useCallback((value: unknown) => put(index, value), [put, index]);
  const acts = [
    { sign: '↑', label: t.up(index + 1), side: 'up', isOff: index === 0, press: () => move(index, index - 1) },
    { sign: '↓', label: t.down(index + 1), side: 'down', isOff: isLast, press: () => move(index, index + 1) },
    { sign: '×', label: t.removeRow(index + 1), side: undefined, isOff: false, press: () => remove(index) },
  ];
  return (
    <li>
      <Inner
        {...props}
        set={set}
        label={w.item(props.field.label, index + 1)}
        acts={acts.map(({ sign, label, side, isOff, press }) => (
          <button
            key={sign}
            type="button"
            className="bare"
            data-move={side}
            aria-label={label}
            title={label}
            disabled={props.isDisabled || isOff}
            onClick={press}
          >
            {sign}
          </button>
        ))}
      />
    </li>
  );
});
