import * as format from '#console/ui/formats.tsx';
import { list, type Screens } from '#console/ui/screens/screen.ts';
import { enumWord } from '#console/words/enums.ts';
import { AuditLog } from './audit-log.documents.ts';
import { auditWords as w } from './audit-log.words.ts';
import { SubjectLink } from './subject-link.tsx';

interface Resource {
  resourceType: string;
  resourceId: string;
}

const nameOf = ({ resourceType, resourceId }: Resource): string => `${resourceType.replaceAll('_', ' ')} ${resourceId}`;

const entryList = list('auditLog', AuditLog, {
  columns: [
    { key: 'when', label: w.when, show: format.exactTime((entry) => entry.createdAt) },
    {
      key: 'who',
      label: w.who,
      show: format.text(({ actor }) => actor.name ?? enumWord(actor.kind)),
      width: 'minmax(128px, 1fr)',
    },
    { key: 'channel', label: w.channel, show: format.word((entry) => entry.channel), width: '96px' },
    { key: 'action', label: w.action, show: format.text((entry) => entry.action), width: '112px' },
    {
      key: 'object',
      label: w.object,
      show: { text: nameOf, draw: (entry) => <SubjectLink subject={entry.subject} name={nameOf(entry)} /> },
      width: 'minmax(160px, 2fr)',
    },
    {
      key: 'changes',
      label: w.changes,
      show: format.text(({ metadata }) => (metadata == null ? '' : JSON.stringify(metadata))),
      width: 'minmax(160px, 4fr)',
    },
  ],
  filters: [
    { kind: 'times', key: 'time', label: w.when },
    { kind: 'text', key: 'type', member: 'resourceType', label: w.type },
    { kind: 'text', key: 'action', label: w.action },
    { kind: 'text', key: 'user', member: 'sub', label: w.user },
    { kind: 'text', key: 'object', member: 'subjectId', label: w.object },
  ],
  open: null,
  empty: w.empty,
});

export const auditLog: Screens = { list: entryList };
