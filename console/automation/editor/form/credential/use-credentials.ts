import { useCallback, useEffect, useState } from 'react';
import { useClient } from 'urql';
import { FieldCredentials } from '#console/automation/editor/editor.documents.ts';
import type { ResultOf } from '#console/graph/graphql.ts';

type Credential = ResultOf<typeof FieldCredentials>['credentials']['edges'][number]['node'];

interface Answer {
  credentials: readonly Credential[];
  /** Why they cannot be read, such as by a role. */
  refusal?: string;
}

/** The tenant's credentials of some types; undefined until they are read. */
export function useCredentials(types: readonly string[]): { answer: Answer | undefined; read: () => void } {
  const client = useClient();
  const [answer, setAnswer] = useState<Answer>();
  const asked = types.join(' ');
  const read = useCallback(async () => {
    const slugs = asked.split(' ').filter((slug) => slug !== '');
    const answers = await Promise.all(
      slugs.map((type) => client.query(FieldCredentials, { type }, { requestPolicy: 'network-only' }).toPromise()),
    );
    const error = answers.find((each) => each.error)?.error;
    setAnswer({
      credentials: answers.flatMap(({ data }) => data?.credentials.edges.map(({ node }) => node) ?? []),
      ...(error && { refusal: error.graphQLErrors[0]?.message ?? error.message }),
    });
  }, [client, asked]);
  useEffect(() => void read(), [read]);
  return { answer, read: () => void read() };
}
