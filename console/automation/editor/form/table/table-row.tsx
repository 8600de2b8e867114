import type { KeyboardEvent } from 'react';
import { CellInput } from './cell-input.tsx';
import { cellText, isOrdered, nameColumn, type Row, type Table } from './table-value.ts';
import { tableWords as w } from './table.words.ts';

interface Props {
  table: Table;
  row: Row;
  index: number;
  /** Of its first cell, which the label of the field names. */
  id: string | undefined;
  fieldKey: string;
  isDisabled: boolean;
  label: (column: string) => string;
  setCell: (column: string, text: string) => void;
  remove: () => void;
  move: (from: number, to: number) => void;
  onKeyDown: (event: KeyboardEvent, column: number) => void;
}

/** The path of a cell in the config, as problems name it. */
function cellPath({ layout }: Table, row: Row, index: number, column: string): string {
  if (layout === 'records') return `${index}.${column}`;
  return layout === 'items' ? String(index) : String(row[nameColumn]);
}

/** One row: its cells, and the buttons that move and remove it. It is dragged by its handle. */
export function TableRow({
  table,
  row,
  index,
  id,
  fieldKey,
  isDisabled,
  label,
  setCell,
  remove,
  move,
  onKeyDown,
}: Props) {
  return (
    <tr
      onDragOver={(event) => (event.dataTransfer.types.includes(rowType) ? event.preventDefault() : undefined)}
      onDrop={(event) => {
        const from = event.dataTransfer.getData(rowType);
        if (from === '') return;
        event.preventDefault();
        move(Number(from), index);
      }}
    >
      {table.columns.map((column, at) => {
        const isName = table.layout === 'names' && column === nameColumn;
        return (
          <td key={column} className={isName ? 'is-name' : undefined} data-label={label(column)}>
            <CellInput
              id={at === 0 ? id : undefined}
              label={w.cell(label(column), index + 1)}
              field={isName ? undefined : `${fieldKey}.${cellPath(table, row, index, column)}`}
              text={isName ? String(row[column]) : cellText(row[column])}
              isDisabled={isDisabled}
              set={(text) => setCell(column, text)}
              onKeyDown={(event) => onKeyDown(event, at)}
            />
          </td>
        );
      })}
      <td className="table-field-acts">
        {isOrdered(table) && (
          <>
            <span
              className="table-field-handle"
              draggable={!isDisabled}
              title={w.drag(index + 1)}
              onDragStart={(event) => {
                event.dataTransfer.setData(rowType, String(index));
                event.dataTransfer.effectAllowed = 'move';
              }}
            >
              ⠿
            </span>
            <RowButton
              label={w.up(index + 1)}
              sign="↑"
              isDisabled={isDisabled || index === 0}
              press={() => move(index, index - 1)}
            />
            <RowButton
              label={w.down(index + 1)}
              sign="↓"
              isDisabled={isDisabled || index === table.rows.length - 1}
              press={() => move(index, index + 1)}
            />
          </>
        )}
        <RowButton label={w.removeRow(index + 1)} sign="×" isDisabled={isDisabled} press={remove} />
      </td>
    </tr>
  );
}

const rowType = 'application/x-causeway-row';

function RowButton({
  label,
  sign,
  isDisabled,
  press,
}: {
  label: string;
  sign: string;
  isDisabled: boolean;
  press: () => void;
}) {
  return (
    <button type="button" className="bare" aria-label={label} title={label} disabled={isDisabled} onClick={press}>
      {sign}
    </button>
  );
}
