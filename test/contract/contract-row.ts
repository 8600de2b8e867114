import type { z } from 'zod';
import type { Caller } from '#test/setup/app.ts';
import type { World } from './world.ts';

/** The parts of a request beyond its method and documented path. */
export interface Ask {
  params?: Record<string, string | number>;
  /** Without the question mark. */
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  as?: Caller;
}

export type MakeAsk = (world: World) => Ask | Promise<Ask>;

/** A refusal that the contract names for the row, beside those every row has (401, 403, 404, 429). */
export interface Refusal {
  when: string;
  ask: MakeAsk;
  status: number;
  /** Matched as a part of the body. */
  body: object;
}

/** A limit of the contract: a value at the limit is accepted, one beyond it is refused with 422 naming the field. */
export interface Limit {
  what: string;
  field: string;
  edge: MakeAsk;
  past: MakeAsk;
}

/** One documented row of the interface. Written from the contract, never from the code. */
export interface ContractRow {
  area: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As documented, below /api/v1. */
  path: string;
  /** The access: `anyone` needs no token, `operator` no tenant, `tester` no tenant, `authenticated` neither role nor tenant. */
  who: 'anyone' | 'authenticated' | 'tester' | 'user' | 'admin' | 'operator';
  /** Makes what the request needs and answers it; an empty request when absent. */
  ask?: MakeAsk;
  /** Absent where success takes more than a request. */
  answers?: { status: number; body?: z.ZodType };
  /** A path that names an object of a tenant: another tenant gets 404. */
  owned?: boolean;
  refuses?: Refusal[];
  limits?: Limit[];
}

export const areaRows = (area: string, rows: Omit<ContractRow, 'area'>[]): ContractRow[] =>
  rows.map((row) => ({ area, ...row }));

export const notFound = { message: 'Not found.' };
export const invalid = (field: string) => ({
  message: 'The given data was invalid.',
  errors: { [field]: expectTexts },
});
const expectTexts = {
  asymmetricMatch: (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string'),
};

export const text = (length: number): string => 'x'.repeat(length);

/** A page-numbered list's two limits. */
export const pageLimits = (make: MakeAsk = () => ({})): Limit[] => {
  const withQuery =
    (query: string): MakeAsk =>
    async (world) => ({ ...(await make(world)), query });
  return [
    {
      what: 'per_page of at most 100',
      field: 'per_page',
      edge: withQuery('per_page=100'),
      past: withQuery('per_page=101'),
    },
    { what: 'per_page of at least 1', field: 'per_page', edge: withQuery('per_page=1'), past: withQuery('per_page=0') },
    { what: 'page of at least 1', field: 'page', edge: withQuery('page=1'), past: withQuery('page=0') },
  ];
};

/** The limits of a list that is read by cursor. */
export const sizeLimits = (make: MakeAsk = () => ({})): Limit[] => {
  const withLimit =
    (limit: number): MakeAsk =>
    async (world) => ({ ...(await make(world)), query: `limit=${limit}` });
  return [
    { what: 'limit of at most 100', field: 'limit', edge: withLimit(100), past: withLimit(101) },
    { what: 'limit of at least 1', field: 'limit', edge: withLimit(1), past: withLimit(0) },
  ];
};
