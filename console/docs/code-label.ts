import { docsWords } from './docs.words.ts';

const languages: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  ndjson: 'NDJSON',
  graphql: 'GraphQL',
  http: 'HTTP',
  sql: 'SQL',
  csv: 'CSV',
  xml: 'XML',
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  php: 'PHP',
  nginx: 'nginx',
  ini: 'INI',
};

const notes = ['answer', 'variables', 'payload', 'result'] as const;

/** What an example is, from the text behind its fence: `JSON · 200` for `json 200`. Other notes are names for the tests of the docs. */
export function codeLabel(info: string): string {
  const [language = '', note = ''] = info.split(' ');
  const word = notes.find((word) => word === note);
  const shown = word ? docsWords[word] : /^\d{3}$|\./.test(note) ? note : undefined;
  return [languages[language] ?? language, shown].filter(Boolean).join(' · ');
}
