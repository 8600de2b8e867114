import type { ResultOf } from '#console/graph/graphql.ts';
import type { Action } from '#console/ui/screens/action.ts';
import {
  CreateInboundEndpoint,
  DeleteInboundEndpoint,
  DisableInboundEndpoint,
  EnableInboundEndpoint,
  type InboundEndpointFacts,
  RotateInboundEndpoint,
  UpdateInboundEndpoint,
} from './inbound-endpoints.documents.ts';
import { inboundWords as w } from './inbound-endpoints.words.ts';
import { membersOf } from './verifier-members.ts';

type Endpoint = ResultOf<typeof InboundEndpointFacts>;

const lookups = { triggerHandle: { noun: 'triggers', by: 'handle', filter: { type: ['WEBHOOK'] } } };

export const addEndpoint: Action<null> = {
  key: 'add',
  label: w.add,
  creates: true,
  document: CreateInboundEndpoint,
  form: {
    fields: ['name', 'target', 'preset', 'verifier', 'config'],
    lookups,
    asked: (_, values) => ({
      target: { label: w.causes },
      config: { label: w.settings, members: membersOf(values, true) },
    }),
  },
  done: w.added,
  opens: (payload) => ({ noun: 'inbound-endpoints', id: (payload['inboundEndpoint'] as { id: string }).id }),
};

export const endpointActions: readonly Action<Endpoint>[] = [
  {
    key: 'edit',
    saves: true,
    label: w.edit,
    document: UpdateInboundEndpoint,
    allowed: (endpoint) => endpoint.viewerCan.update,
    form: {
      fields: ['name', 'target', 'verifier', 'config'],
      lookups,
      initial: ({ name, verifier, config, topic, triggerHandle }) => ({
        name,
        verifier,
        config,
        target: topic === null ? { triggerHandle } : { topic },
      }),
      asked: (endpoint, values) => ({
        target: { label: w.causes },
        config: { label: w.settings, members: membersOf(values, values['verifier'] !== endpoint.verifier) },
      }),
    },
    done: w.saved,
  },
  {
    key: 'rotate',
    label: w.rotate,
    document: RotateInboundEndpoint,
    allowed: (endpoint) => endpoint.viewerCan.rotate,
    form: { fields: ['secret', 'overlapHours'] },
    done: w.rotated,
  },
  {
    key: 'enable',
    label: w.enable,
    document: EnableInboundEndpoint,
    allowed: ({ status, viewerCan }) => status === 'DISABLED' && viewerCan.enable,
    confirm: () => w.enableAbout,
    done: w.enabled,
  },
  {
    key: 'disable',
    label: w.disable,
    document: DisableInboundEndpoint,
    allowed: ({ status, viewerCan }) => status === 'ENABLED' && viewerCan.disable,
    confirm: () => w.disableConfirm,
    done: w.disabled,
  },
  {
    key: 'delete',
    label: w.remove,
    document: DeleteInboundEndpoint,
    allowed: (endpoint) => endpoint.viewerCan.delete,
    confirm: (endpoint) => w.removeConfirm(endpoint.name),
    isDanger: true,
    done: w.removed,
  },
];
