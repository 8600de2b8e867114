import { createShapes, type Learning, type Shape } from './row-shapes.ts';

/** A parser of rows that can be recognised by their shape. */
export interface ShapedParser<Layout> extends Learning<Layout> {
  parse: (bytes: Buffer) => void;
  /** How many records it has parsed. */
  parsed: () => number;
  /** True if the last byte that it parsed is the last of a record. */
  isBetween: () => boolean;
  /** The closing tag of a record, one character per byte. Other elements may end with it too. */
  endMark: () => string;
  /** Handles a record that was recognised instead of parsed. */
  take: (bytes: Buffer, shape: Shape<Layout>) => void;
}

/** After this many records in a row without a known shape, ever more of them are parsed in one call. */
const maxSingle = 16;
const maxTogether = 1024;

/**
 * Reads chunks of a sheet. Most rows of a sheet are written alike, and comparing bytes takes a tenth of parsing them. A row is parsed if it
 * is the first of its shape, if it has characters with a meaning in XML, or if a chunk ends within it. Skipping a whole row while the parser
 * is between two rows does not change how it parses the others.
 */
export function createShapedReader<Layout>(parser: ShapedParser<Layout>): (chunk: Buffer) => void {
  const shapes = createShapes<Layout>();
  let unknown = 0;
  /** The offset after the next end marks, or the end of the chunk. */
  const findEnd = (chunk: Buffer, from: number): number => {
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
      const end = findEnd(chunk, at);
      parser.parse(chunk.subarray(at, end));
      at = end;
      if (begun === undefined || !parser.isBetween()) continue;
      unknown += 1;
      if (parser.parsed() === parsedBefore + 1) shapes.learn(chunk.subarray(begun, end), parser);
    }
  };
}
