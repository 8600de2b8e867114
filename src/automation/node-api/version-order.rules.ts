import semver from 'semver';

/** A number without leading zeros as text that sorts by its value: its digit count comes first. */
const sortable = (digits: string): string => `${String(digits.length).padStart(3, '0')}${digits}`;

/** A number sorts below a name; two zeros end a name, so that a name sorts below longer names that begin with it. */
const identifierOrder = (identifier: string): string =>
  /^\d+$/.test(identifier) ? `1${sortable(identifier)}` : `2${Buffer.from(identifier, 'latin1').toString('hex')}00`;

/**
 * Text that sorts like semantic versions: by precedence, so prereleases come before their release and build metadata is
 * ignored. Only `0-9a-f` is used, which every database collation sorts alike. Throws for an invalid version.
 */
export function versionOrder(version: string): string {
  const parsed = semver.parse(version);
  if (parsed === null) throw new Error(`"${version.slice(0, 64)}" is not a semantic version.`);
  const numbers = [parsed.major, parsed.minor, parsed.patch].map((part) => sortable(String(part))).join('');
  if (parsed.prerelease.length === 0) return `${numbers}2`;
  return `${numbers}1${parsed.prerelease.map((part) => identifierOrder(String(part))).join('')}0`;
}
