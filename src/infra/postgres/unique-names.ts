import { ValidationError } from '#src/infra/errors.ts';
import { isUniqueViolation } from './sql-errors.ts';

/** Does work whose only unique constraint that a caller can break is of a name; throws a ValidationError of `name` then. */
export async function namesUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ValidationError({ name: ['The name has already been taken.'] });
    throw error;
  }
}
