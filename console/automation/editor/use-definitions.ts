import { useEffect, useState } from 'react';
import { type Client, useClient } from 'urql';
import { EditorDefinitions } from './editor.documents.ts';
import type { Definition, Definitions } from './node-shape.ts';

/** A page of more would cost more than a query may. */
const pageSize = 40;
/** A tenant with more nodes than this finds the others in the palette by searching. */
const mostPages = 12;

/** The newest version of every node; empty until it is read. */
export function useDefinitions(): Definitions {
  const client = useClient();
  const [definitions, setDefinitions] = useState<Definitions>(new Map());
  useEffect(() => {
    let isLeft = false;
    void readDefinitions(client).then((read) => (isLeft ? undefined : setDefinitions(read)));
    return () => {
      isLeft = true;
    };
  }, [client]);
  return definitions;
}

async function readDefinitions(client: Client): Promise<Definitions> {
  const found = new Map<string, Definition>();
  let after: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const variables: Record<string, unknown> = { first: pageSize, after, filter: { latest: true } };
    const { data } = await client.query(EditorDefinitions, variables).toPromise();
    for (const { node } of data?.nodes.edges ?? []) found.set(node.slug, node);
    if (!data?.nodes.pageInfo.hasNextPage) break;
    after = data.nodes.pageInfo.endCursor;
  }
  return found;
}
