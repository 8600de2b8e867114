import { readFileSync, writeFileSync } from 'node:fs';

/** Gives each order the next number of the ERP. With a file, numbers continue where the last start ended. */
export function createNumbers(file: string | undefined): () => string {
  let last = file === undefined ? 0 : readLast(file);
  return () => {
    last += 1;
    if (file !== undefined) writeFileSync(file, String(last));
    return `ERP-${String(last).padStart(6, '0')}`;
  };
}

function readLast(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
