/** Quotes a cell. Text that a spreadsheet would take for a formula gets an apostrophe. */
export function csvCell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
