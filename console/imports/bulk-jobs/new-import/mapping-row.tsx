import type { Columns } from './file-head.ts';
import { newImportWords as w } from './new-import.words.ts';
import { columnOf, type Source, type Target, valueOf, withColumn } from './settings.ts';
import { type TransformKey, transformOf, transforms, withTransform } from './transforms.ts';

interface Props {
  field: Target['fields'][number];
  columns: Columns;
  source: Source | undefined;
  fault: string | undefined;
  set: (source: Source | undefined) => void;
}

/** Values of the first select that are not columns; a column may have any name, so its value has a mark before it. */
const kinds = { none: 'none', value: 'value', kept: 'kept' };

/** A field of the records and where its values come from. */
export function MappingRow({ field, columns, source, fault, set }: Props) {
  const column = columnOf(source);
  const fixed = valueOf(source);
  const at = column === undefined ? -1 : columns.names.indexOf(column);
  const choose = (value: string) => {
    if (value === kinds.none) set(undefined);
    else if (value === kinds.value) set({ value: '' });
    else if (value !== kinds.kept) set(withColumn(source, value.slice(1)));
  };
  return (
    <tr className={fault ? 'mapping-wrong' : undefined}>
      <th scope="row">
        <code>{field.name}</code>
        {field.isRequired && <span className="quiet"> {w.required}</span>}
        {fault && (
          <p className="field-error" id={`fault-${field.name}`}>
            {fault}
          </p>
        )}
      </th>
      <td>
        {columns.names.length > 0 ? (
          <select
            className="input"
            aria-label={w.columnOf(field.name)}
            aria-invalid={fault !== undefined}
            value={
              column !== undefined ? `=${column}` : fixed !== undefined ? kinds.value : source ? kinds.kept : kinds.none
            }
            onChange={(event) => choose(event.target.value)}
          >
            <option value={kinds.none}>{field.default === null ? w.noColumn : w.byDefault(field.default)}</option>
            <option value={kinds.value}>{w.fixedValue}</option>
            {source !== undefined && column === undefined && fixed === undefined && (
              <option value={kinds.kept}>{w.kept}</option>
            )}
            {column !== undefined && at < 0 && <option value={`=${column}`}>{w.missing(column)}</option>}
            {columns.names.map((name, index) => (
              <option key={index} value={`=${name}`}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <input
            className="input"
            aria-label={w.columnOf(field.name)}
            aria-invalid={fault !== undefined}
            value={column ?? ''}
            placeholder={field.default === null ? w.noColumn : w.byDefault(field.default)}
            onChange={({ target }) => set(target.value === '' ? undefined : withColumn(source, target.value))}
          />
        )}
      </td>
      <td>
        {fixed !== undefined ? (
          <input
            className="input"
            aria-label={w.valueOf(field.name)}
            value={fixed}
            onChange={(event) => set({ value: event.target.value })}
          />
        ) : (
          column !== undefined && source !== undefined && <Transform field={field.name} source={source} set={set} />
        )}
      </td>
      <td className="mapping-samples" dir="auto">
        {columns.samples[at]?.filter(Boolean).join(' · ')}
      </td>
    </tr>
  );
}

/** The transformation that is applied to each cell of a column. */
function Transform({ field, source, set }: { field: string; source: Source; set: (source: Source) => void }) {
  const chosen = transformOf(source);
  return (
    <select
      className="input"
      aria-label={w.cellsOf(field)}
      value={chosen ?? kinds.kept}
      onChange={(event) => set(withTransform(source, event.target.value as TransformKey))}
    >
      {chosen === undefined && <option value={kinds.kept}>{w.kept}</option>}
      {(Object.keys(transforms) as TransformKey[]).map((key) => (
        <option key={key} value={key}>
          {w[key]}
        </option>
      ))}
    </select>
  );
}
