import type { ResultOf } from '#console/graph/graphql.ts';
import { queried } from '#console/ui/lookup/lookup.ts';
import type { Action } from '#console/ui/screens/action.ts';
import { valuesOf } from '#console/ui/screens/columns.ts';
import { numberText } from '#console/words/values.ts';
import {
  DeleteDestination,
  DisableDestination,
  EnableDestination,
  PingDestination,
  RecoverDestination,
  RotateDestinationSecret,
  UpdateDestination,
} from './destination-actions.documents.ts';
import type { DestinationPage } from './destinations.documents.ts';
import { destinationWords as w } from './destinations.words.ts';
import { EventTopics } from './event-topics.documents.ts';

type Destination = NonNullable<ResultOf<typeof DestinationPage>['webhookDestination']>;

export const destinationFields = [
  'name',
  'url',
  'topics',
  'filter',
  'ordered',
  'concurrency',
  'ratePerSecond',
  'headers',
  'secret',
  'secretRef',
];

const topics = {
  ...queried(EventTopics, ({ eventTopics }) => [
    { id: '*', name: w.everyTopic },
    ...eventTopics.map(({ name, when }) => ({ id: name, name, about: when })),
  ]),
  takesOthers: true,
} as const;

export const destinationLookups = { topics, secretRef: { noun: 'secrets', by: 'key' } };

const queuedOf = (payload: Record<string, unknown>): number => payload['queued'] as number;

/** How many deliveries have not arrived. */
const backlogOf = ({ backlog }: Destination): string => numberText(backlog.pending + backlog.held + backlog.failed);

/** Where all has arrived, there is nothing to recover. */
const canRecover = ({ viewerCan, backlog }: Destination): boolean => viewerCan.recover && backlog.unsentSince !== null;

export const destinationActions: readonly Action<Destination>[] = [
  {
    key: 'ping',
    label: w.ping,
    document: PingDestination,
    allowed: (destination) => destination.viewerCan.ping,
    confirm: () => w.pingAbout,
    done: w.pinged,
    opens: (payload) => ({ noun: 'deliveries', id: (payload['webhookDelivery'] as { id: string }).id }),
  },
  {
    key: 'edit',
    saves: true,
    label: w.edit,
    document: UpdateDestination,
    allowed: (destination) => destination.viewerCan.update,
    form: {
      fields: destinationFields,
      lookups: destinationLookups,
      initial: valuesOf('name', 'url', 'topics', 'filter', 'ordered', 'concurrency', 'ratePerSecond', 'secretRef'),
      // The server does not tell these, so that a form that leaves them empty keeps them.
      asked: () => ({ headers: { help: w.keptHeaders }, secret: { help: w.keptSecret } }),
    },
    done: w.saved,
  },
  {
    key: 'enable',
    label: w.enable,
    document: EnableDestination,
    allowed: (destination) => destination.viewerCan.enable && destination.status === 'DISABLED',
    confirm: () => w.enableAbout,
    done: w.enabled,
  },
  {
    key: 'disable',
    label: w.disable,
    document: DisableDestination,
    allowed: (destination) => destination.viewerCan.disable && destination.status === 'ENABLED',
    confirm: () => w.disableAbout,
    done: w.disabled,
  },
  {
    key: 'count',
    label: w.count,
    document: RecoverDestination,
    allowed: canRecover,
    input: ({ id }) => ({ id, dryRun: true }),
    form: { fields: ['since', 'topics'], lookups: { topics }, initial: sinceUnsent },
    done: (payload) => w.counted(queuedOf(payload)),
  },
  {
    key: 'recover',
    label: w.recover,
    document: RecoverDestination,
    allowed: canRecover,
    form: { fields: ['since', 'topics'], lookups: { topics }, initial: sinceUnsent },
    done: (payload) => w.recovered(queuedOf(payload)),
  },
  {
    key: 'rotate',
    label: w.rotate,
    document: RotateDestinationSecret,
    allowed: (destination) => destination.viewerCan.rotateSecret,
    form: { fields: ['secret'] },
    done: w.rotated,
    secret: (payload) => payload['secret'] as string,
  },
  {
    key: 'delete',
    label: w.remove,
    document: DeleteDestination,
    allowed: (destination) => destination.viewerCan.delete,
    confirm: (destination) => w.removeConfirm(destination.name, backlogOf(destination)),
    isDanger: true,
    done: w.removed,
  },
];

/** The default start of a recovery: when the oldest delivery was made that has not arrived and is not sent by itself. */
function sinceUnsent({ backlog: { unsentSince } }: Destination): Record<string, unknown> {
  return unsentSince === null ? {} : { since: unsentSince };
}
