import type { ResultOf } from '#console/graph/graphql.ts';
import type { Action } from '#console/ui/screens/action.ts';
import { numberText } from '#console/words/values.ts';
import {
  CreateAuthorizeUrl,
  CreateCredential,
  type CredentialFacts,
  type CredentialTypeFacts,
  DeleteCredential,
  TestCredential,
  UpdateCredential,
} from './credentials.documents.ts';
import { credentialWords as w } from './credentials.words.ts';
import { membersOf } from './type-members.ts';

type Credential = ResultOf<typeof CredentialFacts>;

/** Where providers send the browser back to, which is registered with each of them. */
const redirectUri = (): string => new URL('api/v1/credentials/oauth/callback', document.baseURI).href;

/** What a test found, from the payload of its mutation. */
export function describeTest({ outcome, message }: Readonly<Record<string, unknown>>): string {
  const text = outcome === 'SUCCEEDED' ? w.testPassed : outcome === 'NOT_TESTED' ? w.notTested : w.testFailed;
  return text(String(message));
}

export const addCredential = ({ slug, fields }: ResultOf<typeof CredentialTypeFacts>): Action<null> => ({
  key: 'add',
  label: w.add,
  creates: true,
  document: CreateCredential,
  input: () => ({ credentialTypeSlug: slug }),
  form: {
    fields: ['name', 'config', 'expiresAt', 'rateLimit'],
    initial: () => ({ config: {} }),
    asked: () => ({ config: { label: w.config, members: membersOf(fields, true) } }),
  },
  done: w.added,
  opens: (payload) => ({ noun: 'credentials', id: (payload['credential'] as { id: string }).id }),
});

export const credentialActions: readonly Action<Credential>[] = [
  {
    key: 'connect',
    label: w.connect,
    document: CreateAuthorizeUrl,
    allowed: (credential) => credential.isAuthorizedByUser && credential.viewerCan.authorize,
    input: ({ id }) => ({ credentialId: id, returnToConsole: true }),
    confirm: () => w.connectHint(redirectUri()),
    done: w.leaving,
    leavesFor: (payload) => payload['authorizeUrl'] as string,
  },
  {
    key: 'test',
    label: w.test,
    document: TestCredential,
    allowed: (credential) => credential.viewerCan.test,
    confirm: () => w.testAbout,
    done: (payload) => ({ kind: payload['outcome'] === 'FAILED' ? 'failed' : 'done', text: describeTest(payload) }),
  },
  {
    key: 'edit',
    saves: true,
    label: w.edit,
    document: UpdateCredential,
    allowed: ({ type, viewerCan }) => type !== null && viewerCan.update,
    form: {
      fields: ['name', 'config', 'expiresAt', 'rateLimit'],
      initial: ({ name, publicConfig, expiresAt, rateLimit }) => ({
        name,
        config: publicConfig,
        ...(expiresAt !== null && { expiresAt }),
        ...(rateLimit !== null && { rateLimit }),
      }),
      asked: ({ type }) => ({ config: { label: w.config, members: membersOf(type?.fields ?? [], false) } }),
    },
    done: w.saved,
  },
  {
    key: 'delete',
    label: w.remove,
    document: DeleteCredential,
    allowed: (credential) => credential.viewerCan.delete,
    confirm: ({ name, usedBy }) => w.removeConfirm(name, numberText(usedBy.length), usedBy.length),
    isDanger: true,
    done: w.removed,
  },
];
