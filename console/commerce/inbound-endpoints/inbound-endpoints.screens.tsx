import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { member } from '#console/ui/screens/columns.ts';
import { Facts } from '#console/ui/screens/facts.tsx';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { type Column, detail, list, type Screens } from '#console/ui/screens/screen.ts';
import { verifierWords } from '#console/ui/verifier/verifier.words.ts';
import { addEndpoint, endpointActions } from './endpoint-actions.ts';
import { calls, refusals } from './endpoint-lists.tsx';
import { InboundEndpointPage, InboundEndpoints, type InboundEndpointRow } from './inbound-endpoints.documents.ts';
import { inboundWords as w } from './inbound-endpoints.words.ts';

type Row = ResultOf<typeof InboundEndpointRow>;

const causes = format.text(({ topic, triggerHandle }: Row) => topic ?? w.fires(triggerHandle ?? ''));

const endpointList = list('inboundEndpoints', InboundEndpoints, {
  columns: [
    member('name', format.text, 'minmax(128px, 1fr)'),
    { key: 'status', label: w.state, show: format.state((endpoint) => endpoint.status) },
    { key: 'causes', label: w.causes, show: causes, width: 'minmax(128px, 2fr)' },
    member('verifier', format.word, '160px'),
    member('url', format.text, 'minmax(160px, 2fr)'),
    member('createdAt', format.time),
  ],
  orders: { name: 'NAME', createdAt: 'CREATED_AT' },
  actions: [addEndpoint],
  empty: w.empty,
});

/** The config as facts, in the words of its form. */
function Settings({ config }: { config: unknown }) {
  const facts = Object.entries(config as Record<string, unknown>).map(([name, value]): Column<unknown> => ({
    key: name,
    label: (verifierWords as Readonly<Record<string, string>>)[name] ?? name,
    show: format.text(() => (typeof value === 'string' ? value : JSON.stringify(value))),
  }));
  return <Facts facts={facts} object={config} />;
}

const endpointPage = detail('inboundEndpoint', InboundEndpointPage, {
  title: (endpoint) => endpoint.name,
  state: (endpoint) => endpoint.status,
  facts: [
    member('url', format.handle),
    { key: 'causes', label: w.causes, show: causes },
    member('verifier', format.word),
    {
      key: 'former',
      label: w.previousSecret,
      show: format.exactTime((endpoint) => endpoint.previousSecretExpiresAt),
    },
    member('createdAt', format.exactTime),
    member('updatedAt', format.time),
  ],
  sections: [
    { key: 'settings', title: w.settings, draw: ({ config }) => <Settings config={config} /> },
    {
      key: 'refusals',
      title: w.refusals,
      draw: ({ id }) => <NestedList screen={refusals} variables={{ id }} label={w.refusals} />,
    },
    {
      key: 'calls',
      title: w.calls,
      draw: ({ id }) => <NestedList screen={calls} variables={{ id }} label={w.calls} />,
    },
  ],
  actions: endpointActions,
});

export const inboundEndpoints: Screens = { list: endpointList, detail: endpointPage };
