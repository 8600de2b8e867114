import { z } from 'zod';

export const sourcesPerTenant = 100;

const name = z.string().trim().min(1).max(191);
const url = z
  .string()
  .max(2_048)
  // A URL parser drops them, so what is called would not be what is shown.
  .regex(/^[^\s\p{Cc}]+$/u, 'Write the URL without spaces and line breaks.');

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'Write the name of an HTTP header.');
const headerValue = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\t\x20-\x7e]*$/, 'Use printable ASCII.');

/** Sent with each request, by name. */
const headers = z
  .record(headerName, headerValue)
  .refine((given) => Object.keys(given).length <= 20, 'Use at most 20 headers.');

export const createHttpSourceInput = z.object({
  name: name.describe('Unique in the tenant, 1 to 191 characters.'),
  url: url.describe('https, or http to a host that the operator allows.'),
  headers: headers.nullish().describe('Sent with each request, by name, at most 20; stored encrypted.'),
});

/** Fields that are left out or null stay, except headers, which null clears. */
export const updateHttpSourceInput = z.object({
  name: name.nullish().describe('Null leaves it as it is.'),
  url: url.nullish().describe('Null leaves it as it is.'),
  headers: headers.nullish().describe('All of them; null: none, left out: they stay.'),
});
