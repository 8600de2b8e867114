import { ValidationError } from '#src/infra/errors.ts';

const maxProblems = 50;

/** The faults of a package, keyed by `<file>#<JSON pointer>`; bounded, since a package may be wrong everywhere. */
export class PackageProblems {
  readonly #fields: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  #count = 0;

  get none(): boolean {
    return this.#count === 0;
  }

  add(path: string, pointer: string, message: string): void {
    this.#count += 1;
    if (this.#count > maxProblems) return;
    const place = pointer === '' ? path : `${path}#${pointer}`;
    (this.#fields[place] ??= []).push(`${message.slice(0, 500)}.`);
  }

  error(): ValidationError {
    const [first] = Object.entries(this.#fields);
    const more = this.#count > 1 ? ` (and ${this.#count - 1} more)` : '';
    const reason = first === undefined ? '' : ` ${first[0]} ${first[1][0]?.slice(0, -1)}${more}.`;
    return new ValidationError({ ...this.#fields }, `The node package is invalid:${reason}`);
  }
}
