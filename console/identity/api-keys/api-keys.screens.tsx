import type { TypedDocumentNode } from 'urql';
import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { queried } from '#console/ui/lookup/lookup.ts';
import type { Action } from '#console/ui/screens/action.ts';
import { column, member } from '#console/ui/screens/columns.ts';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import {
  ApiKeyPage,
  type ApiKeyRow,
  ApiKeys,
  CreateApiKey,
  KeyScopes,
  RevokeApiKey,
  RotateApiKey,
} from './api-keys.documents.ts';
import { apiKeyWords as w } from './api-keys.words.ts';

type ApiKey = ResultOf<typeof ApiKeyRow>;

const stateOf = ({ revokedAt }: ApiKey): string => (revokedAt === null ? 'ACTIVE' : 'REVOKED');

const secretOf = (payload: Record<string, unknown>): string => payload['secret'] as string;

const scopes = queried(KeyScopes, ({ keyScopes }) => [
  { id: '*', name: w.everything, about: w.everythingAbout },
  ...keyScopes.map(({ name, allows }) => ({ id: name, name, about: allows })),
]);

const create: Action<null> = {
  key: 'create',
  label: w.create,
  creates: true,
  document: CreateApiKey,
  form: { fields: ['name', 'scopes', 'expiresAt'], lookups: { scopes } },
  done: w.created,
  secret: secretOf,
};

const keyList = list('apiKeys', ApiKeys, {
  columns: [
    column(
      'name',
      format.text((key) => key.name),
      'minmax(128px, 1fr)',
    ),
    { key: 'state', label: w.state, show: format.state(stateOf) },
    { key: 'prefix', label: w.prefix, show: format.text((key) => key.prefix), width: '128px' },
    column(
      'scopes',
      format.text((key) => key.scopes.join(', ')),
      'minmax(160px, 3fr)',
    ),
    { key: 'lastUsed', label: w.lastUsed, show: format.time((key) => key.lastUsedAt) },
    member('expiresAt', format.exactTime),
  ],
  actions: [create],
  empty: w.empty,
});

// A page of this noun has the id of a key, so that no other type comes.
const keyPage = detail('node', ApiKeyPage as TypedDocumentNode<{ node: ApiKey | null }, { id: string }>, {
  title: (key) => key.name,
  state: stateOf,
  facts: [
    { key: 'prefix', label: w.prefix, show: format.handle((key) => key.prefix) },
    column(
      'scopes',
      format.text((key) => key.scopes.join(', ')),
    ),
    { key: 'lastUsed', label: w.lastUsed, show: format.exactTime((key) => key.lastUsedAt) },
    member('expiresAt', format.exactTime),
    member('createdAt', format.exactTime),
    { key: 'revokedAt', label: w.revokedAt, show: format.exactTime((key) => key.revokedAt) },
  ],
  actions: [
    {
      key: 'rotate',
      label: w.rotate,
      document: RotateApiKey,
      allowed: (key) => key.viewerCan.rotate,
      form: { fields: ['overlapHours'] },
      done: w.rotated,
      secret: secretOf,
    },
    {
      key: 'revoke',
      label: w.revoke,
      document: RevokeApiKey,
      allowed: (key) => key.viewerCan.revoke,
      confirm: (key) => w.revokeConfirm(key.name),
      isDanger: true,
      done: w.revoked,
    },
  ],
});

export const apiKeys: Screens = { list: keyList, detail: keyPage };
