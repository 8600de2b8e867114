import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useStable } from '#console/automation/editor/form/nested/use-stable.ts';
import { isSame } from '#console/automation/editor/model/same.ts';
import { Button } from '#console/ui/button.tsx';
import { AddColumn } from './add-column.tsx';
import { columnWord, TableRow } from './table-row.tsx';
import {
  addColumn,
  addRow,
  isOrdered,
  moveRow,
  readTable,
  removeRow,
  repeatedName,
  setCell,
  type Table,
  writeTable,
} from './table-value.ts';
import { tableWords as w } from './table.words.ts';

interface Props {
  id: string;
  /** The path of the field in the config: problems name cells by it. */
  fieldKey: string;
  value: unknown;
  /** What an empty field begins with. */
  empty: Table;
  /** The field that describes every cell; undefined if cells may hold anything. */
  holds?: 'text' | 'numbers';
  set: (value: unknown) => void;
  isDisabled: boolean;
}

const cellControls = 'textarea, [contenteditable]';

/** An object or a list as rows, of which each cell may be an expression. */
export function TableField({ id, fieldKey, value, empty, holds, set, isDisabled }: Props) {
  const isText = holds === 'text';
  const [table, setTable] = useState<Table>(() => readTable(value) ?? empty);
  const [said, setSaid] = useState('');
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    // Undo and other people change the value too; rows that are not written yet stay while the others stand for the same value.
    const outer = readTable(value);
    if (outer && !isSame(writeTable(table), value) && repeatedName(table) === undefined) setTable(outer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a change from outside is taken over
  }, [value]);
  const change = (next: Table) => {
    setTable(next);
    if (repeatedName(next) === undefined) set(writeTable(next));
  };
  const focusCell = (row: number, column: number) =>
    // After the next drawing, when the row is where it was moved to.
    setTimeout(() => body.current?.rows[row]?.querySelectorAll<HTMLElement>(cellControls)[column]?.focus());
  const moveTo = (from: number, to: number, column = 0) => {
    if (to < 0 || to >= table.rows.length) return;
    change(moveRow(table, from, to));
    setSaid(w.moved(to + 1));
    focusCell(to, column);
  };
  const move = useStable((from: number, to: number) => moveTo(from, to));
  const setAt = useStable((index: number, column: string, text: string) =>
    change(setCell(table, index, column, text, isText)),
  );
  const remove = useStable((index: number) => {
    change(removeRow(table, index));
    focusCell(Math.max(0, index - 1), 0);
  });
  const onKeyDown = useStable((event: KeyboardEvent, row: number, column: number) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by !== 0 && event.altKey && isOrdered(table)) {
      event.preventDefault();
      moveTo(row, row + by, column);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (row === table.rows.length - 1) change(addRow(table));
      focusCell(row + 1, 0);
    }
  });
  const repeated = repeatedName(table);
  return (
    <div className="table-field">
      <p className="sr-only" role="status">
        {said}
      </p>
      {table.rows.length > 0 && (
        <table aria-describedby={`${id}-keys`}>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column} scope="col">
                  {columnWord(table.layout, column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {table.rows.map((row, index) => (
              <TableRow
                key={index}
                {...{ row, index, fieldKey, isText, isDisabled, move, remove, onKeyDown }}
                layout={table.layout}
                columns={table.columns}
                isLast={index === table.rows.length - 1}
                id={index === 0 ? id : undefined}
                setCell={setAt}
              />
            ))}
          </tbody>
        </table>
      )}
      {isOrdered(table) && (
        <p className="sr-only" id={`${id}-keys`}>
          {w.keys}
        </p>
      )}
      {repeated !== undefined && <p className="field-error">{w.repeated(repeated)}</p>}
      <div className="panel-actions">
        <Button
          isDisabled={isDisabled}
          onPress={() => {
            change(addRow(table));
            focusCell(table.rows.length, 0);
          }}
        >
          {w.addRow}
        </Button>
        {(table.layout === 'records' || (table.layout === 'items' && table.rows.length === 0 && !holds)) && (
          <AddColumn
            isDisabled={isDisabled}
            isTaken={(name) => table.columns.includes(name)}
            add={(name) => setTable(addColumn(table, name))}
          />
        )}
      </div>
    </div>
  );
}
