import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  DeadLetterPage,
  DeadLetters,
  DeadLettersFollowed,
  DiscardDeadLetter,
  DiscardDeadLetters,
  ReplayDeadLetter,
  ReplayDeadLetters,
} from './dead-letters.documents.ts';
import { deadLetterWords as w } from './dead-letters.words.ts';
import { Reasons } from './reasons.tsx';

type Row = RowOf<ResultOf<typeof DeadLetters>, 'deadLetters'>;

const workflow = format.link<Row>(
  'workflows',
  (letter) => letter.workflow,
  (letter) => letter.workflowName,
);

const trigger = format.link<Row>(
  'triggers',
  (letter) => letter.trigger,
  (letter) => letter.trigger?.name ?? w.deletedTrigger,
);

const letterList = list('deadLetters', DeadLetters, {
  follow: DeadLettersFollowed,
  summary: () => <Reasons />,
  columns: [
    { key: 'id', label: w.id, show: format.text((letter) => letter.databaseId), width: '88px' },
    { key: 'status', label: w.status, show: format.state((letter) => letter.status) },
    {
      key: 'workflow',
      label: w.workflow,
      show: workflow,
      width: 'minmax(160px, 2fr)',
    },
    { key: 'reason', label: w.reason, show: format.text((letter) => letter.reason), width: 'minmax(160px, 4fr)' },
    { key: 'source', label: w.source, show: format.word((letter) => letter.source), width: '112px' },
    {
      key: 'trigger',
      label: w.trigger,
      show: trigger,
      width: 'minmax(112px, 1fr)',
    },
    { key: 'captured', label: w.captured, show: format.time((letter) => letter.createdAt) },
  ],
  filters: [
    { kind: 'choice', key: 'status', label: w.status, many: true, options: ['PENDING', 'REPLAYED', 'DISCARDED'] },
    { kind: 'times', key: 'time', label: w.captured },
    { kind: 'lookup', key: 'workflow', member: 'workflowId', noun: 'workflows', label: w.workflow },
    { kind: 'lookup', key: 'group', member: 'errorGroupId', noun: 'error-groups', label: w.reason },
  ],
  bulk: [
    {
      key: 'replay',
      verb: w.replay,
      label: w.replayMany,
      document: ReplayDeadLetters,
      allowed: (letter) => letter.viewerCan.replay,
    },
    {
      key: 'discard',
      verb: w.discard,
      label: w.discardMany,
      document: DiscardDeadLetters,
      allowed: (letter) => letter.viewerCan.discard,
      isDanger: true,
    },
  ],
  empty: w.empty,
});

const letterPage = detail('deadLetter', DeadLetterPage, {
  title: (letter) => w.deadLetter(letter.databaseId),
  state: (letter) => letter.status,
  facts: [
    { key: 'workflow', label: w.workflow, show: workflow },
    { key: 'trigger', label: w.trigger, show: trigger },
    { key: 'source', label: w.source, show: format.word((letter) => letter.source) },
    {
      key: 'run',
      label: w.run,
      show: format.link(
        'runs',
        (letter) => letter.replayedRun,
        (letter) => letter.replayedRun?.databaseId,
      ),
    },
    { key: 'captured', label: w.captured, show: format.exactTime((letter) => letter.createdAt) },
    { key: 'settled', label: w.settled, show: format.exactTime((letter) => letter.updatedAt) },
  ],
  sections: [
    { key: 'reason', title: w.reason, draw: (letter) => <pre className="error-text">{letter.reason}</pre> },
    { key: 'payload', title: w.payload, draw: (letter) => <JsonTree value={letter.payload} /> },
  ],
  actions: [
    {
      key: 'replay',
      label: w.replay,
      document: ReplayDeadLetter,
      allowed: (letter) => letter.viewerCan.replay,
      confirm: () => w.replayAbout,
      done: w.replayed,
      opens: (payload) => ({ noun: 'runs', id: (payload['run'] as { id: string }).id }),
    },
    {
      key: 'discard',
      label: w.discard,
      document: DiscardDeadLetter,
      allowed: (letter) => letter.viewerCan.discard,
      confirm: () => w.discardConfirm,
      isDanger: true,
      done: w.discarded,
    },
  ],
});

export const deadLetters: Screens = { list: letterList, detail: letterPage };
