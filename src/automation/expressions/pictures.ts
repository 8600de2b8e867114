import { tooMuch } from './expression-error.ts';

/** jsonata turns a picture into a backtracking regular expression; these limits bound its work. */
const limits = { picture: 200, read: 64, looseJoints: 3 } as const;

const measureLength = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

/** `[Y,9-99999999]` would pad to that width. */
export function checkPicture(picture: unknown): void {
  if (measureLength(picture) > limits.picture) throw tooMuch(`A picture has at most ${limits.picture} characters.`);
  if (/,[^\]]*\d{3}/.test(String(picture))) throw tooMuch('A width in a picture has at most two digits.');
}

/** True when a component consists only of digits; weekdays and AM/PM are names by default. */
const isNumeric = (component: string): boolean => /^[A-EG-OQ-Za-z](?![A-Za-z])/.test(component);

/** True when the text between two components cannot be mistaken for part of either. */
function isTight(left: string, between: string, right: string): boolean {
  if (/^.[wW]/.test(left) || /^.[wW]/.test(right)) return false;
  if (isNumeric(left) && isNumeric(right)) return /\D/.test(between);
  return /[^A-Za-z0-9]/.test(between);
}

/**
 * Refuses a text that is too long for a picture, and a picture that could divide the text in too many ways: each boundary
 * where one component may take characters of the next multiplies them by the length of the text.
 */
export function checkReading(text: unknown, picture: unknown): void {
  checkPicture(picture);
  if (typeof picture !== 'string') return;
  if (measureLength(text) > limits.read)
    throw tooMuch(`A text read by a picture has at most ${limits.read} characters.`);
  const components = [...picture.matchAll(/\[([^\]]*)\]([^[]*)/g)];
  const loose = components.filter((component, index) => {
    const next = components[index + 1];
    return next !== undefined && !isTight(component[1] ?? '', component[2] ?? '', next[1] ?? '');
  });
  if (loose.length > limits.looseJoints) {
    throw tooMuch('The picture is ambiguous; put separators such as - or : between its components.');
  }
}
