/** Parsing takes quadratic time in the depth: 256 KiB of `<b>` two seconds. Nothing that people write comes near. */
export const maxOpenElements = 512;

/** The fragment is nested so deeply that reading it would hold up the process. */
export class TooDeepError extends Error {
  constructor() {
    super(`More than ${maxOpenElements} elements are open at once. Close the elements of the fragment.`);
    this.name = 'TooDeepError';
  }
}
