import { AppError } from '#src/infra/errors.ts';

/** The config of a credential, completed by the settings of its type. */
export type Values = Readonly<Record<string, unknown>>;

export const withoutBlanks = (values: object): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== null));

export const readText = (values: Values, key: string): string | undefined => {
  const value = values[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export function required(values: Values, key: string): string {
  const value = readText(values, key);
  if (value === undefined) throw incomplete(`has no ${key}`);
  return value;
}

export function readUrl(values: Values, key: string): string {
  const url = URL.parse(required(values, key));
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw incomplete(`has no http or https URL as ${key}`);
  return url.href;
}

const incomplete = (fault: string) =>
  new AppError('UNPROCESSABLE', `The credential ${fault}; complete its config, then connect it.`);
