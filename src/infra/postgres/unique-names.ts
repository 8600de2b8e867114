import { ValidationError } from '#src/infra/errors.ts';
import { isUniqueViolation } from './sql-errors.ts';

/** Runs `work`; turns a unique violation, which for a caller can only concern the name, into a ValidationError of `name`. */
export async function namesUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ValidationError({ name: ['The name has already been taken.'] });
    throw error;
  }
}
