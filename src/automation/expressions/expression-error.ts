/** `syntax`: the text is not an expression. `limit`: it exceeds a limit. `failed`: it could not be computed. */
export type ExpressionErrorKind = 'syntax' | 'limit' | 'failed';

/** The location of an expression: its config path (`values.total`), and the offset of a fault in that string, from 0. */
export interface ExpressionPlace {
  path: string;
  position: number;
}

/**
 * An expected failure of an expression. `reason` says what to do and is at most 500 characters; `message` puts the config
 * path before it. A reason may repeat a value that the expression used.
 */
export class ExpressionError extends Error {
  readonly kind: ExpressionErrorKind;
  readonly reason: string;
  readonly place: ExpressionPlace;

  constructor(kind: ExpressionErrorKind, reason: string, place: ExpressionPlace = { path: '', position: 0 }) {
    const short = reason.length > 500 ? `${reason.slice(0, 499)}…` : reason;
    super(place.path === '' ? short : `${place.path}: ${short}`);
    this.name = 'ExpressionError';
    this.kind = kind;
    this.reason = short;
    this.place = place;
  }

  /** The same failure with the location of its expression; unchanged when it already has one. */
  at(path: string, offset: number): ExpressionError {
    if (this.place.path !== '') return this;
    return new ExpressionError(this.kind, this.reason, { path, position: offset + this.place.position });
  }
}

export const tooMuch = (reason: string): ExpressionError => new ExpressionError('limit', reason);
