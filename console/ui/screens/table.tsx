import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { common } from '#console/words/common.words.ts';
import { numberText } from '#console/words/values.ts';
import type { Column } from './screen.ts';
import { tableWords as w } from './table.words.ts';

/** More rows than this would hide what is below them. */
const mostRows = 50;
/** Of more, so many are shown at the beginning and at the end. */
const shownAtEnds = 20;

/**
 * A table of values that an object holds, such as its lines. `rows` are all there are; the middle of many is shown on demand. Where it
 * `stacks`, each row takes several lines of a narrow window, and nothing is left of it to the side.
 */
export function Table<T>({
  rows,
  columns,
  label,
  stacks = false,
}: {
  rows: readonly T[];
  columns: readonly Column<T>[];
  label: string;
  stacks?: boolean;
}) {
  const [showsAll, setShowsAll] = useState(false);
  if (rows.length === 0) return <p className="quiet">{common.none}</p>;
  const hidden = showsAll || rows.length <= mostRows ? 0 : rows.length - 2 * shownAtEnds;
  const first = hidden > 0 ? rows.slice(0, shownAtEnds) : rows;
  const last = hidden > 0 ? rows.slice(-shownAtEnds) : [];
  const drawRow = (row: T, index: number) => (
    <tr key={index}>
      {columns.map(({ key, show }) => (
        <td key={key} dir="auto" className={show.align ? 'end' : undefined}>
          {show.draw ? show.draw(row) : show.text(row)}
        </td>
      ))}
    </tr>
  );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways where the window is narrow
    <div className="table-scroller" tabIndex={0} role="group" aria-label={label}>
      <table className={stacks ? 'table stacks' : 'table'}>
        <thead>
          <tr>
            {columns.map(({ key, label, show }) => (
              <th key={key} scope="col" className={show.align ? 'end' : undefined}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first.map(drawRow)}
          {hidden > 0 && (
            <tr>
              <td colSpan={columns.length}>
                <Button onPress={() => setShowsAll(true)}>{w.showMore(numberText(hidden))}</Button>
              </td>
            </tr>
          )}
          {last.map(drawRow)}
        </tbody>
      </table>
    </div>
  );
}
