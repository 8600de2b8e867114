import { createShapes, type Learning, type Shape } from './record-shapes.ts';

/** A parser of a format whose records can be told by their shape. */
export interface ShapedParser<Meaning> extends Learning<Meaning> {
  parse: (bytes: Buffer) => void;
  /** How many records it has parsed. */
  parsed: () => number;
  /** Whether the last byte that it parsed is the last of a record. */
  isBetween: () => boolean;
  /** What the meaning of a shape depends on beside its bytes; left out where it does not. */
  context?: () => unknown;
  /** What a record ends with, though not only records do. Each character is a byte. */
  endMark: () => string;
  /** Takes a record that is not parsed. */
  take: (bytes: Buffer, shape: Shape<Meaning>) => void;
}

/** Records that are parsed one by one because their shape is not known, in a row; then ever more of them are parsed together. */
const maxSingle = 16;
const maxTogether = 1024;

/**
 * Reads chunks of a file. Most records of a file are written alike, and comparing bytes takes a tenth of parsing them: a record is parsed
 * where it is the first of its shape, where it has characters that mean something to the format, and where a chunk ends in
 * it. Leaving a whole record out where the parser is between two does not change how it parses the others.
 */
export function createShapedReader<Meaning>(parser: ShapedParser<Meaning>): (chunk: Buffer) => void {
  let shapes = createShapes<Meaning>();
  let context: unknown;
  let unknown = 0;
  /** The place after so many ends of records, or that of the chunk. */
  const endOf = (chunk: Buffer, from: number): number => {
    const mark = parser.endMark();
    let at = from;
    for (let many = Math.min(maxTogether, 2 ** Math.max(0, unknown - maxSingle)); many > 0; many -= 1) {
      const found = chunk.indexOf(mark, at, 'latin1');
      if (found === -1) return chunk.length;
      at = found + mark.length;
    }
    return at;
  };
  return (chunk) => {
    let begun: number | undefined;
    let parsedBefore = 0;
    for (let at = 0; at < chunk.length;) {
      if (parser.isBetween()) {
        if (parser.context && parser.context() !== context) {
          context = parser.context();
          shapes = createShapes();
        }
        const shape = shapes.find(chunk, at);
        if (shape) {
          parser.take(chunk, shape);
          at = shape.end;
          unknown = 0;
          begun = undefined;
          continue;
        }
        begun = at;
        parsedBefore = parser.parsed();
      }
      const end = endOf(chunk, at);
      parser.parse(chunk.subarray(at, end));
      at = end;
      if (begun === undefined || !parser.isBetween()) continue;
      unknown += 1;
      if (parser.parsed() === parsedBefore + 1) shapes.learn(chunk.subarray(begun, end), parser);
    }
  };
}
