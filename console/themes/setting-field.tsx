import { useId } from 'react';
import { pickerColour, type Props, readNumber } from './block-settings.ts';
import type { Setting } from './manifest.ts';

interface FieldProps {
  name: string;
  setting: Setting;
  value: Props[string] | undefined;
  error: string | undefined;
  set: (value: Props[string] | undefined) => void;
}

/** A setting of a block, as the page editor of a theme asks for it. */
export function SettingField({ name, setting, value, error, set }: FieldProps) {
  const id = useId();
  return (
    <div className={error === undefined ? 'field' : 'field field-wrong'}>
      {setting.type === 'radios' ? (
        <span id={id}>{setting.label}</span>
      ) : (
        <label htmlFor={id}>
          {setting.label}
          {setting.type === 'range' && <span className="quiet"> {String(value ?? '')}</span>}
        </label>
      )}
      <Control {...{ id, name, setting, value, set }} describedBy={error === undefined ? undefined : `${id}-error`} />
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}

interface ControlProps extends Omit<FieldProps, 'error'> {
  id: string;
  describedBy: string | undefined;
}

function Control({ id, name, setting, value, set, describedBy }: ControlProps) {
  const attributes = { id, 'aria-describedby': describedBy };
  const text = value === undefined ? '' : String(value);
  const setText = (typed: string) => set(typed === '' ? undefined : typed);
  switch (setting.type) {
    case 'checkbox':
      return (
        <input
          {...attributes}
          type="checkbox"
          checked={value === true}
          onChange={(event) => set(event.target.checked)}
        />
      );
    case 'radios':
      return (
        <div role="radiogroup" aria-labelledby={id} className="setting-options">
          {Object.entries(setting.options).map(([option, label]) => (
            <label key={option} className="field-choice">
              <input type="radio" name={name} checked={value === option} onChange={() => set(option)} />
              {label}
            </label>
          ))}
        </div>
      );
    case 'color':
      return (
        <div className="setting-colour">
          <input
            {...attributes}
            type="color"
            value={pickerColour(text)}
            onChange={(event) => set(event.target.value)}
          />
          <code>{text}</code>
        </div>
      );
    case 'range':
      return (
        <input
          {...attributes}
          type="range"
          min={setting.min}
          max={setting.max}
          step={setting.step ?? 'any'}
          value={text === '' ? setting.min : text}
          onChange={(event) => set(Number(event.target.value))}
        />
      );
    case 'number':
      return (
        <input
          {...attributes}
          className="input"
          inputMode="decimal"
          value={text}
          onChange={(event) => set(readNumber(event.target.value))}
        />
      );
    case 'text':
      return (
        <input
          {...attributes}
          className="input"
          autoComplete="off"
          placeholder={setting.placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      );
  }
}
