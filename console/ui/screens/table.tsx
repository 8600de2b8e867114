import { common } from '#console/words/common.words.ts';
import type { Column } from './screen.ts';

/** A table of values that an object holds, such as its lines. `rows` are all there are. */
export function Table<T>({
  rows,
  columns,
  label,
}: {
  rows: readonly T[];
  columns: readonly Column<T>[];
  label: string;
}) {
  if (rows.length === 0) return <p className="quiet">{common.none}</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways where the window is narrow
    <div className="table-scroller" tabIndex={0} role="group" aria-label={label}>
      <table className="table">
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
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ key, show }) => (
                <td key={key} dir="auto" className={show.align ? 'end' : undefined}>
                  {show.draw ? show.draw(row) : show.text(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
