import { type TokenParser, type Tokenizer, TokenType } from '@streamparser/json';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { JsonTrail } from './json-trail.ts';

/** Characters of a record, which stays in memory, and of what stands before the first and after the last, at most. */
const maxLength = 16 * 1024 * 1024;
/** Memory of an object, a list or a member beside its characters, counted in characters. */
const tokenLength = 8;
const maxDepth = 100;

export interface JsonBounds {
  /** Called with each chunk before it is parsed. */
  onChunk: (bytes: number) => void;
  /** Called with each record. */
  onRecord: () => void;
  /** Called where what records are in has ended. */
  onEndOfParent: () => void;
}

/**
 * Hands tokens on to the parser, which keeps in memory what it has not handed over, as long as that is within bounds, and then to what follows
 * the record path.
 */
export function boundJson(
  tokenizer: Tokenizer,
  { parser, trail }: { parser: TokenParser; trail: JsonTrail },
  lastRead: () => string,
): JsonBounds {
  let length = 0;
  let depth = 0;
  /** Bytes since the last token: they may be one text. */
  let unfinished = 0;
  const check = (): void => {
    if (depth > maxDepth)
      throw new FileFault(`The JSON nests more than ${maxDepth} objects and lists after ${lastRead()}.`);
    if (Math.max(length, unfinished) > maxLength)
      throw new FileFault(`More than ${maxLength} characters after ${lastRead()} are one record. Send smaller ones.`);
  };
  tokenizer.onToken = (token) => {
    unfinished = 0;
    length += tokenLength + (typeof token.value === 'string' ? token.value.length : 0);
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth += 1;
    if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) depth -= 1;
    check();
    parser.write(token);
    trail.write(token.token, token.value);
  };
  return {
    onChunk(bytes) {
      check();
      unfinished += bytes;
    },
    onRecord() {
      length = 0;
    },
    onEndOfParent() {
      length = 0;
    },
  };
}
