import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { Progress, progressText } from '#console/ui/progress.tsx';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { detail, list, nestedList, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { enumWord } from '#console/words/enums.ts';
import { numberText } from '#console/words/values.ts';
import {
  BulkActionFollowed,
  BulkActionPage,
  BulkActionRefusals,
  BulkActions,
  CancelBulkAction,
  ContinueBulkAction,
} from './bulk-actions.documents.ts';
import { bulkWords as w } from './bulk-actions.words.ts';

type Row = RowOf<ResultOf<typeof BulkActions>, 'bulkActions'>;

/** The part that is settled, done or refused: 0 to 1. */
const settled = ({ done, refused, total }: Row) => (total === 0 ? 1 : (done + refused) / total);
const isRunning = ({ status }: Row) => status === 'QUEUED' || status === 'RUNNING';
const durationMs = ({ startedAt, finishedAt }: Row) =>
  startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : null;

const progress = {
  text: (action: Row) => progressText(settled(action)),
  draw: (action: Row) => <Progress done={settled(action)} isRunning={isRunning(action)} label={w.progress} />,
  width: '144px',
};

const actionList = list('bulkActions', BulkActions, {
  columns: [
    { key: 'id', label: w.id, show: format.text((action) => action.databaseId), width: '72px' },
    { key: 'kind', label: w.kind, show: format.word((action) => action.kind), width: 'minmax(160px, 2fr)' },
    { key: 'status', label: w.status, show: format.state((action) => action.status) },
    { key: 'progress', label: w.progress, show: progress },
    { key: 'total', label: w.total, show: format.number((action) => action.total) },
    { key: 'refused', label: w.refused, show: format.number((action) => action.refused) },
    {
      key: 'startedBy',
      label: w.startedBy,
      show: format.text((action) => action.startedBy),
      width: 'minmax(112px, 1fr)',
    },
    { key: 'created', label: w.created, show: format.time((action) => action.createdAt) },
  ],
  empty: w.empty,
});

/** The noun of the objects that a kind of action changes. */
const nounOfKind = (kind: Row['kind']): string =>
  kind.endsWith('DEAD_LETTERS')
    ? 'dead-letters'
    : kind.endsWith('DELIVERIES')
      ? 'deliveries'
      : kind.endsWith('JOBS')
        ? 'failed-jobs'
        : 'runs';

type Refusal = NonNullable<ResultOf<typeof BulkActionRefusals>['bulkAction']>['refusals']['edges'][number]['node'];

const refusalsOf = (noun: string) =>
  nestedList(BulkActionRefusals, ({ bulkAction }) => bulkAction?.refusals, {
    columns: [
      { key: 'reason', label: w.reason, show: format.text((refusal: Refusal) => refusal.reason) },
      { key: 'code', label: w.code, show: format.text((refusal: Refusal) => refusal.code) },
    ],
    open: ({ id }) => ({ noun, id }),
    empty: w.noRefusals,
  });

const refusalLists = new Map(
  ['runs', 'dead-letters', 'deliveries', 'failed-jobs'].map((noun) => [noun, refusalsOf(noun)]),
);

/** Read again when the action ends, because refusals come while it runs. */
function Refusals({ action }: { action: Row }) {
  const screen = refusalLists.get(nounOfKind(action.kind));
  return screen && <NestedList key={action.status} screen={screen} variables={{ id: action.id }} label={w.refusals} />;
}

const actionPage = detail('bulkAction', BulkActionPage, {
  follow: BulkActionFollowed,
  title: (action) => w.title(enumWord(action.kind), action.databaseId),
  state: (action) => action.status,
  facts: [
    { key: 'total', label: w.total, show: format.number((action) => action.total) },
    { key: 'done', label: w.done, show: format.number((action) => action.done) },
    { key: 'refused', label: w.refused, show: format.number((action) => action.refused) },
    { key: 'startedBy', label: w.startedBy, show: format.text((action) => action.startedBy) },
    { key: 'created', label: w.created, show: format.exactTime((action) => action.createdAt) },
    { key: 'started', label: w.started, show: format.exactTime((action) => action.startedAt) },
    { key: 'finished', label: w.finished, show: format.exactTime((action) => action.finishedAt) },
    { key: 'duration', label: w.duration, show: format.duration(durationMs) },
  ],
  sections: [
    {
      key: 'progress',
      title: w.progress,
      draw: (action) => (
        <>
          <progress className="progress-wide" max={1} value={settled(action)} aria-label={w.progress} />
          <p role="status">
            {w.summary(numberText(action.done), numberText(action.total), numberText(action.refused))}
          </p>
        </>
      ),
    },
    {
      key: 'error',
      title: w.error,
      when: (action) => action.error !== null,
      draw: (action) => <pre className="error-text">{action.error}</pre>,
    },
    {
      key: 'refusals',
      title: w.refusals,
      when: (action) => action.refused > 0,
      draw: (action) => <Refusals action={action} />,
    },
  ],
  actions: [
    {
      key: 'continue',
      label: w.continue,
      document: ContinueBulkAction,
      allowed: ({ status, viewerCan }) => (status === 'CANCELLED' || status === 'STOPPED') && viewerCan.continue,
      confirm: () => w.continueAbout,
      done: w.continued,
    },
    {
      key: 'cancel',
      label: w.cancel,
      document: CancelBulkAction,
      allowed: (action) => isRunning(action) && action.viewerCan.cancel,
      confirm: ({ total, done, refused }) => w.cancelConfirm(numberText(total - done - refused)),
      isDanger: true,
      done: w.cancelled,
    },
  ],
});

export const bulkActions: Screens = { list: actionList, detail: actionPage };
