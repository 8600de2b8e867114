import { useId } from 'react';
import { encodings } from '#console/imports/encodings.ts';
import { signName } from '#console/imports/signs.words.ts';
import { enumWord } from '#console/words/enums.ts';
import { fieldWord } from '#console/words/fields.ts';
import { newImportWords as w } from './new-import.words.ts';
import type { Settings } from './settings.ts';
import { faultOf, type Preview } from './use-preview.ts';

interface Props {
  settings: Settings;
  preview: Preview;
  change: (changes: Partial<Settings>) => void;
}

const delimiters = [',', ';', '\t', '|'];
const formats: readonly Settings['format'][] = ['CSV', 'XLSX', 'JSON', 'NDJSON', 'XML'];

/** Shows the detected settings of the file as fields that the user can correct. */
export function FileSettings({ settings, preview, change }: Props) {
  const { format } = settings;
  const isTable = format === 'CSV' || format === 'XLSX';
  const field = (name: keyof Settings) => ({ name, fault: faultOf(preview, name) });
  return (
    <div className="file-settings">
      <Choice
        {...field('format')}
        value={format}
        options={formats.map((name) => [name, enumWord(name)])}
        set={(next) => change({ format: next as Settings['format'] })}
      />
      {(format === 'CSV' || format === 'XML') && (
        <Choice
          {...field('encoding')}
          value={settings.encoding}
          options={encodings.map((name) => [name, name])}
          set={(encoding) => change({ encoding })}
        />
      )}
      {format === 'CSV' && (
        <>
          <Choice
            {...field('delimiter')}
            value={settings.delimiter}
            options={[...new Set([...delimiters, settings.delimiter])].map((sign) => [sign, signName(sign)])}
            set={(delimiter) => change({ delimiter })}
          />
          <Choice
            {...field('decimalSeparator')}
            value={settings.decimalSeparator}
            options={[
              ['.', '12.5'],
              [',', '12,5'],
            ]}
            set={(decimalSeparator) => change({ decimalSeparator })}
          />
        </>
      )}
      {isTable && (
        <>
          <Choice
            {...field('header')}
            value={String(settings.header)}
            options={[
              ['true', w.hasHeader],
              ['false', w.noHeader],
            ]}
            set={(header) => change({ header: header === 'true' })}
          />
          <Entry
            {...field('skipLines')}
            type="number"
            value={String(settings.skipLines)}
            set={(text) => change({ skipLines: Math.max(0, Math.trunc(Number(text))) })}
          />
        </>
      )}
      {format === 'XLSX' && (
        <Entry {...field('sheet')} value={settings.sheet ?? ''} set={(text) => change({ sheet: text || null })} />
      )}
      {(format === 'JSON' || format === 'XML') && (
        <Entry
          {...field('recordPath')}
          value={settings.recordPath ?? ''}
          set={(text) => change({ recordPath: text || null })}
        />
      )}
    </div>
  );
}

interface ControlProps {
  name: string;
  value: string;
  fault: string | undefined;
  set: (value: string) => void;
}

function Choice({
  name,
  value,
  fault,
  options,
  set,
}: ControlProps & { options: readonly (readonly [value: string, label: string])[] }) {
  const id = useId();
  return (
    <div className={fault ? 'field field-wrong' : 'field'}>
      <label htmlFor={id}>{fieldWord(name)}</label>
      <select id={id} className="input" value={value} onChange={(event) => set(event.target.value)}>
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {fault && <p className="field-error">{fault}</p>}
    </div>
  );
}

function Entry({ name, value, fault, type = 'text', set }: ControlProps & { type?: 'text' | 'number' }) {
  const id = useId();
  return (
    <div className={fault ? 'field field-wrong' : 'field'}>
      <label htmlFor={id}>{fieldWord(name)}</label>
      <input
        id={id}
        className="input"
        type={type}
        min={0}
        max={1000}
        value={value}
        onChange={(event) => set(event.target.value)}
      />
      {fault && <p className="field-error">{fault}</p>}
    </div>
  );
}
