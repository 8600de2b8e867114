/** Bytes as an input. */
export interface Base64 {
  Input: Uint8Array | AsyncIterable<Uint8Array>;
  Output: never;
}

export const base64 = {
  description: 'Bytes in base64, within the limit of a JSON body. REST takes larger ones as they are.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4648#section-4',
  serialize(): never {
    throw new TypeError('Bytes are never returned.');
  },
  parseValue(value: unknown): Base64['Input'] {
    if (typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value)) return Buffer.from(value, 'base64');
    // Not possible in JSON: the REST API passes its request's body this way, within the process.
    if (value instanceof Uint8Array || isByteStream(value)) return value;
    throw new TypeError('Use base64.');
  },
};

const isByteStream = (value: unknown): value is AsyncIterable<Uint8Array> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
