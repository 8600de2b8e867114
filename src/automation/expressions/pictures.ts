import { tooMuch } from './expression-error.ts';

/** jsonata makes a backtracking regular expression of a picture, so what that could be made to try is bounded here. */
const limits = { picture: 200, read: 64, looseJoints: 3 } as const;

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

/** `[Y,9-99999999]` would pad to that width. */
export function checkPicture(picture: unknown): void {
  if (lengthOf(picture) > limits.picture) throw tooMuch(`A picture has at most ${limits.picture} characters.`);
  if (/,[^\]]*\d{3}/.test(String(picture))) throw tooMuch('A width in a picture has at most two digits.');
}

/** Whether a component is read as digits alone; days of the week and halves of the day are names unless told otherwise. */
const isNumeric = (component: string): boolean => /^[A-EG-OQ-Za-z](?![A-Za-z])/.test(component);

/** Whether what stands between two components cannot be taken for a part of either. */
function isTight(left: string, between: string, right: string): boolean {
  if (/^.[wW]/.test(left) || /^.[wW]/.test(right)) return false;
  if (isNumeric(left) && isNumeric(right)) return /\D/.test(between);
  return /[^A-Za-z0-9]/.test(between);
}

/**
 * Refuses a text too long to be read by a picture, and a picture that could divide the text in too many ways: each joint
 * where one component may take what is the next one's multiplies them by the length of the text.
 */
export function checkReading(text: unknown, picture: unknown): void {
  checkPicture(picture);
  if (typeof picture !== 'string') return;
  if (lengthOf(text) > limits.read) throw tooMuch(`A text read by a picture has at most ${limits.read} characters.`);
  const components = [...picture.matchAll(/\[([^\]]*)\]([^[]*)/g)];
  const loose = components.filter((component, index) => {
    const next = components[index + 1];
    return next !== undefined && !isTight(component[1] ?? '', component[2] ?? '', next[1] ?? '');
  });
  if (loose.length > limits.looseJoints) {
    throw tooMuch('The picture is ambiguous; put separators such as - or : between its components.');
  }
}
