import { numberText } from '#console/words/values.ts';
import { plural } from '#console/words/words.ts';
import { newImportWords as w } from './new-import.words.ts';
import { columnOf, type Settings } from './settings.ts';
import type { Preview, PreviewRow } from './use-preview.ts';

/** Rows that are shown although nothing is wrong with them. */
const goodRows = 10;

/** The first rows as records, with what is wrong in its place. */
export function PreviewTable({ preview, settings: { mapping } }: { preview: Preview; settings: Settings }) {
  const { rows, refusal, isOld } = preview;
  if (refusal) {
    const { uploadId } = refusal.fields;
    const isShownAbove = Object.keys(refusal.fields).length > 0 && uploadId === undefined;
    return (
      <p className="refusal" role="alert">
        {isShownAbove ? w.mendAbove : (uploadId ?? refusal.message)}
      </p>
    );
  }
  if (!rows) return <p className="quiet">{w.looking}</p>;
  const fields = Object.keys(rows[0]?.values ?? {}).filter(
    (name) => rows.some(({ values }) => values[name] !== null) || name in mapping,
  );
  const bad = rows.filter(({ errors }) => errors.length > 0);
  const shown = rows.filter(({ errors }, at) => at < goodRows || errors.length > 0);
  const fieldOf = (column: string | null) =>
    fields.find((name) => column !== null && (name === column || columnOf(mapping[name]) === column));
  const hasOthers = bad.some(({ errors }) => errors.some(({ column }) => fieldOf(column) === undefined));
  const others = ({ errors }: PreviewRow) => errors.filter(({ column }) => fieldOf(column) === undefined);
  return (
    <div className={isOld ? 'preview preview-old' : 'preview'} aria-busy={isOld}>
      <p role="status" className={bad.length > 0 ? 'preview-bad' : 'preview-good'}>
        {rows.length === 0
          ? w.noRows
          : bad.length === 0
            ? w.allGood(numberText(rows.length))
            : plural(
                bad.length,
                w.oneBad(numberText(rows.length)),
                w.someBad(numberText(bad.length), numberText(rows.length)),
              )}
      </p>
      {rows.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways where the window is narrow
        <div className="table-scroller" tabIndex={0} role="region" aria-label={w.preview}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col" className="end">
                  {w.line}
                </th>
                {fields.map((name) => (
                  <th key={name} scope="col">
                    <code>{name}</code>
                  </th>
                ))}
                {hasOthers && <th scope="col">{w.problem}</th>}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.line}>
                  <td className="end quiet">{numberText(row.line)}</td>
                  {fields.map((name) => (
                    <PreviewCell
                      key={name}
                      value={row.values[name] ?? null}
                      reasons={row.errors.filter(({ column }) => fieldOf(column) === name).map(({ reason }) => reason)}
                    />
                  ))}
                  {hasOthers && <PreviewCell value="" reasons={others(row).map(({ reason }) => reason)} />}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function PreviewCell({ value, reasons }: { value: string | null; reasons: readonly string[] }) {
  return (
    <td dir="auto" className={reasons.length > 0 ? 'preview-wrong' : undefined}>
      {value}
      {reasons.map((reason) => (
        <p key={reason} className="field-error">
          {reason}
        </p>
      ))}
    </td>
  );
}
