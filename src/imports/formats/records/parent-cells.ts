import { FileFault, type CellValue, type FileRecord } from './records.ts';

/** A column of something around a record: the level at which that is open, counted from the root. */
export interface ParentColumn {
  name: string;
  place: number;
  level: number;
}

/** Fills records with the cells of their parents, which may stand before or after them. */
export interface ParentCells {
  /** Called when the container at this level begins. */
  open: (level: number) => void;
  set: (place: number, value: CellValue) => void;
  /** Says that no value will come for the column while its level is open. */
  settle: (place: number) => void;
  /** Called when the container at this level ends. */
  close: (level: number) => void;
  /** Takes a record of which all other cells are there, and hands it over once it has these. */
  take: (record: FileRecord) => void;
}

/** Characters of records that wait for a cell that follows them, at most, and what each record takes beside its own. */
const maxWaiting = 16 * 1024 * 1024;
const recordLength = 64;

interface Column extends ParentColumn {
  value: CellValue;
  fault?: string | undefined;
  isSettled: boolean;
  /** True once a record has the value. */
  isUsed: boolean;
  /** How many of the waiting records have the cell. */
  filled: number;
}

export function createParentCells(given: readonly ParentColumn[], handOver: (record: FileRecord) => void): ParentCells {
  const columns = given.map((column): Column => ({
    ...column,
    value: undefined,
    isSettled: false,
    isUsed: false,
    filled: 0,
  }));
  const byPlace = new Map(columns.map((column) => [column.place, column]));
  const waiting: FileRecord[] = [];
  let length = 0;

  const measureLength = ({ cells }: FileRecord): number =>
    cells.reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 0), recordLength);
  const fill = (column: Column): void => {
    for (; column.filled < waiting.length; column.filled += 1) {
      const record = waiting[column.filled] as FileRecord;
      record.cells[column.place] = column.value;
      if (column.fault !== undefined) record.fault ??= column.fault;
      column.isUsed = true;
    }
  };
  const release = (): void => {
    const whole = Math.min(...columns.map(({ filled }) => filled));
    if (whole === 0) return;
    for (const record of waiting.splice(0, whole)) handOver(record);
    for (const column of columns) column.filled -= whole;
    length = waiting.reduce((sum, record) => sum + measureLength(record), 0);
  };
  const settle = (column: Column): void => {
    column.isSettled = true;
    fill(column);
    if (waiting.length > 0) release();
  };
  return {
    open(level) {
      for (const column of columns)
        if (column.level === level)
          Object.assign(column, { value: undefined, fault: undefined, isSettled: false, isUsed: false });
    },
    set(place, value) {
      const column = byPlace.get(place) as Column;
      const { name, isSettled, isUsed } = column;
      if (isSettled && isUsed)
        throw new FileFault(
          `${name} is there twice, before and after records that it belongs to. Map one that is there once.`,
        );
      if (isSettled) column.fault = `It has ${name} twice.`;
      else column.value = value;
      settle(column);
    },
    settle: (place) => settle(byPlace.get(place) as Column),
    close(level) {
      for (const column of columns) if (column.level === level) settle(column);
    },
    take(record) {
      waiting.push(record);
      for (const column of columns) if (column.isSettled) fill(column);
      if (columns.every(({ filled }) => filled > 0)) return release();
      length += measureLength(record);
      if (length <= maxWaiting) return;
      const missing = columns.filter(({ filled }) => filled < waiting.length).map(({ name }) => name);
      throw new FileFault(
        `More than ${maxWaiting} characters of records wait for ${missing.join(', ')}. Put it before the records, or leave it out of the mapping.`,
      );
    },
  };
}
