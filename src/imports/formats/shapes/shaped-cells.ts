import type { CellValue, FileRecord, PassOver } from '#src/imports/formats/records/records.ts';
import { spansAt } from '#src/imports/formats/tables/cell-spans.ts';
import type { HoleOf, Shape } from './record-shapes.ts';

/** The wanted cells of records of a shape. */
export interface ShapedCells {
  /** The hole of each; -1 for one that is the same in all of them. */
  holes: Int32Array;
  same: readonly CellValue[];
  /** As `PassOver` takes them; undefined where a cell that is the same has a value, or the bytes are not what is meant. */
  spans: Int32Array | undefined;
}

/** What the holes are, by the record that was read with marks in them; undefined where a cell is more than a hole. */
export function shapedCells({ cells, fault }: FileRecord, holeOf: HoleOf): ShapedCells | undefined {
  const holes = cells.map((cell) => (typeof cell === 'string' ? holeOf(cell) : -1));
  if (fault !== undefined || holes.includes(undefined)) return undefined;
  const isPlain = cells.every((cell, at) => holes[at] !== -1 || cell === undefined);
  const spans = isPlain ? new Int32Array(2 * cells.length).fill(-1) : undefined;
  return { holes: Int32Array.from(holes as number[]), same: cells, spans };
}

/** The record that was found, or what stands for it where it need not be read. */
export function recordOfShape(
  bytes: Buffer,
  shape: Shape<ShapedCells>,
  { line, passOver }: { line: number; passOver: PassOver | undefined },
): FileRecord {
  const { meaning, begins, ends } = shape;
  const { holes, same, spans } = meaning;
  const passed = passOver && spans && passOver(bytes, spansAt(shape, { places: holes, spans }), line, line);
  if (passed) return passed;
  const cells = same.map((cell, at) => {
    const hole = holes[at] as number;
    return hole === -1 ? cell : bytes.toString('utf8', begins[hole], ends[hole]);
  });
  return { line, cells };
}
