import { Figures } from '#console/ui/figures.tsx';
import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { CreateDestination } from './destination-actions.documents.ts';
import { deliveriesOfDestination, Statistics } from './destination-lists.tsx';
import { destinationActions, destinationFields, destinationLookups } from './destinations.actions.ts';
import { DestinationFollowed, DestinationPage, Destinations } from './destinations.documents.ts';
import { destinationWords as w } from './destinations.words.ts';

/** One that is enabled and had no success since a failure needs a look before the server disables it. */
const stateOf = ({ status, failingSince }: { status: string; failingSince: string | null }): string =>
  status === 'ENABLED' && failingSince !== null ? 'FAILING' : status;

const destinationList = list('webhookDestinations', Destinations, {
  columns: [
    column(
      'name',
      format.text((destination) => destination.name),
      'minmax(128px, 1fr)',
    ),
    { key: 'status', label: w.status, show: format.state(stateOf) },
    column(
      'url',
      format.text((destination) => destination.url),
      'minmax(160px, 2fr)',
    ),
    column(
      'topics',
      format.text((destination) => destination.topics.join(', ')),
      'minmax(128px, 2fr)',
    ),
    {
      key: 'problem',
      label: w.problem,
      show: format.text((destination) => destination.problem),
      width: 'minmax(128px, 2fr)',
    },
    { key: 'failing', label: w.failingSince, show: format.time((destination) => destination.failingSince) },
    { key: 'created', label: w.created, show: format.time((destination) => destination.createdAt) },
  ],
  orders: { name: 'NAME', created: 'CREATED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    { kind: 'choice', key: 'status', label: w.status, options: ['ENABLED', 'DISABLED'] },
  ],
  actions: [
    {
      key: 'add',
      label: w.add,
      creates: true,
      document: CreateDestination,
      form: { fields: destinationFields, lookups: destinationLookups },
      done: w.added,
      opens: (payload) => ({
        noun: 'webhook-destinations',
        id: (payload['webhookDestination'] as { id: string }).id,
      }),
    },
  ],
  empty: w.empty,
});

const destinationPage = detail('webhookDestination', DestinationPage, {
  follow: DestinationFollowed,
  rereads: () => true,
  title: (destination) => destination.name,
  state: stateOf,
  facts: [
    { key: 'problem', label: w.problem, show: format.text((destination) => destination.problem) },
    { key: 'failing', label: w.failingSince, show: format.exactTime((destination) => destination.failingSince) },
    { key: 'disabled', label: w.disabledReason, show: format.word((destination) => destination.disabledReason) },
    member('url', format.handle),
    column(
      'topics',
      format.text((destination) => destination.topics.join(', ')),
    ),
    member('filter', format.text),
    column(
      'headers',
      format.text((destination) => destination.headerNames.join(', ')),
    ),
    member('signing', format.word),
    member('secretRef', format.text),
    {
      key: 'former',
      label: w.previousSecret,
      show: format.exactTime((destination) => destination.previousSecretExpiresAt),
    },
    member('ordered', format.flag),
    member('concurrency', format.number),
    member('ratePerSecond', format.number),
    member('createdAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  lists: [{ noun: 'deliveries', label: w.allDeliveries, search: ({ id }) => ({ destination: id }) }],
  sections: [
    {
      key: 'backlog',
      title: w.backlog,
      draw: ({ backlog: { pending, held, failed } }) => (
        <Figures
          figures={[
            { label: w.pending, count: pending, tone: 'waiting' },
            { label: w.held, count: held, tone: 'waiting' },
            { label: w.failed, count: failed, tone: 'failed' },
          ]}
        />
      ),
    },
    { key: 'statistics', title: w.statistics, draw: ({ id }) => <Statistics id={id} /> },
    {
      key: 'deliveries',
      title: w.lastDeliveries,
      draw: ({ id }) => (
        <NestedList
          screen={deliveriesOfDestination}
          variables={{ filter: { destinationId: id } }}
          label={w.lastDeliveries}
        />
      ),
    },
  ],
  actions: destinationActions,
});

export const webhookDestinations: Screens = { list: destinationList, detail: destinationPage };
