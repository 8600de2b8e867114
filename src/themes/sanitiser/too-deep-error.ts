/** Parsing takes quadratic time in the depth: two seconds for 256 KiB of `<b>`. No genuine fragment comes near. */
export const maxOpenElements = 512;

/** The fragment is nested so deeply that parsing it would block the process. */
export class TooDeepError extends Error {
  constructor() {
    super(`More than ${maxOpenElements} elements are open at once. Close the elements of the fragment.`);
    this.name = 'TooDeepError';
  }
}
