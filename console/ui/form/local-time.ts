const pad = (value: number): string => String(value).padStart(2, '0');

/** Formats an instant for `datetime-local`, in the reader's zone. Returns empty text if `instant` is not a date. */
export function toLocalTime(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** The instant of a text of `datetime-local`; undefined for an empty one. */
export const fromLocalTime = (text: string): string | undefined =>
  text === '' ? undefined : new Date(text).toISOString();
