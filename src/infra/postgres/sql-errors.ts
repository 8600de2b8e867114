import { ValidationError } from '#src/infra/errors.ts';

/** Postgres's error code (`23505` is a unique violation), from pg or through Prisma's adapter. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, meta, cause } = error as { code?: unknown; meta?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('P2')) return code;
  if (code === 'P2002') return '23505';
  if (code === 'P2003') return '23503';
  const adapter = (meta as { driverAdapterError?: { cause?: { originalCode?: string } } } | undefined)
    ?.driverAdapterError;
  return adapter?.cause?.originalCode ?? (cause === undefined ? undefined : sqlState(cause));
}

/** True if Prisma failed because the record to read or change does not exist. */
export const isMissingRecord = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'P2025';

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/**
 * True if Postgres refused text that it cannot store: a NUL character, or a lone surrogate in jsonb, which it reports only as invalid JSON.
 * Our JSON comes from JSON.stringify and is otherwise always valid.
 */
export function isUnstorableText(error: unknown): boolean {
  const state = sqlState(error);
  if (state === '22021' || state === '22P05') return true;
  // Prisma's client writes its query as JSON for its engine, which rejects a lone surrogate without a code.
  if (error instanceof Error && /^JSON Error: .* hex escape/m.test(error.message)) return true;
  // The state is that of any value that cannot be read as its type; only the text names the type.
  return state === '22P02' && error instanceof Error && error.message.includes('syntax for type json');
}

/** Runs `work`; turns a unique violation into a ValidationError of `name`. For callers that can only violate the uniqueness of the name. */
export async function namesUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ValidationError({ name: ['The name has already been taken.'] });
    throw error;
  }
}

/** The state that guard_moving_tenant raises. */
const tenantMoves = 'CW503';
const movingSentence = /Tenant \S+ moves to another installation.*? Send the request again later\./;

/** Why the write was refused, if its tenant moves to another installation. */
export function findMoveRefusal(error: unknown): string | undefined {
  if (sqlState(error) !== tenantMoves) return undefined;
  const text = error instanceof Error ? error.message : '';
  return movingSentence.exec(text)?.[0] ?? 'This tenant moves to another installation. Send the request again later.';
}
