/** A failure of a server of another protocol than HTTP. `message` is safe to show to a tenant; `cause` is meant for the operator's log. */
export class ServerError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
  }
}

/** What a server has said, on one line and bounded. */
export const quoteServer = (text: unknown): string =>
  (typeof text === 'string' ? text : 'nothing').slice(0, 300).replaceAll(/\p{Cc}+/gu, ' ');
