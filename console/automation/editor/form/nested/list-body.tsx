import { useRef, useState } from 'react';
import { TableField } from '#console/automation/editor/form/table/table-field.tsx';
import { type Table, valueColumn } from '#console/automation/editor/form/table/table-value.ts';
import { tableWords } from '#console/automation/editor/form/table/table.words.ts';
import { Button } from '#console/ui/button.tsx';
import { type Field, isPlainList, itemField } from './field.ts';
import type { BodyProps } from './form-levels.ts';
import { ItemRow } from './item-row.tsx';
import { addItem, itemValue, moveItem, removeItem, withItem } from './items.ts';
import { nestedWords as w } from './nested.words.ts';
import { useStable } from './use-stable.ts';

const noItems: readonly unknown[] = [];
const noRows: Table = { layout: 'items', columns: [valueColumn], rows: [] };
/** A list with more rows than this is shown with all rows folded. */
const mostOpen = 3;

/** The items of a list as rows, each with the fields of its item. */
export function ListBody(props: BodyProps) {
  const { field, value, id, path, set, isDisabled } = props;
  const item = itemField(field) as Field;
  return isPlainList(field) ? (
    <TableField
      {...{ id, set, isDisabled }}
      fieldKey={path}
      value={value}
      empty={noRows}
      holds={item.type === 'NUMBER' ? 'numbers' : 'text'}
    />
  ) : (
    <ItemRows {...props} item={item} />
  );
}

function ItemRows({ label, value, set, isDisabled, id, path, depth, item }: BodyProps & { item: Field }) {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : noItems;
  const [said, setSaid] = useState('');
  /** Keys that stay with their rows when rows move. */
  const [keys, setKeys] = useState<readonly number[]>([]);
  const [added, setAdded] = useState<number>();
  const [fewAtFirst] = useState(items.length <= mostOpen);
  const rows = useRef<HTMLOListElement>(null);
  if (keys.length !== items.length) {
    const next = Math.max(-1, ...keys) + 1;
    setKeys(items.map((_, index) => keys[index] ?? next + index));
  }
  const focusRow = (index: number, control = '.nest-fold, input.input, select, textarea') =>
    setTimeout(() => rows.current?.children[index]?.querySelector<HTMLElement>(`:is(${control}):enabled`)?.focus());
  const put = useStable((index: number, next: unknown) => set(withItem(items, index, next)));
  const move = useStable((from: number, to: number) => {
    if (to < 0 || to >= items.length) return;
    setKeys(moveItem(keys, from, to));
    set(moveItem(items, from, to));
    setSaid(tableWords.moved(to + 1));
    focusRow(to, `[data-move="${to < from ? 'up' : 'down'}"], .nest-fold`);
  });
  const remove = useStable((index: number) => {
    setKeys(keys.toSpliced(index, 1));
    set(removeItem(items, index));
    focusRow(Math.max(0, index - 1));
  });
  return (
    <div className="nest-members">
      <p className="sr-only" role="status">
        {said}
      </p>
      <ol className="nest-rows" ref={rows}>
        {items.map((each, index) => (
          <ItemRow
            key={keys[index] ?? index}
            field={item}
            value={itemValue(each, item)}
            index={index}
            isLast={index === items.length - 1}
            id={`${id}-${keys[index] ?? index}`}
            path={`${path}.${index}`}
            depth={depth + 1}
            startsOpen={fewAtFirst || keys[index] === added}
            {...{ put, move, remove, isDisabled }}
          />
        ))}
      </ol>
      <Button
        isDisabled={isDisabled}
        onPress={() => {
          const key = Math.max(-1, ...keys) + 1;
          setKeys([...keys, key]);
          setAdded(key);
          set(addItem(items, item));
          focusRow(items.length, 'input.input, select, textarea, .nest-add > button');
        }}
      >
        {w.addItem(item.label === item.key && item.key === 'items' ? label : item.label)}
      </Button>
    </div>
  );
}
