import type { Columns } from './file-head.ts';
import { MappingRow } from './mapping-row.tsx';
import { newImportWords as w } from './new-import.words.ts';
import { type Settings, type Target, withSource } from './settings.ts';
import { faultOf, type Preview } from './use-preview.ts';

interface Props {
  fields: Target['fields'];
  columns: Columns;
  settings: Settings;
  preview: Preview;
  change: (changes: Partial<Settings>) => void;
}

/** One row for each field of the records: the column that fills it, what is done to its cells, and its first values. */
export function ColumnMapping({ fields, columns, settings: { mapping }, preview, change }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways where the window is narrow
    <div className="table-scroller" tabIndex={0} role="region" aria-label={w.columns}>
      <table className="table mapping-table">
        <thead>
          <tr>
            {[w.field, w.column, w.cells, w.samples].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <MappingRow
              key={field.name}
              field={field}
              columns={columns}
              source={mapping[field.name]}
              fault={faultOf(preview, `mapping.${field.name}`)}
              set={(source) => change({ mapping: withSource(mapping, field.name, source) })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
