/** A number of the graph that a double would round, as its digits. `String(number)` and `JSON.stringify` give them back unchanged. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): unknown {
    return rawJson?.(this.digits) ?? this.digits;
  }
}

/** `JSON.rawJSON`, which older browsers lack; a variable is then sent as text. */
const { rawJSON: rawJson } = JSON as { rawJSON?: (text: string) => unknown };

/** A number in the place of a value that has more than 15 digits or an exponent. It may also be found within a text, which costs only time. */
const mayBeRounded = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+e)/i;

/** Parses an answer of the graph. Numbers that a double cannot hold become ExactNumbers, if the browser tells their digits. */
export const readJson = (text: string): unknown =>
  mayBeRounded.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);

/** For `JSON.parse`: browsers since 2023 hand in the source of a number, by which it is compared. */
export const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && isRounded(value, context.source)
    ? new ExactNumber(context.source)
    : value;

function isRounded(value: number, source: string): boolean {
  // 15 digits survive a double and back.
  if (source.length <= 15 && !/e/i.test(source)) return false;
  return decimalForm(source) !== decimalForm(String(value));
}

/** The same text for all ways to write a number: its digits without zeros at either end, and the power of ten of the last. */
function decimalForm(text: string): string {
  const parts = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text);
  // `Infinity`, which a double makes of 1e400.
  if (!parts) return text;
  const [, sign = '', whole = '', part = '', exponent = '0'] = parts;
  const digits = `${whole}${part}`;
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - part.length + digits.length - significant.length;
  const trimmed = significant.replace(/^0+/, '');
  return trimmed === '' ? '0' : `${sign}${trimmed}e${power}`;
}
