import semver from 'semver';
import type { Extension, Installation } from '#prisma/client.ts';

/**
 * True if a version of a theme is in an extension's range. By semver, a prerelease is in a range only if the range names a prerelease of
 * the same version: `^2.1.0` excludes `2.2.0-beta.1`, `^2.2.0-beta.0` includes it.
 */
export const isInRange = (themeVersion: string, range: string): boolean => semver.satisfies(themeVersion, range);

/** The reason why an extension can be neither shown nor installed with a theme version out of its range. */
export const whyOutOfRange = (theme: string, range: string, themeVersion: string): string =>
  `It is built for ${theme} ${range}, and ${themeVersion} is installed.`;

/** Why a tenant may not install a version that it sees; null if it may. */
export function whyNotInstallable(extension: Extension, themeVersion: string | null): string | null {
  const { type, status, targetTheme, targetVersion } = extension;
  if (status === 'withdrawn') return 'The version was withdrawn; install another one.';
  if (status === 'rejected') return 'The version was rejected; register another one.';
  if (type === 'public' && status === 'draft')
    return 'The version has not been published; ask an operator to publish it.';
  return whyNoTheme({ targetTheme, targetVersion }, themeVersion);
}

type Target = Pick<Extension, 'targetTheme' | 'targetVersion'>;

function whyNoTheme({ targetTheme, targetVersion }: Target, themeVersion: string | null): string | null {
  if (themeVersion === null)
    return `Its theme ${targetTheme} is not installed; install a version in ${targetVersion} first.`;
  if (isInRange(themeVersion, targetVersion)) return null;
  return whyOutOfRange(targetTheme, targetVersion, themeVersion);
}

/** Why the blocks of an installation are not in the tenant's catalogue; null if they are. */
export function whyHidden(
  status: Installation['status'],
  extension: Target & Pick<Extension, 'blocked' | 'reason'>,
  themeVersion: string | null,
): string | null {
  if (status === 'uninstalled') return 'It is uninstalled.';
  if (extension.blocked) return whyBlocked(extension);
  if (status === 'disabled') return 'It is disabled; enable it to show its blocks.';
  return whyNoTheme(extension, themeVersion);
}

const whyBlocked = ({ reason }: Pick<Extension, 'reason'>): string => `The version was blocked: ${reason}`;

/** Why an installation may not change to a status; null if it may, or if it has it already. */
export function whyNotTo(
  status: Installation['status'],
  { status: present }: Installation,
  extension: Extension,
): string | null {
  if (present === 'uninstalled') return 'It is uninstalled, which is final; install the extension again.';
  if (status === 'installed' && extension.blocked) return whyBlocked(extension);
  return null;
}
