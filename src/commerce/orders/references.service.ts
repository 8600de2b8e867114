import { ConflictError } from '#src/infra/errors.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';

/** Refuses a reference that another order has just taken: the lock of one order does not hold up the other. */
export async function refusingTakenReference<Made>(work: Promise<Made>, what: string): Promise<Made> {
  try {
    return await work;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ConflictError(`The reference has been used for a ${what} of another order.`);
  }
}
