const pad = (value: number): string => String(value).padStart(2, '0');

/** An instant as `datetime-local` writes it, in the reader's zone; empty for text that is none. */
export function toLocalTime(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** The instant of a text of `datetime-local`; undefined for an empty one. */
export const fromLocalTime = (text: string): string | undefined =>
  text === '' ? undefined : new Date(text).toISOString();
