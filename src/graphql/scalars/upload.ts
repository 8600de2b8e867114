/** Bytes on their way in. */
export interface Upload {
  Input: Uint8Array | AsyncIterable<Uint8Array>;
  Output: never;
}

export const upload = {
  description: 'Bytes as base64, within the limit of a JSON body. The REST face takes larger ones.',
  serialize(): never {
    throw new TypeError('An upload is never answered.');
  },
  parseValue(value: unknown): Upload['Input'] {
    if (typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value)) return Buffer.from(value, 'base64');
    // JSON can be neither: these come from inside the process, where the REST face hands its request's body over.
    if (value instanceof Uint8Array || isByteStream(value)) return value;
    throw new TypeError('Use base64.');
  },
};

const isByteStream = (value: unknown): value is AsyncIterable<Uint8Array> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
