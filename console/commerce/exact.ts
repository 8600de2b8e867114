/** A decimal as a whole number of its smallest digit: `12.50` is 1250 with 2 digits. */
function parse(decimal: string): { units: bigint; digits: number } {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return { units: BigInt(whole + fraction), digits: fraction.length };
}

/** `a - b`, exactly, without zeros at the end. Both are plain decimals, such as the graph's `Decimal`. */
export function subtract(a: string, b: string): string {
  const [left, right] = [parse(a), parse(b)];
  const digits = Math.max(left.digits, right.digits);
  const units = left.units * 10n ** BigInt(digits - left.digits) - right.units * 10n ** BigInt(digits - right.digits);
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  const whole = text.slice(0, text.length - digits);
  return `${units < 0n ? '-' : ''}${whole}${digits > 0 && fraction ? `.${fraction}` : ''}`;
}

/** Below 0 where `a` is the smaller, 0 where both are equal. */
export function compare(a: string, b: string): number {
  const difference = subtract(a, b);
  return difference.startsWith('-') ? -1 : difference === '0' ? 0 : 1;
}
