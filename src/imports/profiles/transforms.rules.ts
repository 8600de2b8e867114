import { Fault } from '#src/imports/targets/cells.ts';
import { dateParts, type Transform } from './mapping.inputs.ts';

/** Changes the text of a cell that is not empty, or says why it cannot. */
export type Change = (text: string) => string | Fault;

type Form<Name extends string> = Extract<Transform, Record<Name, unknown>>;

const simple: Record<Extract<Transform, string>, Change> = {
  trim: (text) => text.trim(),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  strip_leading_zeros: (text) => text.replace(/^0+(?=.)/, ''),
};

/** Numbers are answered with the profile's own separator, by which the field reads them. */
export function createChange(transform: Transform, { decimalSeparator }: { decimalSeparator: string }): Change {
  if (typeof transform === 'string') return simple[transform];
  if ('replace' in transform) return (text) => text.replaceAll(transform.replace, () => transform.by);
  if ('lookup' in transform) return lookUp(transform);
  return 'date' in transform ? readDate(transform) : readNumber(transform, decimalSeparator);
}

function lookUp({ lookup, otherwise }: Form<'lookup'>): Change {
  const fault = new Fault('The profile has no entry for this value.');
  return (text) => (Object.hasOwn(lookup, text) ? (lookup[text] as string) : (otherwise ?? fault));
}

const digitPatterns: Record<string, string> = { YYYY: '(?<Y>\\d{4})', M: '(?<M>\\d\\d?)', D: '(?<D>\\d\\d?)' };

/** A date as `2026-01-31`, and one with a time of day as an instant in UTC. Whether there is such a day is the field's question. */
function readDate({ date: form }: Form<'date'>): Change {
  const escaped = form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  const digits = (part: string): string => digitPatterns[part] ?? `(?<${part[0]}>\\d\\d)`;
  const pattern = new RegExp(`^${escaped.replace(dateParts, digits)}$`);
  const fault = new Fault(`Use a date of the form ${form}.`);
  return (text) => {
    const parts = pattern.exec(text.trim())?.groups;
    if (!parts) return fault;
    const two = (part = '00'): string => part.padStart(2, '0');
    const day = `${parts['Y']}-${two(parts['M'])}-${two(parts['D'])}`;
    return parts['H'] === undefined ? day : `${day}T${two(parts['H'])}:${two(parts['m'])}:${two(parts['s'])}Z`;
  };
}

function readNumber({ number: { decimal, group } }: Form<'number'>, separator: string): Change {
  const between = group == null ? '' : group.replace('.', '\\.');
  const whole = group == null ? '\\d+' : `(?:\\d+|\\d{1,3}(?:${between}\\d{3})+)`;
  const pattern = new RegExp(`^(-?)(${whole})(?:${decimal === '.' ? '\\.' : ','}(\\d+))?$`);
  const example = `1${group ?? ''}234${decimal}50`;
  const fault = new Fault(`Use a number such as ${example}.`);
  return (text) => {
    const [, sign = '', before, after] = pattern.exec(text.trim()) ?? [];
    if (before === undefined) return fault;
    const digits = group == null ? before : before.replaceAll(group, '');
    return `${sign}${digits}${after === undefined ? '' : `${separator}${after}`}`;
  };
}
