import * as format from '#console/ui/formats.tsx';
import type { Filter } from '#console/ui/screens/filters.ts';
import type { Column } from '#console/ui/screens/screen.ts';
import type { Extension } from './extensions.documents.ts';
import { themeWords as w } from './themes.words.ts';

export const handleOf = ({ vendor, name }: { vendor: string; name: string }): string => `${vendor}/${name}`;

/** The columns of lists of versions. */
export const extensionColumns: readonly Column<Extension>[] = [
  {
    key: 'name',
    label: w.extension,
    show: format.text((extension) => extension.title),
    width: 'minmax(144px, 2fr)',
  },
  { key: 'handle', label: w.handle, show: format.text(handleOf), width: 'minmax(144px, 2fr)' },
  { key: 'version', label: w.version, show: format.text((extension) => extension.version), width: '112px' },
  { key: 'type', label: w.access, show: format.word((extension) => extension.type), width: '96px' },
  { key: 'status', label: w.status, show: format.state((extension) => extension.status) },
  { key: 'registered', label: w.registered, show: format.time((extension) => extension.createdAt) },
];

/** The filters of lists of versions. */
export const extensionFilters: readonly Filter[] = [
  { kind: 'text', key: 'q', member: 'search', label: w.search },
  { kind: 'choice', key: 'status', label: w.status, options: ['DRAFT', 'PUBLISHED', 'REJECTED', 'WITHDRAWN'] },
  { kind: 'choice', key: 'type', label: w.access, options: ['PUBLIC', 'PRIVATE'] },
  { kind: 'text', key: 'theme', label: w.theme },
];

/** Whether its tenant may pin a version: a published one, or a private one of its own. */
export const isInstallable = ({ type, status }: Pick<Extension, 'type' | 'status'>): boolean =>
  status === 'PUBLISHED' || (type === 'PRIVATE' && status === 'DRAFT');

/** Whether a version waits for an operator. */
export const isInReview = ({ type, status }: Pick<Extension, 'type' | 'status'>): boolean =>
  type === 'PUBLIC' && status === 'DRAFT';
