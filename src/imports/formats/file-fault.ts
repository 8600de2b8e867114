/** Why a file cannot be read, in a sentence for its sender. Any other error is a bug or an outage. */
export class FileFault extends Error {
  /** Postgres stores no NUL, which what is quoted of the file may hold. */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll('\0', '\ufffd'), options);
  }
}
