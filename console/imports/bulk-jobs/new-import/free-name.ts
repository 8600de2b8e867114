/** A name for the profile of a file: that of the file without its ending and date, and with a number where it is taken. */
export function freeName(file: string, profiles: readonly { name: string }[]): string {
  const plain = file
    .replace(/\.(gz|zip)$/i, '')
    .replace(/\.\w+$/, '')
    .replace(/[-_ .]*\d{4}[-_.]?\d{2}[-_.]?\d{2}.*$/, '')
    .slice(0, 180);
  const base = plain || file;
  const taken = new Set(profiles.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!taken.has(name)) return name;
  }
}
