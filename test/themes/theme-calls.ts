import type { Caller, TestApp } from '#test/setup/app.ts';

/** The outcome of a mutation: its payload, or the error. */
export interface Outcome {
  code?: string;
  message?: string;
  fields?: { path: string; messages: string[] }[];
  extension?: { id: string; databaseId: number; status: string; version: string };
  installation?: { id: string; databaseId: number; status: string; extension: { version: string } };
  theme?: { id: string; databaseId: number };
  themeInstallation?: { id: string; databaseId: number; theme: { version: string } };
}

const extension = 'id databaseId vendor name version title type status manifest integrity blocked reason createdAt';
const selections: Record<string, string> = {
  registerTheme: 'theme { id databaseId vendor name version title }',
  installTheme: 'themeInstallation { id databaseId theme { version } }',
  uninstallTheme: 'themeInstallation { id databaseId theme { version } }',
  registerExtension: `extension { ${extension} }`,
  publishExtension: `extension { ${extension} }`,
  rejectExtension: `extension { ${extension} assets { path elements } }`,
  withdrawExtension: `extension { ${extension} }`,
};
const installation = `installation { id databaseId status extension { ${extension} } createdAt updatedAt }`;

/** Runs one of the domain's mutations, as an admin and operator unless told otherwise. */
export async function run(api: TestApp, field: string, input: object, as: Caller = {}): Promise<Outcome> {
  const name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const { data, errors } = await api.graphql<Record<string, Outcome>>(
    `mutation ($input: ${name}Input!) { ${field}(input: $input) {
      ... on ${name}Payload { ${selections[field] ?? installation} }
      ... on Error { code message } ... on ValidationError { fields { path messages } }
    } }`,
    { input },
    { roles: ['admin', 'operator'], ...as },
  );
  if (errors) return { code: errors[0]?.extensions?.code ?? 'NONE', message: errors[0]?.message ?? '' };
  return data[field] as Outcome;
}

/** Registers a version of the theme acme/starter, and installs it. */
export async function haveTheme(api: TestApp, version: string, as: Caller = {}): Promise<void> {
  await run(api, 'registerTheme', { theme: 'acme/starter', version, title: 'Starter' });
  await run(api, 'installTheme', { theme: 'acme/starter', version }, as);
}
