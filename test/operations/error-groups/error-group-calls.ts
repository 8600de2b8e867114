import type { Caller, TestApp } from '#test/setup/app.ts';

export interface ErrorGroup {
  id: string;
  kind: string;
  node: string | null;
  code: string;
  message: string;
  status: string;
  assignee: string | null;
  mutedUntil: string | null;
  count: number;
  firstAt: string;
  lastAt: string;
  reopenedAt: string | null;
  workflows: { count: number; workflow: { databaseId: number } | null }[];
  sampleRun: { databaseId: number; error: string } | null;
  sampleDeadLetter: { databaseId: number; reason: string } | null;
  sampleWebhookDelivery: { databaseId: number; status: string } | null;
}

const fields = `id kind node code message status assignee mutedUntil count firstAt lastAt reopenedAt
  workflows { count workflow { databaseId } } sampleRun { databaseId error }
  sampleDeadLetter { databaseId reason } sampleWebhookDelivery { databaseId status }`;

export async function listGroups(api: TestApp, filter: object = {}, as?: Caller): Promise<ErrorGroup[]> {
  const { data, errors } = await api.graphql<{ errorGroups: { totalCount: number; edges: { node: ErrorGroup }[] } }>(
    `query ($filter: ErrorGroupFilter) { errorGroups(filter: $filter, first: 20) { totalCount edges { node { ${fields} } } } }`,
    { filter },
    as,
  );
  if (errors) throw new Error(api.logLines.at(-1));
  const groups = data.errorGroups.edges.map(({ node }) => node);
  if (groups.length < 20 && groups.length !== data.errorGroups.totalCount) throw new Error('The count is another.');
  return groups;
}

/** The only group within the filter. */
export async function onlyGroup(api: TestApp, filter: object): Promise<ErrorGroup> {
  const groups = await listGroups(api, filter);
  if (groups.length !== 1) throw new Error(`There are ${groups.length} groups: ${JSON.stringify(groups)}`);
  return groups[0] as ErrorGroup;
}

interface Changed {
  code?: string;
  errorGroup?: { status: string; mutedUntil: string | null; assignee: string | null };
  fields?: { path: string }[];
}

export async function changeGroup(
  api: TestApp,
  name: 'resolve' | 'mute' | 'reopen' | 'assign',
  input: object,
  as?: Caller,
): Promise<Changed> {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}ErrorGroup`;
  const { data, errors } = await api.graphql<{ changed: Changed }>(
    `mutation ($input: ${title}Input!) { changed: ${name}ErrorGroup(input: $input) {
      ... on ${title}Payload { errorGroup { status mutedUntil assignee } } ... on Error { code } ... on ValidationError { fields { path } } } }`,
    { input },
    as,
  );
  const code = errors?.[0]?.extensions?.code;
  return data?.changed ?? (code === undefined ? {} : { code });
}
