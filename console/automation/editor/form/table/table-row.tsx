import { type KeyboardEvent, memo } from 'react';
import { CellInput } from './cell-input.tsx';
import { cellText, isOrdered, nameColumn, type Row, type Table } from './table-value.ts';
import { tableWords as w } from './table.words.ts';

interface Props extends Pick<Table, 'layout' | 'columns'> {
  row: Row;
  index: number;
  isLast: boolean;
  /** Of its first cell, which the label of the field names. */
  id: string | undefined;
  fieldKey: string;
  isText: boolean;
  isDisabled: boolean;
  setCell: (index: number, column: string, text: string) => void;
  remove: (index: number) => void;
  move: (from: number, to: number) => void;
  onKeyDown: (event: KeyboardEvent, index: number, column: number) => void;
}

export const columnWord = (layout: Table['layout'], column: string): string =>
  layout === 'records' ? column : column === nameColumn ? w.name : w.value;

/** The path of a cell in the config, as problems name it. */
function cellPath(layout: Table['layout'], row: Row, index: number, column: string): string {
  if (layout === 'records') return `${index}.${column}`;
  return layout === 'items' ? String(index) : String(row[nameColumn]);
}

/**
 * One row: its cells, and the buttons that move and remove it. The user drags it by its handle. Rendered again only when the row changes.
 */
export const TableRow = memo(function TableRow(props: Props) {
  const { layout, columns, row, index, isLast, id, fieldKey, isText, isDisabled, setCell, remove, move, onKeyDown } =
    props;
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
      {columns.map((column, at) => {
        const isName = layout === 'names' && column === nameColumn;
        return (
          <td key={column} className={isName ? 'is-name' : undefined} data-label={columnWord(layout, column)}>
            <CellInput
              id={at === 0 ? id : undefined}
              label={w.cell(columnWord(layout, column), index + 1)}
              field={isName ? undefined : `${fieldKey}.${cellPath(layout, row, index, column)}`}
              text={isName || (isText && typeof row[column] === 'string') ? String(row[column]) : cellText(row[column])}
              isText={isName || isText}
              isDisabled={isDisabled}
              set={(text) => setCell(index, column, text)}
              onKeyDown={(event) => onKeyDown(event, index, at)}
            />
          </td>
        );
      })}
      <td className="table-field-acts">
        {isOrdered({ layout }) && (
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
              isDisabled={isDisabled || isLast}
              press={() => move(index, index + 1)}
            />
          </>
        )}
        <RowButton label={w.removeRow(index + 1)} sign="×" isDisabled={isDisabled} press={() => remove(index)} />
      </td>
    </tr>
  );
});

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
