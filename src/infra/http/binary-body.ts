/** The body of a request that is neither JSON nor text. Its bytes are private, so that code which visits a payload skips them. */
export class BinaryBody {
  readonly #bytes: Buffer;
  readonly contentType: string;

  constructor(bytes: Buffer, contentType: string) {
    this.#bytes = bytes;
    this.contentType = contentType;
  }

  read(): Buffer {
    return this.#bytes;
  }
}
