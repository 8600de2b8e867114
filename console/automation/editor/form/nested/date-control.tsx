import { fromLocalTime, toLocalTime } from '#console/ui/form/local-time.ts';
import type { Field } from './field.ts';

/** True if the field gets a date picker. Text in another notation is edited as text, so that nothing is lost. */
export const hasPicker = ({ type, format }: Field, value: unknown): boolean =>
  type === 'STRING' &&
  (format === 'date'
    ? value === undefined || (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value))
    : format === 'date-time' && (value === undefined || (typeof value === 'string' && toLocalTime(value) !== '')));

/** A picker for a date, or for a time, which is shown in the reader's time zone and stored in UTC. */
export function DateControl({
  id,
  value,
  set,
  isDisabled,
  hasTime,
}: {
  id: string;
  value: unknown;
  set: (value: unknown) => void;
  isDisabled: boolean;
  hasTime: boolean;
}) {
  const text = typeof value === 'string' ? value : '';
  return (
    <input
      id={id}
      className="input"
      type={hasTime ? 'datetime-local' : 'date'}
      step={hasTime ? 1 : undefined}
      aria-describedby={`${id}-help ${id}-problem`}
      disabled={isDisabled}
      value={hasTime ? toLocalTime(text) : text}
      onChange={({ target }) => set(hasTime ? fromLocalTime(target.value) : target.value || undefined)}
    />
  );
}
