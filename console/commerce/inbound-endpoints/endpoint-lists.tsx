import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import type { Entity } from '#console/ui/screens/rows.ts';
import { nestedList } from '#console/ui/screens/screen.ts';
import { CallsOfEndpoint, RefusalsOfEndpoint } from './inbound-endpoints.documents.ts';
import { inboundWords as w } from './inbound-endpoints.words.ts';

type EndpointOf<Data extends { inboundEndpoint: unknown }> = NonNullable<Data['inboundEndpoint']>;
type Call = EndpointOf<ResultOf<typeof CallsOfEndpoint>>['calls']['edges'][number]['node'] & Entity;
type Refusals = EndpointOf<ResultOf<typeof RefusalsOfEndpoint>>['refusals']['edges'][number]['node'] & Entity;

/** Names rows that have no id in the graph, as a list needs. */
const named = <Row,>(
  page: { edges: readonly { node: Row }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } | undefined,
  idOf: (row: Row) => string,
) => page && { ...page, edges: page.edges.map(({ node }) => ({ node: { ...node, id: idOf(node) } })) };

function Became({ run, deadLetter }: Call) {
  const object = run ?? deadLetter;
  if (!object) return w.published;
  return (
    <ObjectLink noun={run ? 'runs' : 'dead-letters'} id={object.id}>
      {run ? w.run(object.databaseId) : w.deadLetter(object.databaseId)}
    </ObjectLink>
  );
}

export const calls = nestedList(
  CallsOfEndpoint,
  ({ inboundEndpoint }) => named(inboundEndpoint?.calls, ({ eventId }) => eventId),
  {
    columns: [
      { key: 'received', label: w.received, show: format.exactTime((call: Call) => call.receivedAt) },
      { key: 'event', label: w.event, show: format.text((call: Call) => call.eventId) },
      { key: 'became', label: w.became, show: { text: () => '', draw: (call: Call) => <Became {...call} /> } },
    ],
    empty: w.noCalls,
  },
);

const sampleText = ({ sample }: Refusals): string =>
  Object.entries(sample as Record<string, unknown>)
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${String(value)}`)
    .join(', ');

export const refusals = nestedList(
  RefusalsOfEndpoint,
  ({ inboundEndpoint }) => named(inboundEndpoint?.refusals, ({ hour, reason }) => `${hour} ${reason}`),
  {
    columns: [
      { key: 'hour', label: w.hour, show: format.exactTime((refused: Refusals) => refused.hour) },
      { key: 'reason', label: w.reason, show: format.word((refused: Refusals) => refused.reason) },
      { key: 'count', label: w.count, show: format.number((refused: Refusals) => refused.count) },
      { key: 'last', label: w.last, show: format.time((refused: Refusals) => refused.lastAt) },
      { key: 'sample', label: w.sample, show: format.text(sampleText) },
    ],
    empty: w.noRefusals,
  },
);
